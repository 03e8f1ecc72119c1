"""Evaluation on many episodes: each sentence is encoded once, then every episode is only scored."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import torch

from fewaspect.data.episodes import Episode
from fewaspect.encoders.batching import length_batches
from fewaspect.encoders.packed import PackedStates
from fewaspect.evaluation.metrics import measure
from fewaspect.methods.base import Represented
from fewaspect.methods.model import EpisodeTensors, FewShotModel, task_of
from fewaspect.methods.prepared import PreparedSet, distinct_by_first_use, place_episode

TOKENS_PER_BATCH = 4096


@dataclass(frozen=True)
class Evaluated:
    """Scores (softmax over classes), truth and decision of each episode, (Q, N) arrays, and the time taken."""

    scores: list[np.ndarray]
    truth: list[np.ndarray]
    predicted: list[np.ndarray]
    encode_seconds: float
    episode_seconds: float

    def measured(self) -> dict[str, np.ndarray]:
        """Every metric by name, one value per episode."""
        return measure(self.scores, self.truth, self.predicted)


@torch.inference_mode()
def represent_once(
    model: FewShotModel, prepared: PreparedSet, handles: np.ndarray, on_done: Callable[[int], None] | None = None
) -> Represented:
    """These sentences in their order; token states are kept only where the method scores with them."""
    device = next(model.parameters()).device
    batches = length_batches(prepared.frozen.lengths(handles), TOKENS_PER_BATCH)
    vectors, tokens = [], []
    for batch in batches:
        represented = model.represent(prepared.frozen.gather(handles[batch]).to(device))
        vectors.append(represented.vectors)
        if model.method.scores_with_tokens and represented.tokens is not None:
            tokens.append(represented.tokens)
        if on_done:
            on_done(len(batch))
    order = torch.from_numpy(np.argsort(np.concatenate(batches))).to(device)
    return Represented(torch.cat(vectors), PackedStates.join(tokens) if tokens else None).take(order)


def represent_episodes(
    model: FewShotModel,
    prepared: PreparedSet,
    episodes: Sequence[Episode],
    on_encoded: Callable[[int], None] | None = None,
) -> tuple[Represented, list[EpisodeTensors]]:
    """Every sentence of the episodes once, and where those of each episode stand among them."""
    per_episode = [np.concatenate(prepared.handles_of(episode)) for episode in episodes]
    distinct, positions = distinct_by_first_use(np.concatenate(per_episode))
    represented = represent_once(model, prepared, distinct, on_encoded)
    where = np.split(positions, np.cumsum([len(handles) for handles in per_episode])[:-1])
    device = represented.vectors.device
    placed = [place_episode(episode, places).to(device) for episode, places in zip(episodes, where, strict=True)]
    return represented, placed


@torch.inference_mode()
def evaluate_episodes(
    model: FewShotModel,
    prepared: PreparedSet,
    episodes: Sequence[Episode],
    on_encoded: Callable[[int], None] | None = None,
    on_episode: Callable[[int], None] | None = None,
) -> Evaluated:
    """Scores and decisions of a model over episodes of one sentence set."""
    was_training = model.training
    model.eval()
    started = time.perf_counter()
    represented, placed = represent_episodes(model, prepared, episodes, on_encoded)
    encoded = time.perf_counter()

    scores, predicted = [], []
    for episode in placed:
        result = model.method.score(task_of(represented, episode))
        scores.append(torch.softmax(result.logits, dim=-1).cpu().numpy())
        predicted.append(model.method.decide(result).cpu().numpy())
        if on_episode:
            on_episode(1)
    model.train(was_training)
    truth = [episode.query_labels for episode in episodes]
    return Evaluated(scores, truth, predicted, encoded - started, time.perf_counter() - encoded)

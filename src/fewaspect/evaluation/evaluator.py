"""Evaluation on many episodes: each sentence is encoded once, then every episode is only scored."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import islice

import numpy as np
import torch

from fewaspect.core.multilabel_metrics import all_metrics, macro_f1, over_episodes
from fewaspect.data.episodes import Episode
from fewaspect.encoders.packed import PackedStates
from fewaspect.inference.batching import length_batches
from fewaspect.methods.base import Represented
from fewaspect.methods.model import FewShotModel, task_of
from fewaspect.methods.prepared import PreparedSet, distinct_by_first_use, place_episode

TOKENS_PER_BATCH = 4096


@dataclass(frozen=True)
class Evaluated:
    """Scores between 0 and 1, truth and decision of each episode, (Q, N) arrays; mean remarks; the time taken."""

    scores: list[np.ndarray]
    truth: list[np.ndarray]
    predicted: list[np.ndarray]
    remarks: dict[str, float]
    encode_seconds: float
    episode_seconds: float

    def measured(self) -> dict[str, np.ndarray]:
        """Every metric by name, one value per episode."""
        return all_metrics(self.scores, self.truth, self.predicted)


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


@dataclass(frozen=True)
class EncodedEpisodes:
    """Episodes, and where the sentences of each stand among those that were represented (for others as well)."""

    episodes: Sequence[Episode]
    places: list[np.ndarray]
    represented: Represented
    seconds: float


def encode_episodes(
    model: FewShotModel,
    prepared: PreparedSet,
    groups: Sequence[Sequence[Episode]],
    on_encoded: Callable[[int], None] | None = None,
) -> list[EncodedEpisodes]:
    """Groups of episodes of one sentence set; each sentence is represented once for all of them."""
    was_training = model.training
    model.eval()
    started = time.perf_counter()
    per_group = [[np.concatenate(prepared.handles_of(episode)) for episode in episodes] for episodes in groups]
    per_episode = [handles for group in per_group for handles in group]
    distinct, positions = distinct_by_first_use(np.concatenate(per_episode))
    represented = represent_once(model, prepared, distinct, on_encoded)
    seconds = time.perf_counter() - started
    model.train(was_training)
    places = iter(np.split(positions, np.cumsum([len(handles) for handles in per_episode])[:-1]))
    return [EncodedEpisodes(episodes, list(islice(places, len(episodes))), represented, seconds) for episodes in groups]


@torch.inference_mode()
def score_episodes(
    model: FewShotModel,
    encoded: EncodedEpisodes,
    on_episode: Callable[[int], None] | None = None,
    *,
    tune: bool = False,
) -> Evaluated:
    """Scores and decisions of a model; `tune` fits its decision to these episodes first."""
    was_training = model.training
    model.eval()
    method, represented = model.method, encoded.represented
    started = time.perf_counter()
    results = []
    for episode, places in zip(encoded.episodes, encoded.places, strict=True):
        task = task_of(represented, place_episode(episode, places).to(represented.vectors.device))
        results.append(method.score(task))
        if on_episode:
            on_episode(1)
    truth = [episode.query_labels for episode in encoded.episodes]
    if tune:
        method.tune(results, truth, lambda predicted: float(np.nanmean(over_episodes(macro_f1, truth, predicted))))
    scores = [method.probabilities(result).cpu().numpy() for result in results]
    predicted = [method.decide(result).cpu().numpy() for result in results]
    remarks = {name: float(np.mean([result.remarks[name] for result in results])) for name in results[0].remarks}
    model.train(was_training)
    return Evaluated(scores, truth, predicted, remarks, encoded.seconds, time.perf_counter() - started)


def evaluate_episodes(
    model: FewShotModel,
    prepared: PreparedSet,
    episodes: Sequence[Episode],
    on_encoded: Callable[[int], None] | None = None,
    on_episode: Callable[[int], None] | None = None,
    *,
    tune: bool = False,
) -> Evaluated:
    """Scores and decisions over episodes of one sentence set; `tune` fits the decision to them first."""
    (encoded,) = encode_episodes(model, prepared, [episodes], on_encoded)
    return score_episodes(model, encoded, on_episode, tune=tune)

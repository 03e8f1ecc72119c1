"""Evaluation on many episodes: each sentence is represented once, then every episode is scored."""

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
from fewaspect.methods.base import Representations
from fewaspect.methods.few_shot_model import FewShotModel, build_task
from fewaspect.methods.prepared import PreparedSet, distinct_by_first_use, episode_tensors
from fewaspect.text.tokenization import length_batches

TOKENS_PER_BATCH = 4096


@dataclass(frozen=True)
class EpisodeResults:
    """(Q, N) scores between 0 and 1, truth and decisions of each episode, mean diagnostics, seconds taken."""

    scores: list[np.ndarray]
    truth: list[np.ndarray]
    predicted: list[np.ndarray]
    diagnostics: dict[str, float]
    encode_seconds: float
    episode_seconds: float

    def metrics(self) -> dict[str, np.ndarray]:
        """(E,) values of every metric, by name."""
        return all_metrics(self.scores, self.truth, self.predicted)


@torch.inference_mode()
def represent_once(model: FewShotModel, prepared: PreparedSet, handles: np.ndarray) -> Representations:
    """These sentences, in this order; with token states only if the method scores with them."""
    device = next(model.parameters()).device
    batches = length_batches(prepared.frozen.lengths(handles), TOKENS_PER_BATCH)
    vectors, tokens = [], []
    for batch in batches:
        represented = model.represent(prepared.frozen.gather(handles[batch]).to(device))
        vectors.append(represented.vectors)
        if model.method.scores_with_tokens and represented.tokens is not None:
            tokens.append(represented.tokens)
    order = torch.from_numpy(np.argsort(np.concatenate(batches))).to(device)
    return Representations(torch.cat(vectors), PackedStates.join(tokens) if tokens else None).take(order)


@dataclass(frozen=True)
class EncodedEpisodes:
    """Episodes, and the positions of each one's sentences in `represented`."""

    episodes: Sequence[Episode]
    positions: list[np.ndarray]
    represented: Representations
    seconds: float


def encode_episodes(
    model: FewShotModel, prepared: PreparedSet, groups: Sequence[Sequence[Episode]]
) -> list[EncodedEpisodes]:
    """Groups of episodes of one sentence set; each sentence is represented once for all groups."""
    was_training = model.training
    model.eval()
    started = time.perf_counter()
    per_group = [[np.concatenate(prepared.handles_of(episode)) for episode in episodes] for episodes in groups]
    per_episode = [handles for group in per_group for handles in group]
    distinct, positions = distinct_by_first_use(np.concatenate(per_episode))
    represented = represent_once(model, prepared, distinct)
    seconds = time.perf_counter() - started
    model.train(was_training)
    split = iter(np.split(positions, np.cumsum([len(handles) for handles in per_episode])[:-1]))
    return [EncodedEpisodes(episodes, list(islice(split, len(episodes))), represented, seconds) for episodes in groups]


@torch.inference_mode()
def score_episodes(
    model: FewShotModel, encoded: EncodedEpisodes, on_episode: Callable[[int], None] | None = None, *,
    tune: bool = False,
) -> EpisodeResults:  # fmt: skip
    """Scores and decisions of the model; `tune` fits the decision to these episodes first."""
    was_training = model.training
    model.eval()
    method, represented = model.method, encoded.represented
    started = time.perf_counter()
    results = []
    for episode, positions in zip(encoded.episodes, encoded.positions, strict=True):
        task = build_task(represented, episode_tensors(episode, positions).to(represented.vectors.device))
        results.append(method.score(task))
        if on_episode:
            on_episode(1)
    truth = [episode.query_labels for episode in encoded.episodes]
    if tune:
        method.tune(results, truth, lambda predicted: float(np.nanmean(over_episodes(macro_f1, truth, predicted))))
    scores = [method.probabilities(result).cpu().numpy() for result in results]
    predicted = [method.decide(result).cpu().numpy() for result in results]
    names = results[0].diagnostics
    diagnostics = {name: float(np.mean([result.diagnostics[name] for result in results])) for name in names}
    model.train(was_training)
    return EpisodeResults(scores, truth, predicted, diagnostics, encoded.seconds, time.perf_counter() - started)


def evaluate_episodes(
    model: FewShotModel, prepared: PreparedSet, episodes: Sequence[Episode], *, tune: bool = False
) -> EpisodeResults:
    """`encode_episodes` and `score_episodes` for one group of episodes."""
    (encoded,) = encode_episodes(model, prepared, [episodes])
    return score_episodes(model, encoded, tune=tune)

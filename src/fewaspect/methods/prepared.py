"""A sentence set whose sentences and label texts are in the cache of frozen states."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import torch

from fewaspect.data.episodes import Episode
from fewaspect.data.labelled import SentenceSet
from fewaspect.data.labels import describe_aspect
from fewaspect.encoders.frozen import FrozenStates
from fewaspect.encoders.packed import PackedStates
from fewaspect.methods.few_shot_model import EpisodeTensors


@dataclass(frozen=True)
class PreparedSet:
    """Sentences and label texts with their handles in the cache of frozen states."""

    sentences: SentenceSet
    frozen: FrozenStates
    sentence_handles: np.ndarray  # (sentences,)
    label_handles: dict[str, int]

    @classmethod
    def of(
        cls, sentences: SentenceSet, frozen: FrozenStates, on_done: Callable[[int], None] | None = None
    ) -> PreparedSet:
        names = sentences.classes
        handles = frozen.handles([*sentences.texts, *map(describe_aspect, names)], on_done)
        labels = dict(zip(names, handles[len(sentences) :].tolist(), strict=True))
        return cls(sentences, frozen, handles[: len(sentences)], labels)

    def truncated(self) -> int:
        return self.frozen.truncated(self.sentence_handles)

    def handles_of(self, episode: Episode) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Handles of the support sentences, the label texts and the queries."""
        labels = np.array([self.label_handles[name] for name in episode.classes], dtype=np.int64)
        return self.sentence_handles[episode.support], labels, self.sentence_handles[episode.queries]

    def load(self, episode: Episode) -> tuple[PackedStates, EpisodeTensors]:
        """The frozen states of an episode's distinct sentences, and its tensors."""
        distinct, positions = distinct_by_first_use(np.concatenate(self.handles_of(episode)))
        by_length = np.argsort(self.frozen.lengths(distinct), kind="stable")  # so that buckets need little padding
        return self.frozen.gather(distinct[by_length]), episode_tensors(episode, np.argsort(by_length)[positions])


def distinct_by_first_use(handles: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Distinct handles, and the position of each given handle among them.

    In order of first use: the order of the handles themselves depends on how the cache was written.
    """
    distinct, first, inverse = np.unique(handles, return_index=True, return_inverse=True)
    order = np.argsort(first)
    return distinct[order], np.argsort(order)[inverse]


def episode_tensors(episode: Episode, positions: np.ndarray) -> EpisodeTensors:
    """An episode given by the positions of support, label texts and queries, in this order."""
    S, N = episode.membership.shape
    where = torch.from_numpy(positions)
    return EpisodeTensors(
        support=where[:S],
        membership=torch.tensor(episode.membership),
        support_labels=torch.from_numpy(episode.support_labels),
        labels=where[S : S + N],
        queries=where[S + N :],
        query_labels=torch.from_numpy(episode.query_labels),
    )

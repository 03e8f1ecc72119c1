"""The interface of all methods: represent single sentences, score queries against supported classes."""

from __future__ import annotations

import itertools
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np
import torch
from torch import Tensor, nn

from fewaspect.core.errors import ConfigError
from fewaspect.encoders.packed import PackedStates
from fewaspect.modules.count_head import most_likely_count, top_classes

Episodes = Sequence[np.ndarray]  # (Q, N) each


@dataclass(frozen=True)
class Representations:
    """Vectors of B sentences and, for methods that score with them, their token states.

    `tokens` may hold further sentences; `rows` are the indices of these B. Support and queries taken from the same
    sentences share `tokens`, so that what is costly per token is computed once for both.
    """

    vectors: Tensor  # (B, d)
    tokens: PackedStates | None = None
    rows: Tensor | None = None  # (B,); without it, sentence b is row b

    def __len__(self) -> int:
        return len(self.vectors)

    def take(self, indices: Tensor) -> Representations:
        rows = None if self.tokens is None else self.token_rows[indices]
        return Representations(self.vectors[indices], self.tokens, rows)

    @property
    def token_rows(self) -> Tensor:
        return torch.arange(len(self), device=self.vectors.device) if self.rows is None else self.rows


def shared_tokens(*sides: Representations) -> tuple[PackedStates, Tensor]:
    """Token states of all sides, each sentence once where they are shared, and the rows of the sides, concatenated."""
    packed = [side.tokens for side in sides if side.tokens is not None]
    if len(packed) < len(sides):
        raise ValueError("token states are needed here, but were not kept")
    if all(tokens is packed[0] for tokens in packed):
        return packed[0], torch.cat([side.token_rows for side in sides])
    offsets = itertools.accumulate((len(tokens) for tokens in packed), initial=0)
    rows = [side.token_rows + offset for side, offset in zip(sides, offsets, strict=False)]
    return PackedStates.join(packed), torch.cat(rows)


@dataclass(frozen=True)
class Scores:
    """Scores of Q queries against N classes, and intermediate values for losses, decisions and explanations."""

    logits: Tensor  # (Q, N)
    count_logits: Tensor | None = None  # (Q, counts)
    prototypes: Tensor | None = None  # (N, d)
    shots: Tensor | None = None  # (N,) support sentences of each class, if the decision depends on them
    learned_logits: Tensor | None = None  # (Q, N) input of the class loss, if not `logits`
    diagnostics: Mapping[str, float] = field(default_factory=dict)  # scalars, averaged over episodes in results


@dataclass(frozen=True)
class Task:
    """The represented sentences of one episode, or of a user's examples and texts."""

    support: Representations  # S sentences
    membership: Tensor  # (S, N)
    labels: Representations  # N label texts
    queries: Representations  # Q sentences


class Method(nn.Module, ABC):
    """Base class. N, K and Q are those of the tensors; `fixed_sizes` names those that a trained model cannot change."""

    scores_with_tokens: ClassVar[bool] = False
    fixed_sizes: ClassVar[tuple[str, ...]] = ()  # of "way" and "shot"
    tunes_decision: ClassVar[bool] = False  # whether the decision is fitted to validation episodes of each setting

    def __init__(self, width: int, settings: Any, way: int, shot: int = 5) -> None:
        super().__init__()
        self.width = width
        self.settings = settings
        self.way = way
        self.shot = shot

    @abstractmethod
    def represent(self, tokens: PackedStates) -> Representations:
        """Each sentence independently of the others; runs once per sentence, however many episodes use it."""

    @abstractmethod
    def score(self, task: Task) -> Scores:
        """Scores of the queries against the classes of support sentences and label texts."""

    @abstractmethod
    def losses(self, task: Task, scores: Scores, support_labels: Tensor, query_labels: Tensor) -> dict[str, Tensor]:
        """Weighted terms of the training loss, by name, from (S, N) and (Q, N) boolean labels."""

    def probabilities(self, scores: Scores) -> Tensor:
        """(Q, N) scores between 0 and 1, comparable between queries; AUC is taken on them."""
        return torch.softmax(scores.logits, dim=-1)

    def decide(self, scores: Scores) -> Tensor:
        """(Q, N) booleans: the best classes, as many as predicted, or one if the method predicts no count."""
        way = scores.logits.shape[1]
        if scores.count_logits is None:
            return top_classes(scores.logits, scores.logits.new_ones(len(scores.logits)))
        return top_classes(scores.logits, most_likely_count(scores.count_logits, way))

    def tune(self, results: Sequence[Scores], truth: Episodes, value: Callable[[Episodes], float]) -> None:
        """Fit the decision to validation episodes, maximising `value` of (Q, N) decisions. Nothing by default."""

    @property
    def decision_episodes(self) -> int:
        """Number of training episodes for a second stage that trains only the decision; 0: no such stage."""
        return 0

    def learn_decision(self, probabilities: Episodes, truth: Episodes) -> None:
        """Train the decision on (Q, N) scores of `decision_episodes` training episodes."""

    def describe_decision(self) -> dict[str, Any]:
        """How the decision is made, for results; JSON-able."""
        return {"rule": "count"}

    def check_size(self, way: int, shot: int) -> None:
        """Refuse an N or K that this model was not built for."""
        for name, letter, built, found in (("way", "N", self.way, way), ("shot", "K", self.shot, shot)):
            if name in self.fixed_sizes and found != built:
                raise ConfigError(
                    f"{type(self).__name__} was built for {letter} = {built}, found {letter} = {found}. "
                    f"Its shape depends on {letter}: train one model for each (--{name} {found})."
                )

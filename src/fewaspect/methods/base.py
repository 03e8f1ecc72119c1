"""What every method is: a representation of single sentences, and scores of queries against supported classes."""

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
class Represented:
    """What depends on a sentence alone: its vector and, where they are needed, its token states.

    `tokens` may hold more sentences than these: `rows` says which of them each one is. Sides of a task that were taken
    from the same sentences share their tokens, so that what is costly per token can be computed once for both.
    """

    vectors: Tensor  # (B, d)
    tokens: PackedStates | None = None
    rows: Tensor | None = None  # (B,); without it, sentence b is row b

    def __len__(self) -> int:
        return len(self.vectors)

    def take(self, indices: Tensor) -> Represented:
        rows = None if self.tokens is None else self.token_rows[indices]
        return Represented(self.vectors[indices], self.tokens, rows)

    @property
    def token_rows(self) -> Tensor:
        return torch.arange(len(self), device=self.vectors.device) if self.rows is None else self.rows


def shared_tokens(*sides: Represented) -> tuple[PackedStates, Tensor]:
    """Token states of all sides, each sentence once where they share them, and the row of each sentence in turn."""
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
    """Queries against classes: logits, count logits, and what the losses and explanations need of the way there."""

    logits: Tensor  # (Q, N)
    count_logits: Tensor | None = None  # (Q, counts)
    prototypes: Tensor | None = None  # (N, d)
    shots: Tensor | None = None  # (N,) support sentences of each class, where the decision depends on them
    learned_logits: Tensor | None = None  # (Q, N) what the class loss is taken on, where that is not `logits`
    remarks: Mapping[str, float] = field(default_factory=dict)  # numbers on the way, averaged over episodes in results


@dataclass(frozen=True)
class Task:
    """The represented sentences of one episode, or of a user's examples and texts."""

    support: Represented  # S sentences
    membership: Tensor  # (S, N)
    labels: Represented  # N label texts
    queries: Represented  # Q sentences


class Method(nn.Module, ABC):
    """Base of all systems. N, K and Q are read off the tensors, never fixed, but for what `fixed` names."""

    scores_with_tokens: ClassVar[bool] = False
    fixed: ClassVar[tuple[str, ...]] = ()  # of "way" and "shot": what a trained model cannot change
    tunes: ClassVar[bool] = False  # whether the decision is fitted to validation episodes of the setting it serves

    def __init__(self, width: int, settings: Any, way: int, shot: int = 5) -> None:
        super().__init__()
        self.width = width
        self.settings = settings
        self.way = way
        self.shot = shot

    @abstractmethod
    def represent(self, tokens: PackedStates) -> Represented:
        """Each sentence by itself; runs once per sentence, whatever number of episodes use it."""

    @abstractmethod
    def score(self, task: Task) -> Scores:
        """Queries against the classes that the support sentences and label texts stand for."""

    @abstractmethod
    def losses(self, task: Task, scores: Scores, support_labels: Tensor, query_labels: Tensor) -> dict[str, Tensor]:
        """The weighted parts of the training loss by name; their sum is the total. Labels: (S, N), (Q, N) booleans."""

    def probabilities(self, scores: Scores) -> Tensor:
        """(Q, N) scores between 0 and 1, comparable between queries; AUC is taken on them."""
        return torch.softmax(scores.logits, dim=-1)

    def decide(self, scores: Scores) -> Tensor:
        """(Q, N) boolean: the predicted number of best classes, or the single best without a prediction."""
        way = scores.logits.shape[1]
        if scores.count_logits is None:
            return top_classes(scores.logits, scores.logits.new_ones(len(scores.logits)))
        return top_classes(scores.logits, most_likely_count(scores.count_logits, way))

    def tune(self, results: Sequence[Scores], truth: Episodes, value: Callable[[Episodes], float]) -> None:
        """Fit the decision to validation episodes; `value` is what decisions on them are worth. Nothing by default."""

    @property
    def decision_episodes(self) -> int:
        """Training episodes that the decision learns from after all else is learned and frozen; 0: none."""
        return 0

    def learn_decision(self, probabilities: Episodes, truth: Episodes) -> None:
        """Learn the decision from scores on training episodes, where `decision_episodes` asks for some."""

    def describe_decision(self) -> dict[str, Any]:
        """How the decision is made, for results; JSON-able."""
        return {"rule": "count"}

    def require(self, way: int, shot: int) -> None:
        """An N or K that this model was not built for is an error."""
        for name, letter, built, found in (("way", "N", self.way, way), ("shot", "K", self.shot, shot)):
            if name in self.fixed and found != built:
                raise ConfigError(
                    f"{type(self).__name__} was built for {letter} = {built}, found {letter} = {found}. "
                    f"Its shape depends on {letter}: train one model for each (--{name} {found})."
                )

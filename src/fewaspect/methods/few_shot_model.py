"""Trainable encoder layers and a method as one module that takes whole episodes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields

import torch
from torch import Tensor, nn

from fewaspect.encoders.packed import PackedStates
from fewaspect.encoders.transformer import UpperLayers
from fewaspect.methods.base import Method, Representations, Scores, Task


@dataclass(frozen=True)
class EpisodeTensors:
    """Positions of an episode's sentences among packed ones, and their labels."""

    support: Tensor  # (S,) positions
    membership: Tensor  # (S, N)
    support_labels: Tensor  # (S, N) bool
    labels: Tensor  # (N,) positions
    queries: Tensor  # (Q,) positions
    query_labels: Tensor  # (Q, N) bool

    def to(self, device: torch.device | str, non_blocking: bool = False) -> EpisodeTensors:
        return self._each(lambda tensor: tensor.to(device, non_blocking=non_blocking))

    def pinned(self) -> EpisodeTensors:
        """In pinned memory, which a GPU copies from while it computes."""
        return self._each(Tensor.pin_memory)

    def _each(self, change: Callable[[Tensor], Tensor]) -> EpisodeTensors:
        return EpisodeTensors(*(change(getattr(self, item.name)) for item in fields(self)))


def build_task(represented: Representations, episode: EpisodeTensors) -> Task:
    """An episode whose sentences are among `represented`."""
    return Task(
        represented.take(episode.support),
        episode.membership,
        represented.take(episode.labels),
        represented.take(episode.queries),
    )


class FewShotModel(nn.Module):
    """Trainable encoder layers with a method on top.

    With `bf16`, the layers run in mixed precision during training; weights, method, losses and inference stay in fp32.
    """

    def __init__(self, upper: UpperLayers, method: Method, bf16: bool = False) -> None:
        super().__init__()
        self.upper = upper
        self.method = method
        self.bf16 = bf16

    def represent(self, frozen: PackedStates) -> Representations:
        """Representations of sentences from their states after the frozen layers."""
        return self.method.represent(self.upper(frozen))

    def forward(self, frozen: PackedStates, episode: EpisodeTensors) -> tuple[Scores, dict[str, Tensor]]:
        """Scores and losses of one training episode."""
        with torch.autocast(frozen.values.device.type, torch.bfloat16, enabled=self.bf16):
            states = self.upper(frozen)
        task = build_task(self.method.represent(states.with_values(states.values.float())), episode)
        scores = self.method.score(task)
        return scores, self.method.losses(task, scores, episode.support_labels, episode.query_labels)

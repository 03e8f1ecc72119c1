"""Trainable encoder layers and a method as one module that takes whole episodes."""

from __future__ import annotations

from dataclasses import dataclass, fields

import torch
from torch import Tensor, nn

from fewaspect.encoders.packed import PackedStates
from fewaspect.encoders.transformer import UpperLayers
from fewaspect.methods.base import Method, Represented, Scores, Task


@dataclass(frozen=True)
class EpisodeTensors:
    """Where the sentences of an episode stand among the packed ones, and what they carry."""

    support: Tensor  # (S,) positions
    membership: Tensor  # (S, N)
    support_labels: Tensor  # (S, N) bool
    labels: Tensor  # (N,) positions
    queries: Tensor  # (Q,) positions
    query_labels: Tensor  # (Q, N) bool

    def to(self, device: torch.device | str) -> EpisodeTensors:
        return EpisodeTensors(*(getattr(self, item.name).to(device) for item in fields(self)))


def task_of(represented: Represented, episode: EpisodeTensors) -> Task:
    return Task(
        represented.take(episode.support),
        episode.membership,
        represented.take(episode.labels),
        represented.take(episode.queries),
    )


class FewShotModel(nn.Module):
    """Upper encoder layers below, method on top."""

    def __init__(self, upper: UpperLayers, method: Method) -> None:
        super().__init__()
        self.upper = upper
        self.method = method

    def represent(self, frozen: PackedStates) -> Represented:
        """Sentences given by their states after the frozen layers."""
        return self.method.represent(self.upper(frozen))

    def forward(self, frozen: PackedStates, episode: EpisodeTensors) -> tuple[Scores, dict[str, Tensor]]:
        """Scores and losses of one training episode."""
        task = task_of(self.represent(frozen), episode)
        scores = self.method.score(task)
        return scores, self.method.losses(task, scores, episode.support_labels, episode.query_labels)

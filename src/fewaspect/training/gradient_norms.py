"""Running means of batch norms, which must not depend on the order of a step's episodes, nor on who learns them."""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch import Tensor, nn


class RunningMeans:
    """Each episode of a step moves them from where the step began; the step moves them to the mean of that."""

    def __init__(self, model: nn.Module) -> None:
        norms = [module for module in model.modules() if isinstance(module, nn.BatchNorm1d)]
        kept = [value for norm in norms for value in (norm.running_mean, norm.running_var)]
        self.values = [value for value in kept if value is not None]

    def begin(self) -> None:
        self.start = [value.clone() for value in self.values]
        self.sums = [torch.zeros_like(value) for value in self.values]

    def add(self, share: float) -> None:
        """After an episode has been learned; `share` is its part of the step."""
        for value, start, mean in zip(self.values, self.start, self.sums, strict=True):
            mean += value * share
            value.copy_(start)

    def end(self, total: Callable[[Tensor], Tensor]) -> None:
        for value, mean in zip(self.values, self.sums, strict=True):
            value.copy_(total(mean))

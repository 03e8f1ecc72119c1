"""Running statistics of batch norms in steps of several episodes, whatever their order and process."""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch import Tensor, nn


class BatchNormStatistics:
    """Every episode of a step updates the running statistics of its beginning; the step ends with their mean."""

    def __init__(self, model: nn.Module) -> None:
        norms = [module for module in model.modules() if isinstance(module, nn.BatchNorm1d)]
        buffers = [value for norm in norms for value in (norm.running_mean, norm.running_var)]
        self.values = [value for value in buffers if value is not None]

    def start_step(self) -> None:
        self.initial = [value.clone() for value in self.values]
        self.means = [torch.zeros_like(value) for value in self.values]

    def add_episode(self, weight: float) -> None:
        """After the forward pass of an episode; `weight` is its share of the step."""
        for value, initial, mean in zip(self.values, self.initial, self.means, strict=True):
            mean += value * weight
            value.copy_(initial)

    def finish_step(self, all_reduce: Callable[[Tensor], Tensor]) -> None:
        """`all_reduce` sums over processes."""
        for value, mean in zip(self.values, self.means, strict=True):
            value.copy_(all_reduce(mean))

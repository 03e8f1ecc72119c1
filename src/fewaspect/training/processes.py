"""Training divided among processes (ranks): which episodes each one takes, and what they add up and tell each other.

Accelerate starts them and chooses gloo or NCCL. Gradients are added up once per step, after all episodes of a rank.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from datetime import timedelta
from pathlib import Path
from typing import TypeVar

import torch
from accelerate import Accelerator, InitProcessGroupKwargs
from accelerate.utils import broadcast_object_list
from torch import nn
from torch.nn.utils import parameters_to_vector, vector_to_parameters

from fewaspect.core.errors import ConfigError

T = TypeVar("T")
PATIENCE = timedelta(hours=6)  # how long ranks wait for another that runs sentences through the frozen layers


def launched() -> int:
    """How many processes torchrun or `accelerate launch` started; 1 without them."""
    return int(os.environ.get("WORLD_SIZE", "1"))


class Ranks:
    """All processes of a training, seen from one of them; without a launcher there is one."""

    def __init__(self, logs: Path) -> None:
        self.accelerator = Accelerator(
            cpu=launched() > 1 and not torch.cuda.is_available(),  # or else it overlooks the launcher
            log_with="tensorboard", project_dir=str(logs),
            kwargs_handlers=[InitProcessGroupKwargs(timeout=PATIENCE)],
        )  # fmt: skip
        self.count, self.rank = self.accelerator.num_processes, self.accelerator.process_index

    @property
    def first(self) -> bool:
        """Rank 0 validates, writes the files and talks."""
        return self.rank == 0

    def share(self, episodes: int) -> range:
        """Places of this rank's episodes in a step: r, r + W, ...

        All ranks have equally many, so that none waits in vain; a place past the end of the step counts for nothing.
        """
        turns = -(-episodes // self.count)
        return range(self.rank, turns * self.count, self.count)

    def require_work(self, episodes_per_step: int) -> None:
        if episodes_per_step < self.count:
            raise ConfigError(
                f"expected an episode per step for each process, found --episodes-per-step {episodes_per_step} and "
                f"{self.count} processes. Raise the one or start fewer of the other."
            )

    def require_equal(self, value: object, what: str) -> None:
        if value != self.told(lambda: value):
            raise ConfigError(f"process {self.rank}: expected {what} that process 0 has, found others.")

    def told(self, make: Callable[[], T]) -> T:
        """What rank 0 makes, on every rank. If it fails there, that process ends, and its launcher ends the others."""
        (made,) = broadcast_object_list([make() if self.first else None])
        return made

    def total(self, values: torch.Tensor) -> torch.Tensor:
        """The sum over all ranks, the same to the bit on each."""
        return self.accelerator.reduce(values, "sum") if self.count > 1 else values

    def add_gradients(self, parameters: Sequence[nn.Parameter]) -> None:
        """Every gradient becomes the sum over all ranks, in one call; what no rank used stays without a gradient."""
        if self.count == 1:
            return
        here = [p.grad is not None for p in parameters]
        gradients = [torch.zeros_like(p) if p.grad is None else p.grad for p in parameters]
        flat = parameters_to_vector(gradients)
        used, flat = self.total(torch.cat([flat.new_tensor(here), flat])).split([len(here), len(flat)])
        vector_to_parameters(flat, gradients)
        anywhere = here if all(here) else (used > 0).tolist()  # to look at a GPU's numbers is to wait for it
        for parameter, gradient, needed in zip(parameters, gradients, anywhere, strict=True):
            parameter.grad = gradient if needed else None

"""Data-parallel training: each process takes some episodes of a step, and gradients are summed once per step.

Accelerate sets the processes up and chooses gloo or NCCL.
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
TIMEOUT = timedelta(hours=6)  # one process may have to encode all sentences while the others wait


def world_size() -> int:
    """Number of processes that torchrun or `accelerate launch` started; 1 without them."""
    return int(os.environ.get("WORLD_SIZE", "1"))


class ProcessGroup:
    """The processes of a training run, seen from one of them (`rank`)."""

    def __init__(self, logs: Path) -> None:
        self.accelerator = Accelerator(
            cpu=world_size() > 1 and not torch.cuda.is_available(),  # else accelerate ignores the launcher
            log_with="tensorboard", project_dir=str(logs),
            kwargs_handlers=[InitProcessGroupKwargs(timeout=TIMEOUT)],
        )  # fmt: skip
        self.size, self.rank = self.accelerator.num_processes, self.accelerator.process_index

    @property
    def is_main(self) -> bool:
        """Only the main process validates, writes files and prints."""
        return self.rank == 0

    def own_episodes(self, episodes: int) -> range:
        """Positions of this process's episodes in a step of so many: rank, rank + size, ...

        All processes get equally many, as collective calls require; positions past the end have weight 0.
        """
        per_process = -(-episodes // self.size)
        return range(self.rank, per_process * self.size, self.size)

    def check_episodes_per_step(self, episodes_per_step: int) -> None:
        if episodes_per_step < self.size:
            raise ConfigError(
                f"expected an episode per step for each process, found --episodes-per-step {episodes_per_step} and "
                f"{self.size} processes. Raise the one or start fewer of the other."
            )

    def check_equal(self, value: object, what: str) -> None:
        """Refuse a value that differs from the main process's."""
        if value != self.broadcast_from_main(lambda: value):
            raise ConfigError(f"process {self.rank}: expected {what} that process 0 has, found others.")

    def broadcast_from_main(self, make: Callable[[], T]) -> T:
        """What the main process makes, on every process. If that fails, the launcher ends all processes."""
        (made,) = broadcast_object_list([make() if self.is_main else None])
        return made

    def all_reduce(self, values: torch.Tensor) -> torch.Tensor:
        """The sum over all processes, bitwise equal on each."""
        return self.accelerator.reduce(values, "sum") if self.size > 1 else values

    def all_reduce_gradients(self, parameters: Sequence[nn.Parameter]) -> None:
        """Sum gradients over all processes in one call; a parameter that none of them used keeps no gradient."""
        if self.size == 1:
            return
        used_here = [p.grad is not None for p in parameters]
        gradients = [torch.zeros_like(p) if p.grad is None else p.grad for p in parameters]
        flat = parameters_to_vector(gradients)
        reduced = self.all_reduce(torch.cat([flat.new_tensor(used_here), flat]))
        used_anywhere, flat = reduced.split([len(used_here), len(flat)])
        vector_to_parameters(flat, gradients)
        used = used_here if all(used_here) else (used_anywhere > 0).tolist()  # tolist() would wait for a GPU
        for parameter, gradient, is_used in zip(parameters, gradients, used, strict=True):
            parameter.grad = gradient if is_used else None

"""Episodes of random token states, on which what must hold of a method is tried, and small runs."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch

from fewaspect.encoders.packed import PackedStates
from fewaspect.methods import METHODS, build_method, complete_settings
from fewaspect.methods.base import Method, Scores, Task
from fewaspect.training.run_folder import RunSettings

WIDTH = 8


class Example:
    """An episode of random token states: support rows by class, label texts, queries; all tensors are double."""

    def __init__(self, shots: tuple[int, ...] = (3, 2, 2), queries: int = 5, seed: int = 0) -> None:
        rng = np.random.default_rng(seed)
        N, S = len(shots), sum(shots)
        self.support, self.labels, self.queries = (_sentences(rng, n) for n in (S, N, queries))
        self.membership = torch.from_numpy(np.repeat(np.eye(N), shots, axis=0))
        self.support_labels = (self.membership > 0) | torch.from_numpy(rng.random((S, N)) < 0.2)
        self.query_labels = torch.from_numpy(rng.random((queries, N)) < 0.3)
        self.query_labels[torch.arange(queries), torch.arange(queries) % N] = True

    def task(self, method: Method) -> Task:
        support, labels, queries = (method.represent(side) for side in (self.support, self.labels, self.queries))
        return Task(support, self.membership, labels, queries)

    def scores(self, method: Method) -> Scores:
        return method.score(self.task(method))

    def losses(self, method: Method) -> dict[str, torch.Tensor]:
        task = self.task(method)
        return method.losses(task, method.score(task), self.support_labels, self.query_labels)

    def changed(self, **values: Any) -> Example:
        other = Example.__new__(Example)
        other.__dict__.update({**self.__dict__, **values})
        return other


def built(name: str, way: int = 3, shot: int = 2, *, width: int = WIDTH, moved: float = 0.3, **changes: Any) -> Method:
    """A method in double precision and without dropout, its weights `moved` from where training starts."""
    torch.manual_seed(0)
    method = build_method(name, width, METHODS[name].settings(**changes), way, shot).double().eval()
    with torch.no_grad():
        for parameter in method.parameters():
            parameter.add_(moved * torch.randn_like(parameter))
    return method


def run_settings(encoder: str, **changes: Any) -> RunSettings:
    """A small run on the sample."""
    values = {
        "benchmark": "sample", "encoder": encoder, "way": "3", "shot": "2", "queries": 2, "episodes": 6,
        "validation_episodes": 5, "validate_every": 2, **changes,
    }  # fmt: skip
    if values.get("method") == "proto-awatt":
        values = {"policy_episodes": 5, **values}
    return RunSettings(*complete_settings(values))


def weights_of(method: Method) -> dict[str, np.ndarray]:
    return {name: value.detach().numpy() for name, value in method.state_dict().items()}


def mean_vectors(packed: PackedStates) -> list[np.ndarray]:
    return [H.mean(axis=1) for H in as_list(packed)]


def unit(v: np.ndarray) -> np.ndarray:
    return v / np.linalg.norm(v)


def softmax(x: np.ndarray) -> np.ndarray:
    e = np.exp(x - x.max())
    return e / e.sum()


def total(losses: dict[str, torch.Tensor]) -> torch.Tensor:
    return torch.stack(list(losses.values())).sum()


def _sentences(rng: np.random.Generator, count: int) -> PackedStates:
    lengths = rng.integers(1, 7, count)
    return PackedStates(torch.from_numpy(rng.normal(size=(lengths.sum(), WIDTH))), torch.from_numpy(lengths))


def as_list(packed: PackedStates) -> list[np.ndarray]:
    """Each sentence's H, d x T, as the paper writes it."""
    return [part.numpy().T for part in packed.values.split(packed.lengths.tolist())]

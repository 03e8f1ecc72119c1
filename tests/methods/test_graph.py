"""The Graph Network against one plain graph per query, in numpy."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from examples import Example, built, mean_vectors, softmax, unit, weights_of
from fewaspect.methods.base import Representations, Task


def leaky(x: np.ndarray) -> np.ndarray:
    return np.where(x > 0, x, 0.01 * x)


class Plain:
    """All nodes, all edges, one query at a time."""

    def __init__(self, w: dict[str, np.ndarray]) -> None:
        self.w = w

    def norm(self, name: str, x: np.ndarray) -> np.ndarray:
        w = {part: self.w[f"{name}.{part}"] for part in ("running_mean", "running_var", "weight", "bias")}
        return (x - w["running_mean"]) / np.sqrt(w["running_var"] + 1e-5) * w["weight"] + w["bias"]

    def edge(self, layer: int, a: np.ndarray, b: np.ndarray) -> float:
        name = f"edges.{layer}"
        first = [self.w[f"{name}.first.weight"]]
        if f"{name}.first_added.weight" in self.w:
            first.append(self.w[f"{name}.first_added.weight"])
        x = np.concatenate(first, axis=1) @ np.abs(a - b)
        for i in range(3):
            x = self.w[f"{name}.hidden.{i}.weight"] @ leaky(self.norm(f"{name}.norms.{i}", x))
        return float(self.w[f"{name}.output.weight"][0] @ leaky(self.norm(f"{name}.norms.3", x)))

    def adjacency(self, layer: int, nodes: list[np.ndarray]) -> np.ndarray:
        logits = [
            [-np.inf if i == j else self.edge(layer, a, b) for j, b in enumerate(nodes)] for i, a in enumerate(nodes)
        ]
        return np.array([softmax(np.array(row)) for row in logits])

    def logits(self, nodes: list[np.ndarray]) -> np.ndarray:
        for layer in range(2):
            seen = self.adjacency(layer, nodes) @ np.array(nodes)
            both = [np.concatenate(pair) for pair in zip(nodes, seen, strict=True)]
            more = [leaky(self.norm(f"norms.{layer}", self.w[f"layers.{layer}.weight"] @ v)) for v in both]
            nodes = [np.concatenate(pair) for pair in zip(nodes, more, strict=True)]
        seen = self.adjacency(2, nodes) @ np.array(nodes)
        return self.w["last.weight"] @ np.concatenate([nodes[-1], seen[-1]]) + self.w["last.bias"]


@pytest.mark.parametrize("seed", [0, 1])
def test_the_logits_are_those_of_one_graph_per_query(seed: int) -> None:
    method, example = built("graph", graph_width=6), Example(seed=seed)
    found = example.scores(method).logits.detach().numpy()
    x = [unit(v) for v in mean_vectors(example.support)]
    means = [np.mean([x[s] for s in range(7) if example.membership[s, n] > 0], axis=0) for n in range(3)]
    place = np.argsort(np.argsort([mean[0] for mean in means]))
    drawn_for = example.membership.argmax(dim=1).tolist()
    support = [np.concatenate([v, np.eye(3)[place[n]]]) for v, n in zip(x, drawn_for, strict=True)]
    for i, q in enumerate(mean_vectors(example.queries)):
        logits = Plain(weights_of(method)).logits([*support, np.concatenate([unit(q), np.zeros(3)])])
        assert found[i] == pytest.approx(logits[place], rel=1e-8)


@pytest.mark.parametrize("seed", range(3))
def test_started_at_the_distance_a_query_gets_the_class_of_its_nearest_shots(seed: int) -> None:
    method = built("graph", way=4, moved=0.0, width=32).train()  # as in the first step: norms by the episode itself
    rng = torch.Generator().manual_seed(seed)
    centres = torch.randn(4, 32, generator=rng, dtype=torch.float64)
    membership = torch.eye(4, dtype=torch.float64).repeat_interleave(3, 0)
    support, queries = (
        Representations(rows + 0.3 * torch.randn(rows.shape, generator=rng, dtype=torch.float64))
        for rows in (membership @ centres, centres.repeat(2, 1))
    )
    logits = method.score(Task(support, membership, queries.take(torch.arange(4)), queries)).logits
    assert logits.argmax(dim=1).tolist() == [0, 1, 2, 3] * 2

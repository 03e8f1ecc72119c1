"""IMP against its formulas in numpy: which clusters open, where they move, what a query scores."""

from __future__ import annotations

import math

import numpy as np
import pytest
import torch

from examples import Example, built, mean_vectors, unit, weights_of
from fewaspect.methods.imp import IMP


def expected_clusters(
    x: list[np.ndarray], membership: np.ndarray, sigma: float, alpha: float
) -> list[list[np.ndarray]]:
    """The clusters of each class, from the paper."""
    N, d = membership.shape[1], len(x[0])
    shots = [[v for v, m in zip(x, membership[:, n], strict=True) if m > 0] for n in range(N)]
    means = [unit(np.mean(own, axis=0)) for own in shots]
    rho = np.mean(np.var(np.array(means), axis=0))
    limit = -2 * sigma * math.log(alpha) + d * sigma * math.log(1 + rho / sigma)
    found = []
    for own, mean in zip(shots, means, strict=True):
        centres = [mean]
        for v in sorted(own, key=lambda v, mean=mean: -np.sum((v - mean) ** 2)):
            if min(np.sum((v - mu) ** 2) for mu in centres) > limit:
                centres.append(v)
        densities = np.array([[math.exp(-np.sum((v - mu) ** 2) / (2 * sigma)) for mu in centres] for v in own])
        z = densities / densities.sum(axis=1, keepdims=True)
        found.append([unit(z[:, c] @ np.array(own)) for c in range(len(centres)) if z[:, c].sum() >= 1e-3])
    return found


@pytest.mark.parametrize("alpha", [0.9, 0.1, 1e-9])
@pytest.mark.parametrize("seed", [0, 1, 2])
def test_a_logit_is_that_of_the_nearest_cluster_of_the_class(alpha: float, seed: int) -> None:
    method, example = built("imp", cluster_alpha=alpha), Example(shots=(5, 4, 3), seed=seed)
    sigma = math.exp(weights_of(method)["log_variance"])
    x = [unit(v) for v in mean_vectors(example.support)]
    clusters = expected_clusters(x, example.membership.numpy(), sigma, alpha)
    scores = example.scores(method)
    for i, q in enumerate(mean_vectors(example.queries)):
        expected = [max(-np.sum((unit(q) - mu) ** 2) / (2 * sigma) for mu in own) for own in clusters]
        assert scores.logits[i].tolist() == pytest.approx(expected, rel=1e-9)
    assert scores.diagnostics == {"clusters_per_class": pytest.approx(sum(map(len, clusters)) / 3)}


def test_clusters_open_for_a_large_alpha_and_none_for_a_tiny_one() -> None:
    example = Example(shots=(5, 4, 3))
    some, none = (example.scores(built("imp", cluster_alpha=alpha)) for alpha in (0.9, 1e-12))
    assert some.diagnostics["clusters_per_class"] > 1.5
    assert none.diagnostics["clusters_per_class"] == 1


def test_with_one_cluster_per_class_it_is_a_prototypical_network() -> None:
    imp, proto = built("imp", moved=0.0, cluster_alpha=1e-12), built("prototypical", moved=0.0)
    torch.testing.assert_close(Example().scores(imp).logits, Example().scores(proto).logits)  # 1 / (2 sigma) = 10


def test_no_gradient_passes_through_the_assignments() -> None:
    method = built("imp", cluster_alpha=0.9)
    assert isinstance(method, IMP)
    example = Example(shots=(5, 4, 3))
    centres, _ = method.clusters(example.task(method).support.vectors, example.membership)
    assert not centres.requires_grad  # of the variance, which only the assignments and the openings depend on

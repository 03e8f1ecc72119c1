"""Squared Euclidean distances, and the class probabilities of equation 8 that come of them."""

from __future__ import annotations

import numpy as np
import pytest
import torch

import equations
from fewaspect.modules.class_prototypes import squared_distances


@pytest.fixture
def points() -> tuple[torch.Tensor, torch.Tensor]:
    torch.manual_seed(0)
    return torch.randn(4, 5).double(), torch.randn(3, 5).double()


def test_distances_are_sums_of_squared_differences(points: tuple[torch.Tensor, torch.Tensor]) -> None:
    queries, prototypes = points
    found = squared_distances(queries, prototypes)
    for q in range(4):
        for n in range(3):
            expected = sum((float(queries[q, i]) - float(prototypes[n, i])) ** 2 for i in range(5))
            assert float(found[q, n]) == pytest.approx(expected, rel=1e-12)


def test_their_softmax_is_the_papers_equation_8(points: tuple[torch.Tensor, torch.Tensor]) -> None:
    queries, prototypes = points
    found = torch.softmax(-squared_distances(queries, prototypes), dim=-1).numpy()
    for q in range(4):
        np.testing.assert_allclose(
            found[q], equations.class_probabilities(queries[q].numpy(), list(prototypes.numpy())), rtol=1e-11
        )


def test_no_distance_is_negative() -> None:
    torch.manual_seed(0)
    vectors = 100 * torch.randn(200, 64)
    distances = squared_distances(vectors, vectors.clone())
    assert (distances >= 0).all()
    assert distances.diagonal().max() < 1e-5 * vectors.square().sum(-1).max()


def test_gradients_of_distances_are_right(points: tuple[torch.Tensor, torch.Tensor]) -> None:
    assert torch.autograd.gradcheck(squared_distances, tuple(p.requires_grad_(True) for p in points))

"""Prototypes are equations 6 and 7 of the paper, over whatever sentences stand for a class."""

from __future__ import annotations

import numpy as np
import pytest
import torch

import equations
from fewaspect.modules.class_prototypes import class_means, label_enhanced_prototypes, shot_weights, shots

# Six sentences and three classes with 3, 2 and 2 shots; sentence 1 stands for two classes, sentence 5 for none.
MEMBERSHIP = torch.tensor([[1, 0, 0], [1, 1, 0], [1, 0, 0], [0, 1, 0], [0, 0, 2], [0, 0, 0]]).double()


@pytest.fixture
def vectors() -> torch.Tensor:
    torch.manual_seed(0)
    return torch.randn(6, 5).double()


@pytest.fixture
def alpha() -> torch.Tensor:
    torch.manual_seed(1)
    return 2 * torch.randn(6, 3).double()


def shots_of(column: int) -> list[int]:
    """The sentences that stand for a class, one of membership 2 twice."""
    return [row for row in range(6) for _ in range(int(MEMBERSHIP[row, column]))]


def test_prototypes_are_the_papers_equations_6_and_7(vectors: torch.Tensor, alpha: torch.Tensor) -> None:
    found = label_enhanced_prototypes(vectors, alpha, MEMBERSHIP).numpy()
    for i in range(3):
        shots = shots_of(i)
        expected = equations.prototype([vectors[j].numpy() for j in shots], [float(alpha[j, i]) for j in shots])
        np.testing.assert_allclose(found[i], expected, rtol=1e-12, atol=1e-12)


def test_shot_weights_are_a_softmax_over_the_shots_of_each_class(alpha: torch.Tensor) -> None:
    beta = shot_weights(alpha, MEMBERSHIP)
    assert ((beta > 0) == (MEMBERSHIP > 0)).all()
    torch.testing.assert_close(beta.sum(0), torch.ones(3).double())
    expected = equations.softmax([float(alpha[j, 0]) for j in (0, 1, 2)])
    np.testing.assert_allclose(beta[:3, 0].numpy(), expected, rtol=1e-12)


def test_a_membership_of_two_counts_as_two_shots(vectors: torch.Tensor, alpha: torch.Tensor) -> None:
    once = torch.tensor([[1], [1], [1]]).double()
    twice = torch.tensor([[1], [2]]).double()
    rows = torch.tensor([0, 1, 1])
    for build in (
        lambda v, a, m: label_enhanced_prototypes(v, a, m),
        lambda v, a, m: class_means(v, m),
    ):
        spelled_out = build(vectors[rows], alpha[rows, :1], once)
        torch.testing.assert_close(build(vectors[:2], alpha[:2, :1], twice), spelled_out)
        assert not torch.allclose(build(vectors[:2], alpha[:2, :1], twice.clamp_max(1)), spelled_out)


def test_even_importance_gives_the_mean_of_the_shots(vectors: torch.Tensor) -> None:
    even = label_enhanced_prototypes(vectors, torch.full((6, 3), 0.7).double(), MEMBERSHIP)
    torch.testing.assert_close(even, class_means(vectors, MEMBERSHIP))
    for i in range(3):
        np.testing.assert_allclose(even[i].numpy(), vectors[shots_of(i)].numpy().mean(axis=0), rtol=1e-12)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_a_class_without_support_is_the_zero_vector_and_spoils_no_gradient(dtype: torch.dtype) -> None:
    torch.manual_seed(0)
    vectors = torch.randn(2, 4, dtype=dtype, requires_grad=True)
    alpha = torch.randn(2, 2, dtype=dtype, requires_grad=True)
    membership = torch.tensor([[1.0, 0.0], [1.0, 0.0]], dtype=dtype)
    enhanced, means = label_enhanced_prototypes(vectors, alpha, membership), class_means(vectors, membership)
    assert enhanced[1].tolist() == means[1].tolist() == [0.0] * 4
    (of_means,) = torch.autograd.grad(means.square().sum(), vectors)
    of_vectors, of_alpha = torch.autograd.grad(enhanced.square().sum(), (vectors, alpha))
    for gradient in (of_means, of_vectors, of_alpha[:, 0]):
        assert gradient.isfinite().all()
        assert (gradient != 0).all()
    assert of_alpha[:, 1].tolist() == [0.0, 0.0]


def test_a_single_precision_membership_serves_double_precision_vectors(
    vectors: torch.Tensor, alpha: torch.Tensor
) -> None:
    expected = shot_weights(alpha, MEMBERSHIP)
    torch.testing.assert_close(shot_weights(alpha, MEMBERSHIP.float()), expected, rtol=1e-6, atol=1e-9)


def test_gradients_of_prototypes_are_right(vectors: torch.Tensor, alpha: torch.Tensor) -> None:
    inputs = (vectors.requires_grad_(True), alpha.requires_grad_(True))
    assert torch.autograd.gradcheck(lambda v, a: label_enhanced_prototypes(v, a, MEMBERSHIP), inputs)
    assert torch.autograd.gradcheck(lambda v: class_means(v, MEMBERSHIP), inputs[:1])


def test_the_shots_of_a_membership_stand_class_by_class() -> None:
    sentences, classes = shots(torch.tensor([[1.0, 0.0], [0.0, 2.0], [1.0, 1.0], [0.0, 0.0]]))
    assert list(zip(sentences.tolist(), classes.tolist(), strict=True)) == [(0, 0), (2, 0), (1, 1), (1, 1), (2, 1)]


def test_half_a_shot_is_none() -> None:
    with pytest.raises(ValueError, match="integer"):
        shots(torch.tensor([[0.5, 1.0]]))

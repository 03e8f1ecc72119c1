"""The closed-form classifiers."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from fewaspect.modules.ridge import ridge_directions


def examples(N: int = 3, M: int = 6, d: int = 4) -> tuple[torch.Tensor, torch.Tensor]:
    generator = torch.Generator().manual_seed(0)
    carried = torch.arange(M) % max(N, 2) == torch.arange(N)[:, None]
    return torch.randn(N, M, d, generator=generator, dtype=torch.float64), carried


def directions(X: torch.Tensor, carried: torch.Tensor, strength: float) -> torch.Tensor:
    return ridge_directions(X, carried.double(), (~carried).double(), strength)


def test_a_direction_is_the_minimum_of_the_balanced_squared_error() -> None:
    X, carried = examples(N=2, M=7)
    found = directions(X, carried, 0.3).numpy()
    for n in range(2):
        x, y = X[n].numpy(), carried[n].numpy().astype(float)
        c = np.where(y > 0, 7 / (2 * y.sum()), 7 / (2 * (1 - y).sum()))

        def error(w: np.ndarray, x: np.ndarray = x, y: np.ndarray = y, c: np.ndarray = c) -> float:
            return float((c * (x @ w - y) ** 2).sum() + 0.3 * w @ w)

        for step in np.concatenate([np.eye(4), -np.eye(4)]) * 1e-3:
            assert error(found[n] + step) > error(found[n])


def test_separable_examples_are_told_apart() -> None:
    X = torch.eye(4, dtype=torch.float64).expand(2, 4, 4)
    carried = torch.tensor([[True, True, False, False], [False, False, False, True]])
    answers = torch.einsum("nmd,nd->nm", X, directions(X, carried, 0.01))
    torch.testing.assert_close(answers, carried.double(), atol=0.05, rtol=0)


def test_a_class_alone_with_its_examples_has_a_direction() -> None:
    X, _ = examples(N=1, M=3)
    direction = directions(X, torch.ones(1, 3, dtype=torch.bool), 0.5)
    assert direction.isfinite().all()
    assert (X[0] @ direction[0]).mean() > 0.5


@pytest.mark.parametrize("others", [2, 200])
def test_many_others_do_not_drown_the_few_own(others: int) -> None:
    own = torch.tensor([[1.0, 0.0]], dtype=torch.float64)
    X = torch.cat([own, torch.tensor([[0.0, 1.0]], dtype=torch.float64).expand(others, 2)])[None]
    carried = (torch.arange(others + 1) == 0)[None]
    assert float(own[0] @ directions(X, carried, 0.1)[0]) > 0.85


def test_gradients_reach_the_examples() -> None:
    X, carried = examples()
    X.requires_grad_()
    directions(X, carried, 0.3).square().sum().backward()
    assert X.grad is not None
    assert X.grad.isfinite().all()
    assert X.grad.any()


def test_an_example_that_counts_for_neither_side_is_not_there() -> None:
    X, carried = examples(N=1, M=6)
    own, others = carried.double(), (~carried).double()
    others[0, 4] = own[0, 4] = 0.0
    left = [0, 1, 2, 3, 5]
    alone = ridge_directions(X[:, left], own[:, left], others[:, left], 0.3)
    torch.testing.assert_close(ridge_directions(X, own, others, 0.3), alone)


def test_an_example_that_counts_twice_is_there_twice() -> None:
    X, carried = examples(N=2, M=6)
    own, others = carried.double(), (~carried).double()
    twice = [0, 1, 2, 3, 3, 4, 5]
    expected = ridge_directions(X[:, twice], own[:, twice], others[:, twice], 0.3)
    weights = torch.tensor([1.0, 1, 1, 2, 1, 1], dtype=torch.float64)
    torch.testing.assert_close(ridge_directions(X, own * weights, others * weights, 0.3), expected)


def test_more_examples_than_features_make_no_difference_to_the_formula() -> None:
    X, carried = examples(N=2, M=9)
    wide = torch.cat([X, torch.zeros(2, 9, 20, dtype=torch.float64)], dim=2)  # now there are more features
    found, expected = directions(X, carried, 0.3), directions(wide, carried, 0.3)
    torch.testing.assert_close(found, expected[..., :4])

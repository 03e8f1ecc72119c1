"""The closed-form classifiers and their leave-one-out predictions."""

from __future__ import annotations

import numpy as np
import pytest

from fewaspect.detector.ridge import leave_one_out, ridge_direction


def problem(M: int = 6, d: int = 4) -> tuple[np.ndarray, np.ndarray]:
    """Random rows, and which of them are positive."""
    return np.random.default_rng(0).normal(size=(M, d)), np.arange(M) % 3 == 0


def direction(X: np.ndarray, positive: np.ndarray, strength: float) -> np.ndarray:
    return ridge_direction(X, positive.astype(float), (~positive).astype(float), strength)


def test_a_direction_is_the_minimum_of_the_balanced_squared_error() -> None:
    X, positive = problem(M=7)
    y = positive.astype(float)
    c = np.where(y > 0, 7 / (2 * y.sum()), 7 / (2 * (1 - y).sum()))

    def error(w: np.ndarray) -> float:
        return float((c * (X @ w - y) ** 2).sum() + 0.3 * w @ w)

    found = direction(X, positive, 0.3)
    for step in np.concatenate([np.eye(4), -np.eye(4)]) * 1e-3:
        assert error(found + step) > error(found)


@pytest.mark.parametrize("positive", [[True, True, False, False], [False, False, False, True]])
def test_separable_rows_are_told_apart(positive: list[bool]) -> None:
    np.testing.assert_allclose(direction(np.eye(4), np.array(positive), 0.01), positive, atol=0.05)


def test_an_aspect_without_negative_rows_has_a_direction() -> None:
    X, _ = problem(M=3)
    found = direction(X, np.ones(3, dtype=bool), 0.5)
    assert np.isfinite(found).all()
    assert (X @ found).mean() > 0.5


@pytest.mark.parametrize("others", [2, 200])
def test_many_negative_rows_do_not_drown_the_few_positive(others: int) -> None:
    X = np.concatenate([[[1.0, 0.0]], np.tile([[0.0, 1.0]], (others, 1))])
    assert float(X[0] @ direction(X, np.arange(others + 1) == 0, 0.1)) > 0.85


def test_a_row_without_weight_is_not_there() -> None:
    X, positive = problem()
    own, others = positive.astype(float), (~positive).astype(float)
    others[4] = own[4] = 0.0
    left = [0, 1, 2, 3, 5]
    alone = ridge_direction(X[left], own[left], others[left], 0.3)
    np.testing.assert_allclose(ridge_direction(X, own, others, 0.3), alone)


def test_a_row_with_twice_the_weight_is_there_twice() -> None:
    X, positive = problem()
    own, others = positive.astype(float), (~positive).astype(float)
    twice = [0, 1, 2, 3, 3, 4, 5]
    expected = ridge_direction(X[twice], own[twice], others[twice], 0.3)
    weights = np.array([1.0, 1, 1, 2, 1, 1])
    np.testing.assert_allclose(ridge_direction(X, own * weights, others * weights, 0.3), expected)


def test_more_rows_than_features_make_no_difference_to_the_formula() -> None:
    X, positive = problem(M=9)
    wide = np.concatenate([X, np.zeros((9, 20))], axis=1)  # now there are more features
    np.testing.assert_allclose(direction(X, positive, 0.3), direction(wide, positive, 0.3)[:4])


@pytest.mark.parametrize("rows", [5, 30])
def test_the_prediction_without_a_row_is_that_of_a_regression_fitted_without_it(rows: int) -> None:
    width, rng, every = 16, np.random.default_rng(rows), list(range(rows))
    X = rng.normal(size=(rows, width))
    own = (rng.random(rows) < 0.4) * rng.random(rows)
    own[[0, 1, 3]] = 0.7, 0.0, 0.6
    others = np.where(own > 0, 0.0, 1.0)
    own[2] = others[2] = 0.0
    total = own.sum() + others.sum()
    weight = own * total / (2 * own.sum()) + others * total / (2 * others.sum())

    def fitted(left: list[int]) -> np.ndarray:
        A, y = X[left], (own[left] > 0).astype(float)
        return np.linalg.solve((A.T * weight[left]) @ A + 0.3 * np.eye(width), (A.T * weight[left]) @ y)

    np.testing.assert_allclose(ridge_direction(X, own, others, 0.3), fitted(every), atol=1e-9)
    without = leave_one_out(X, own, others, 0.3)
    without_both = leave_one_out(X, own, others, 0.3, coupled_row=3)
    assert np.isnan(without[2]), "it has no weight"
    for row in np.flatnonzero(weight):
        left = [other for other in every if other != row]
        assert without[row] == pytest.approx(X[row] @ fitted(left), abs=1e-8)
        together = [other for other in left if other != 3] if own[row] else left
        if row != 3:
            assert without_both[row] == pytest.approx(X[row] @ fitted(together), abs=1e-8)

"""Ridge regression in closed form: the linear classifier of an aspect, and its leave-one-out predictions."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np


class Problem(NamedTuple):
    """Weighted least squares over M rows, each scaled by the root of its weight."""

    X: np.ndarray  # (M, d)
    y: np.ndarray  # (M,), or (M, N) for several targets
    root: np.ndarray  # (M,)


def ridge_direction(rows: np.ndarray, positive: np.ndarray, negative: np.ndarray, strength: float) -> np.ndarray:
    """(d,) the minimum w of sum_m c_m (w x_m - y_m)^2 + strength |w|^2 over (M, d) rows x.

    `positive` and `negative`, (M,), are the weights of rows with target 1 and 0; both sides get the same total.
    Solved in the space of rows or of features, whichever is smaller.
    """
    X, y, _ = balanced_problem(rows, positive, negative)
    if X.shape[0] > X.shape[1]:
        return np.linalg.solve(regularized(X.T @ X, strength), X.T @ y)
    return X.T @ np.linalg.solve(regularized(X @ X.T, strength), y)


def linear_head(rows: np.ndarray, labels: np.ndarray, strength: float) -> np.ndarray:
    """(N, d) directions of one regression for all aspects, of (M, d) rows on (M, N) labels; means are left out."""
    if not len(rows):
        return np.zeros((labels.shape[1], rows.shape[1]), dtype=rows.dtype)
    y = labels - labels.mean(axis=0)
    if rows.shape[0] > rows.shape[1]:
        return np.linalg.solve(regularized(rows.T @ rows, strength), rows.T @ y).T
    return (rows.T @ np.linalg.solve(regularized(rows @ rows.T, strength), y)).T


def linear_head_left_out(
    rows: np.ndarray, labels: np.ndarray, strength: float, asked: np.ndarray | slice = slice(None)
) -> np.ndarray:
    """(M, N) the prediction for each row, or for those that are `asked` for, by a regression without it (PRESS, as
    below)."""
    y = labels - labels.mean(axis=0)
    if rows.shape[0] <= rows.shape[1]:
        residuals, R = residuals_and_operator(Problem(rows, y, np.ones(len(rows))), strength)
        return (y - residuals / np.diagonal(R)[:, None])[asked]
    own = rows[asked]
    wanted = np.concatenate([own.T, rows.T @ y], axis=1)  # of R only the diagonal is needed
    solved = np.linalg.solve(regularized(rows.T @ rows, strength), wanted)  # (d, asked + N)
    residuals = y[asked] - own @ solved[:, len(own) :]
    diagonal = 1 - np.einsum("md,dm->m", own, solved[:, : len(own)])
    return y[asked] - residuals / np.maximum(diagonal, 1e-6)[:, None]


def leave_one_out(
    rows: np.ndarray, positive: np.ndarray, negative: np.ndarray, strength: float, coupled_row: int | None = None
) -> np.ndarray:
    """(M,) the prediction for each row by a regression without it, other weights unchanged; nan without weight.

    With R = I - X (X'X + strength I)^-1 X' and residuals r = R y, the error of a row that is left out is r_i / R_ii
    (PRESS; Allen, Technometrics 1974). `coupled_row` is one that is made of the positive ones: it is left out together
    with each of them, where the errors of both are the 2 x 2 block of R solved for their residuals (Cook & Weisberg,
    Residuals and Influence in Regression, 1982).
    """
    problem = balanced_problem(rows, positive, negative)
    residuals, R = residuals_and_operator(problem, strength)
    diagonal = np.diagonal(R)
    errors = residuals / diagonal
    if coupled_row is not None:
        shared, own = R[coupled_row], diagonal[coupled_row]
        determinant = np.maximum(diagonal * own - shared**2, 1e-12)
        errors = np.where(positive > 0, (own * residuals - shared * residuals[coupled_row]) / determinant, errors)
    return np.where(problem.root > 0, (problem.y - errors) / np.maximum(problem.root, 1e-12), np.nan)


def balanced_problem(rows: np.ndarray, positive: np.ndarray, negative: np.ndarray) -> Problem:
    """Weights scaled so that positive and negative rows have the same total, however few there are of either."""
    total = positive.sum() + negative.sum()
    sides = [side * (total / (2 * max(side.sum(), 1e-9))) for side in (positive, negative)]
    root = np.sqrt(sides[0] + sides[1])
    return Problem(root[:, None] * rows, np.where(positive > 0, root, 0.0), root)


def residuals_and_operator(problem: Problem, strength: float) -> tuple[np.ndarray, np.ndarray]:
    """Residuals R y, in the shape of y, and (M, M) R, up to the same factor."""
    X, y, _ = problem
    if X.shape[0] <= X.shape[1]:
        R = np.linalg.inv(regularized(X @ X.T, strength))
    else:
        R = np.eye(len(X), dtype=X.dtype) - X @ np.linalg.solve(regularized(X.T @ X, strength), X.T)
        np.fill_diagonal(R, np.maximum(np.diagonal(R), 1e-6))
    return R @ y, R


def regularized(gram: np.ndarray, strength: float) -> np.ndarray:
    """`strength` added to the diagonal, in place."""
    gram.flat[:: len(gram) + 1] += strength
    return gram

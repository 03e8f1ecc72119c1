"""Thresholds per aspect from cross-validation on the examples alone: the best F1 out of fold."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

FOLDS = 5
DEFAULT = 0.5


def spread_folds(rows: np.ndarray, folds: int = FOLDS) -> np.ndarray:
    """(S,) the fold of each example of the 0/1 matrix (S, N): each aspect is spread as evenly as possible.

    The examples of the rarest aspect come first, each goes to the fold that has the fewest of this aspect, then the
    fewest examples (iterative stratification, Sechidis, Tsoumakas & Vlahavas 2011, without its random choices).
    """
    fold = np.full(len(rows), -1)
    for aspect in [*np.argsort(rows.sum(axis=0), kind="stable"), None]:
        for example in np.flatnonzero((fold < 0) & (rows[:, aspect] > 0 if aspect is not None else True)):
            sizes = np.bincount(fold[fold >= 0], minlength=folds)
            own = sizes if aspect is None else np.bincount(fold[(fold >= 0) & (rows[:, aspect] > 0)], minlength=folds)
            fold[example] = np.lexsort((sizes, own))[0]
    return fold


def out_of_fold(classifier: Any, vectors: np.ndarray, rows: np.ndarray, fold: np.ndarray) -> np.ndarray:
    """(S, N) probabilities of each example from the classifier fitted to the other folds."""
    from sklearn.base import clone

    probabilities = np.zeros(rows.shape)
    for held_out in np.unique(fold):
        inside = fold != held_out
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # an aspect that lies in one fold alone: it keeps the default
            fitted = clone(classifier).fit(vectors[inside], rows[inside])
        probabilities[~inside] = fitted.predict_proba(vectors[~inside])
    return probabilities


def best_threshold(probabilities: np.ndarray, truth: np.ndarray) -> float:
    """The threshold with the best F1, of equally good ones the nearest to 0.5.

    Tried are the lowest probability, which answers always, and the middle between each and the next.
    """
    levels = np.unique(probabilities)
    tried = np.concatenate((levels[:1], (levels[:-1] + levels[1:]) / 2))
    decided = probabilities >= tried[:, None]  # (thresholds, S)
    f1 = 2 * (decided & truth).sum(axis=1) / (decided.sum(axis=1) + truth.sum())
    best = tried[np.isclose(f1, f1.max())]
    return float(best[np.argmin(np.abs(best - DEFAULT))])


def tuned_thresholds(classifier: Any, vectors: np.ndarray, rows: np.ndarray) -> np.ndarray:
    """(N,) one threshold per aspect; 0.5 for an aspect with fewer than two examples, or all of them in one fold."""
    fold = spread_folds(rows)
    apart = [len(np.unique(fold[column > 0])) > 1 for column in rows.T]
    if not any(apart):
        return np.full(rows.shape[1], DEFAULT)
    probabilities = out_of_fold(classifier, vectors, rows, fold)
    return np.array(
        [
            best_threshold(own, column > 0) if tunable else DEFAULT
            for own, column, tunable in zip(probabilities.T, rows.T, apart, strict=True)
        ]
    )

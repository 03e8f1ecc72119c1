"""Thresholds of the tuned systems, against hand-made examples."""

from __future__ import annotations

import numpy as np
import pytest

from tuning import best_threshold, spread_folds, tuned_thresholds


class Column:
    """Stands for a fitted classifier: the vectors are the probabilities."""

    def get_params(self, deep: bool = True) -> dict[str, object]:
        return {}

    def fit(self, vectors: np.ndarray, rows: np.ndarray) -> Column:
        return self

    def predict_proba(self, vectors: np.ndarray) -> np.ndarray:
        return vectors


def test_the_threshold_is_the_one_with_the_best_f1() -> None:
    """F1 at 0.1, 0.2, 0.35, 0.6 and 0.85: 4/7, 4/6, 4/5, 2/4 and 2/3."""
    probabilities = np.array([0.9, 0.8, 0.4, 0.3, 0.1])
    truth = np.array([True, False, True, False, False])
    assert best_threshold(probabilities, truth) == pytest.approx(0.35)
    assert best_threshold(probabilities, np.array([True, True, False, False, False])) == pytest.approx(0.6)


def test_of_equal_thresholds_the_nearest_to_a_half_is_taken() -> None:
    """F1 at 0.1, 0.15, 0.3 and 0.55: 4/6, 2/5, 2/4 and 2/3."""
    probabilities, truth = np.array([0.7, 0.4, 0.2, 0.1]), np.array([True, False, False, True])
    assert best_threshold(probabilities, truth) == pytest.approx(0.55)


def test_every_fold_has_its_share_of_every_aspect() -> None:
    rows = np.zeros((30, 3), dtype=int)
    rows[:20, 0], rows[15:30, 1], rows[[3, 17], 2] = 1, 1, 1
    fold = spread_folds(rows)
    assert set(fold) == set(range(5))
    assert len(set(fold[[3, 17]])) == 2
    for aspect in (0, 1):
        counts = np.bincount(fold[rows[:, aspect] > 0], minlength=5)
        assert counts.max() - counts.min() <= 2


def test_an_example_is_not_tuned_on_by_a_classifier_that_saw_it() -> None:
    seen: list[set[int]] = []

    class Watched(Column):
        def fit(self, vectors: np.ndarray, rows: np.ndarray) -> Column:
            self.inside = set(vectors[:, 0])
            return self

        def predict_proba(self, vectors: np.ndarray) -> np.ndarray:
            assert not self.inside & set(vectors[:, 0])
            seen.append(set(vectors[:, 0]))
            return vectors

    vectors = np.linspace(0.1, 0.9, 10)[:, None]
    tuned_thresholds(Watched(), vectors, np.ones((10, 1), dtype=int))
    assert set.union(*seen) == set(vectors[:, 0])


def test_an_aspect_with_one_example_keeps_a_half() -> None:
    probabilities = np.array([[0.9, 0.9], [0.8, 0.2], [0.3, 0.1], [0.2, 0.1]])
    rows = np.array([[1, 0], [1, 1], [1, 0], [0, 0]])
    assert tuned_thresholds(Column(), probabilities, rows).tolist() == pytest.approx([0.25, 0.5])
    assert tuned_thresholds(Column(), probabilities[:2], np.eye(2, dtype=int)).tolist() == [0.5, 0.5]

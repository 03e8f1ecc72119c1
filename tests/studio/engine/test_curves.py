"""Precision-recall curves are those of scikit-learn."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import precision_recall_curve as of_sklearn

from fewaspect.studio.engine.curves import POINTS, curve_points, precision_recall_curve

LABELLED = st.lists(st.tuples(st.booleans(), st.sampled_from([0.0, 0.1, 0.25, 0.5, 0.9, 1.0])), min_size=1)


@given(LABELLED.filter(lambda labelled: any(positive for positive, _ in labelled)))
def test_the_curve_is_that_of_scikit_learn(labelled: list[tuple[bool, float]]) -> None:
    truth, probabilities = (np.array(column) for column in zip(*labelled, strict=True))
    precision, recall, thresholds = of_sklearn(truth, probabilities)
    found = precision_recall_curve(truth, probabilities)
    for own, expected in zip(found, (precision[:-1], recall[:-1], thresholds), strict=True):
        assert own == pytest.approx(expected, abs=1e-12)


def test_a_long_curve_is_thinned_and_keeps_its_ends() -> None:
    rng = np.random.default_rng(0)
    probabilities, truth = rng.random(5000), rng.random(5000) < 0.3
    points = curve_points(probabilities, truth)
    assert len(points) == POINTS
    assert points[0] == {"threshold": probabilities.min(), "precision": truth.mean(), "recall": 1.0}
    assert points[-1]["threshold"] == probabilities.max()


def test_without_a_positive_there_is_no_curve() -> None:
    assert curve_points(np.array([0.1, 0.9]), np.array([False, False])) == []

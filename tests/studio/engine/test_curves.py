"""The table, the curve and its slider say the same of the same threshold."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import precision_recall_curve

from fewaspect.studio.engine.curves import POINTS, STEPS, at_threshold, curve_points, list_mistakes

LABELLED = st.lists(st.tuples(st.booleans(), st.sampled_from([0.05, 0.1, 0.25, 0.5, 0.9, 1.0])), min_size=1)


@given(LABELLED.filter(lambda labelled: any(positive for positive, _ in labelled)))
def test_the_curve_is_that_of_scikit_learn(labelled: list[tuple[bool, float]]) -> None:
    truth, probabilities = (np.array(column) for column in zip(*labelled, strict=True))
    precision, recall, thresholds = precision_recall_curve(truth, probabilities)
    found = {point["threshold"]: point for point in curve_points(probabilities, truth, 0.4)}
    for p, r, threshold in zip(precision[:-1], recall[:-1], thresholds, strict=True):
        assert found[threshold]["precision"] == pytest.approx(p)
        assert found[threshold]["recall"] == pytest.approx(r)


def test_every_threshold_of_the_slider_and_the_one_in_use_are_exact_however_many_texts() -> None:
    rng = np.random.default_rng(0)
    probabilities, truth, in_use = rng.random(5000), rng.random(5000) < 0.3, 0.4321
    points = {point["threshold"]: point for point in curve_points(probabilities, truth, in_use)}
    assert len(points) <= POINTS + len(STEPS) + 1
    for threshold in [*STEPS.tolist(), in_use]:
        _, metrics = at_threshold(probabilities, truth, threshold)
        assert points[threshold] == {key: metrics.get(key, threshold) for key in ("threshold", "precision", "recall")}


def test_without_a_positive_there_is_no_curve() -> None:
    assert curve_points(np.array([0.1, 0.9]), np.array([False, False]), 0.5) == []


def test_where_nothing_is_found_there_is_no_precision() -> None:
    counts, metrics = at_threshold(np.array([0.1, 0.2]), np.array([True, False]), 0.5)
    assert counts == {"tp": 0, "fp": 0, "fn": 1, "tn": 1}
    assert metrics == {"precision": None, "recall": 0.0, "f1": 0.0}


def test_mistakes_are_listed_with_what_was_wrong_and_what_was_missed() -> None:
    decided = np.array([[True, False], [True, False], [False, False]])
    truth = np.array([[True, False], [False, True], [False, False]])
    assert list_mistakes([7, 9], ["a", "b", "c"], decided, truth) == [{"text": "b", "wrong": [7], "missed": [9]}]

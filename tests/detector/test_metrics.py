"""The numbers of `evaluate`."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.metrics import average_precision_score, f1_score

from fewaspect.detector.metrics import calibration_error, f1_with_unknown, measure

RNG = np.random.default_rng(0)
P = RNG.random((40, 3))
TRUTH = RNG.random((40, 3)) < 0.3


def test_the_numbers_are_those_of_scikit_learn() -> None:
    decided = P > 0.6
    found = measure(["a", "b", "c"], P, decided, TRUTH, {})
    assert found["macro_f1"] == pytest.approx(f1_score(TRUTH, decided, average="macro"))
    assert found["micro_f1"] == pytest.approx(f1_score(TRUTH, decided, average="micro"))
    assert found["mean_average_precision"] == pytest.approx(average_precision_score(TRUTH, P, average="macro"))
    assert found["aspects"]["b"]["f1"] == pytest.approx(f1_score(TRUTH[:, 1], decided[:, 1]))
    empty = ~TRUTH.any(axis=1)
    assert found["empty_accuracy"] == pytest.approx(np.mean([not row.any() for row in decided[empty]]))


def test_the_calibration_error_is_the_gap_between_what_is_said_and_what_is_true() -> None:
    p = np.array([[0.15], [0.15], [0.85], [0.85]])
    truth = np.array([[False], [True], [True], [True]])
    assert calibration_error(p, truth) == pytest.approx((2 * 0.35 + 2 * 0.15) / 4)
    assert calibration_error(np.array([[1.0]]), np.array([[True]])) == 0.0
    assert calibration_error(np.zeros((0, 2)), np.zeros((0, 2), dtype=bool)) is None


def test_what_is_not_defined_is_none() -> None:
    found = measure(["a"], np.zeros((0, 1)), np.zeros((0, 1), bool), np.zeros((0, 1), bool), {})
    assert found["macro_f1"] is None
    assert found["empty_accuracy"] is None
    assert found["aspects"]["a"]["recall"] is None


def test_an_aspect_without_labelled_texts_does_not_count_in_macro_f1() -> None:
    truth, decided = TRUTH.copy(), P > 0.6
    truth[:, 2] = False
    found = measure(["a", "b", "c"], P, decided, truth, {})
    assert found["macro_f1"] == pytest.approx(f1_score(truth[:, :2], decided[:, :2], average="macro"))
    assert found["without_texts"] == ["c"]


def test_an_aspect_that_is_not_known_counts_as_missed_in_the_score() -> None:
    right = np.array([[True], [False]])
    assert f1_with_unknown(right, right, {}) == 1.0
    assert f1_with_unknown(right, right, {"b": np.array([False, True])}) == pytest.approx(2 / 3)
    assert f1_with_unknown(~right & right, ~right & right, {}) == 1.0

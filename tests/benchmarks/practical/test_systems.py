"""How the systems of the practical comparison are measured."""

from __future__ import annotations

import numpy as np
import pytest

from systems import quality, softmax, unit


def test_the_empty_accuracy_is_left_out_where_few_sentences_are_empty() -> None:
    truth = np.zeros((30, 2), dtype=bool)
    truth[20:, 0] = True
    decided = truth.copy()
    decided[:5, 1] = True
    assert quality(truth.astype(float), decided, truth)["empty_accuracy"] == 0.75
    assert quality(truth[5:].astype(float), decided[5:], truth[5:])["empty_accuracy"] is None


def test_calibration_is_measured_in_fifteen_bins() -> None:
    truth = np.array([[True], [False]])
    together, apart = np.array([[0.61], [0.66]]), np.array([[0.61], [0.69]])  # of ten bins, both in one
    assert quality(together, together > 0.5, truth)["calibration_error"] == pytest.approx(0.27 / 2)
    assert quality(apart, apart > 0.5, truth)["calibration_error"] == pytest.approx((0.39 + 0.69) / 2)


def test_prototypes_answer_with_a_distribution_over_aspects() -> None:
    np.testing.assert_allclose(unit(np.array([[3.0, 4.0]])), [[0.6, 0.8]])
    np.testing.assert_allclose(softmax(np.array([[0.0, np.log(3.0)]])), [[0.25, 0.75]])

"""Measures of polarity by hand."""

from __future__ import annotations

import numpy as np
import pytest

from fewaspect.core.polarity_metrics import measure_polarity

NEGATIVE, NEUTRAL, POSITIVE, MIXED = range(4)


def test_measures_are_those_computed_by_hand() -> None:
    p = np.array([[0.8, 0.1, 0.1], [0.6, 0.1, 0.3], [0.1, 0.8, 0.1], [0.2, 0.2, 0.6], [0.5, 0.0, 0.5]])
    truth, sentences = [NEGATIVE, POSITIVE, NEUTRAL, POSITIVE, MIXED], [0, 0, 1, 2, 3]
    found = measure_polarity(p, truth, sentences)
    assert found["pairs"] == 4
    assert found["contrast_pairs"] == 2
    assert found["accuracy"] == pytest.approx(2 / 3)
    assert found["contrast_accuracy"] == pytest.approx(1 / 2)
    assert found["macro_f1"] == pytest.approx((2 / 3 + 1 + 2 / 3) / 3)
    assert found["calibration_error"] == pytest.approx(0.5 * 0.2 + 0.5 * 0.1)


def test_what_cannot_be_measured_is_none() -> None:
    found = measure_polarity(np.array([[0.1, 0.8, 0.1]]), [NEUTRAL], [0])
    assert found["accuracy"] is None
    assert found["contrast_accuracy"] is None

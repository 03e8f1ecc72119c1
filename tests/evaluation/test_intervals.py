"""Intervals: scipy.stats and simulation are the independent references."""

from __future__ import annotations

import json
import math
from random import Random
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy import stats

from fewaspect.evaluation.intervals import Interval, mean_interval

pytestmark = pytest.mark.filterwarnings("error::RuntimeWarning")  # what is not defined is no cause for a warning

NUMBERS = st.floats(0, 1, allow_subnormal=False)
few = settings(max_examples=50, deadline=None)


@few
@given(values=hnp.arrays(np.float64, st.integers(2, 50), elements=NUMBERS), confidence=st.floats(0.5, 0.999))
def test_the_interval_is_students_t_over_the_values(values: np.ndarray, confidence: float) -> None:
    found = mean_interval(values, confidence)
    reach = stats.t.ppf((1 + confidence) / 2, len(values) - 1) * stats.sem(values)
    assert found.mean == pytest.approx(values.mean(), abs=1e-12)
    assert found.half_width == pytest.approx(reach, rel=1e-7, abs=1e-12)
    assert found.low == pytest.approx(values.mean() - reach, abs=1e-9)
    assert found.high == pytest.approx(values.mean() + reach, abs=1e-9)
    assert (found.count, found.left_out) == (len(values), 0)


@pytest.mark.parametrize("confidence", [0.8, 0.95])
def test_intervals_of_few_values_cover_the_true_mean_as_often_as_they_say(confidence: float) -> None:
    samples = np.random.default_rng(7).normal(0.8, 0.1, size=(6000, 5))
    covered = 0
    for sample in samples:
        found = mean_interval(sample, confidence)
        covered += found.low <= 0.8 <= found.high
    assert covered / len(samples) == pytest.approx(confidence, abs=0.012)


@few
@given(
    values=st.lists(NUMBERS, min_size=1, max_size=20),
    holes=st.integers(0, 5),
    random=st.randoms(use_true_random=False),
)
def test_values_that_are_not_defined_are_left_out_and_counted(values: list[float], holes: int, random: Random) -> None:
    mixed = values + [math.nan] * holes
    random.shuffle(mixed)
    plain, found = mean_interval(values), mean_interval(mixed)
    assert found.left_out == holes
    assert found.count == len(values)
    assert found.mean == pytest.approx(plain.mean, abs=1e-12)
    assert found.half_width == pytest.approx(plain.half_width, abs=1e-12, nan_ok=True)


def test_one_value_has_a_mean_but_no_width() -> None:
    found = mean_interval([0.25])
    assert found.mean == 0.25
    assert found.count == 1
    assert found.as_dict() == {
        "mean": 0.25,
        "low": None,
        "high": None,
        "half_width": None,
        "count": 1,
        "left_out": 0,
    }


def test_values_that_are_all_undefined_give_no_mean_and_say_how_many_they_were() -> None:
    found = mean_interval([math.nan, math.nan])
    assert found.as_dict() == {
        "mean": None,
        "low": None,
        "high": None,
        "half_width": None,
        "count": 0,
        "left_out": 2,
    }


@few
@given(values=st.lists(NUMBERS | st.just(math.nan), min_size=1, max_size=6))
def test_an_interval_survives_strict_json(values: list[float]) -> None:
    found = mean_interval(values).to_percent().as_dict()
    assert json.loads(json.dumps(found, allow_nan=False)) == found


def test_percent_scales_the_numbers_and_keeps_the_counts() -> None:
    assert Interval(0.5, 0.25, 0.75, 0.25, 9, 2).to_percent() == Interval(50.0, 25.0, 75.0, 25.0, 9, 2)


@pytest.mark.parametrize("values", [[], np.empty(0), np.zeros((2, 2)), 0.5])
def test_an_interval_of_no_list_of_values_is_refused(values: Any) -> None:
    with pytest.raises(ValueError, match="at least one value, found shape"):
        mean_interval(values)


def test_an_infinite_value_is_refused() -> None:
    with pytest.raises(ValueError, match="finite values, found -inf"):
        mean_interval([0.1, -math.inf])


@pytest.mark.parametrize("confidence", [0.0, 1.0, 95, -0.1, math.nan])
def test_a_confidence_outside_0_and_1_is_refused(confidence: float) -> None:
    with pytest.raises(ValueError, match="confidence must lie between 0 and 1"):
        mean_interval([0.1, 0.2], confidence)

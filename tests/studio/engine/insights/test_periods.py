"""Days, weeks, months, quarters and years of reviews."""

from __future__ import annotations

from datetime import date, timedelta
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fewaspect.studio.engine.insights.periods import UNITS, split_into_periods


def days(*texts: str) -> np.ndarray:
    found = np.array([text or "NaT" for text in texts], dtype="datetime64[D]")
    return np.where(np.isnat(found), np.nan, found.astype(np.int64).astype(float))


@pytest.mark.parametrize(
    ("last", "unit", "labels"),
    [
        ("2024-01-03", "day", ["2024-01-01", "2024-01-03"]),
        ("2024-03-03", "week", ["week of 2024-01-01", "week of 2024-02-26"]),
        ("2025-02-01", "month", ["2024-01", "2025-02"]),
        ("2029-12-31", "quarter", ["2024 Q1", "2029 Q4"]),
        ("2044-01-01", "year", ["2024", "2044"]),
    ],
)
def test_the_unit_suits_the_span(last: str, unit: str, labels: list[str]) -> None:
    used, periods, own = split_into_periods(days("2024-01-01", last, ""))
    assert (used, [periods[0].label, periods[-1].label]) == (unit, labels)
    assert own.tolist() == [0, len(periods) - 1, -1]


@given(st.lists(st.dates(date(1960, 1, 1), date(2060, 1, 1)), min_size=1, max_size=30), st.sampled_from(UNITS))
def test_periods_follow_each_other_and_each_day_is_in_its_own(when: list[date], unit: str) -> None:
    used, periods, own = split_into_periods(days(*map(str, when)), unit)
    assert UNITS.index(used) >= UNITS.index(unit)
    assert len(periods) <= 400
    for before, after in pairwise(periods):
        assert date.fromisoformat(before.last) + timedelta(1) == date.fromisoformat(after.first)
    for day, number in zip(when, own, strict=True):
        assert periods[number].first <= str(day) <= periods[number].last
    assert used != "week" or date.fromisoformat(periods[0].first).weekday() == 0


def test_without_dates_there_are_no_periods() -> None:
    assert split_into_periods(days("", ""))[1] == []

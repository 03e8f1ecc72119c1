"""Days, weeks, months, quarters and years: which of them suit a span, where each begins and ends."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

UNITS = ("day", "week", "month", "quarter", "year")
_LONGEST = {"day": 31, "week": 26 * 7, "month": 3 * 366, "quarter": 10 * 366}  # days of a span that the unit suits
_MOST = 400  # periods; of more, the next longer unit is taken
_WEEK = 3  # 1970-01-01 was a Thursday, weeks begin on Monday


@dataclass(frozen=True)
class Period:
    """Both days belong to it."""

    label: str
    first: str
    last: str

    @property
    def days(self) -> str:
        return f"{self.first}..{self.last}"


def split_into_periods(days: np.ndarray, unit: str | None = None) -> tuple[str, list[Period], np.ndarray]:
    """The unit in use, its periods from the first to the last of the days (R,), and the period (R,) of each.

    Days count from 1970; nan is in no period: -1. Without a unit, one is chosen by the span.
    """
    there = np.isfinite(days)
    if not there.any():
        return unit or "day", [], np.full(len(days), -1)
    known = days[there].astype(np.int64)
    span = int(known.max() - known.min())
    if unit is None:
        unit = next((one for one, longest in _LONGEST.items() if span <= longest), "year")
    while unit != "year" and np.ptp(_numbers(known, unit)) >= _MOST:
        unit = UNITS[UNITS.index(unit) + 1]
    numbers = _numbers(known, unit)
    first, last = int(numbers.min()), int(numbers.max())
    own = np.full(len(days), -1)
    own[there] = numbers - first
    begins = [_first_day(number, unit) for number in range(first, last + 2)]
    return unit, [_period(*ends, unit) for ends in pairwise(begins)], own


def _numbers(days: np.ndarray, unit: str) -> np.ndarray:
    """Which period of its unit each day is in, counted from 1970."""
    if unit in ("day", "week"):
        return days if unit == "day" else (days + _WEEK) // 7
    months = days.astype("datetime64[D]").astype("datetime64[M]").astype(np.int64)
    return months // {"month": 1, "quarter": 3, "year": 12}[unit]


def _first_day(number: int, unit: str) -> int:
    if unit in ("day", "week"):
        return number if unit == "day" else 7 * number - _WEEK
    month = np.datetime64(number * {"month": 1, "quarter": 3, "year": 12}[unit], "M")
    return int(month.astype("datetime64[D]").astype(np.int64))


def _period(begin: int, end: int, unit: str) -> Period:
    first, last = str(np.datetime64(begin, "D")), str(np.datetime64(end - 1, "D"))
    quarter = f"{first[:4]} Q{int(first[5:7]) // 3 + 1}"
    labels = {"day": first, "week": f"week of {first}", "month": first[:7], "quarter": quarter, "year": first[:4]}
    return Period(labels[unit], first, last)

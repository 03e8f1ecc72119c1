"""Dates of reviews, however a file writes them, as 2024-03-31."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import date, datetime, timezone
from typing import Any, Literal

DateOrder = Literal["day_first", "month_first"]
ISO = "%Y-%m-%d"
FORMATS = (
    ISO, "%Y/%m/%d", "%Y.%m.%d", "%d.%m.%Y", "%m/%d/%Y", "%d/%m/%Y", "%d-%m-%Y", "%m/%d/%y", "%d/%m/%y",
    "%d.%m.%y", "%B %d, %Y", "%b %d, %Y", "%d %B %Y", "%d %b %Y", "%B %Y", "%b %Y", "%Y-%m", "%Y%m%d",
)  # fmt: skip
# Spaces are looked at from their first on, else a row of them would be searched again from each.
_TIME = re.compile(r"(?<![ T,])[ T,]+\d{1,2}:\d{2}.*$")
_DIGITS = 4  # that a date has at least; to try all formats on a text takes long
_LONGEST = 100  # characters of a date, with all that may stand around it
_SECONDS = range(10**8, 5 * 10**9)  # 1973 to 2128
_JUDGED = 1000  # values by which the format is chosen


_ORDERS: dict[str, tuple[str, DateOrder]] = {
    "%m/%d/%Y": ("%d/%m/%Y", "month_first"), "%d/%m/%Y": ("%m/%d/%Y", "day_first"),
    "%m/%d/%y": ("%d/%m/%y", "month_first"), "%d/%m/%y": ("%m/%d/%y", "day_first"),
}  # fmt: skip


def read_dates(values: Sequence[Any], order: DateOrder | None = None) -> list[str | None]:
    """As 2024-03-31, all others by the format that reads most of them, so that 03/04 is not March here and April there.

    Where the order of day and month cannot be told, it is the one that is said, else the month stands first.
    """
    days = [_read(value, ISO) for value in values]
    others = [None if day else value for value, day in zip(values, days, strict=True)]
    best, taken = _format_of(others), undecided_order(others)
    if order and taken and order != taken:
        best, _ = _ORDERS[best]
    return [day or _read(value, best) for value, day in zip(others, days, strict=True)]


def undecided_order(values: Sequence[Any]) -> DateOrder | None:
    """The order that is taken, where the dates could as well be read in the other one; else None."""
    others = [value for value in values if _read(value, ISO) is None]
    if (best := _format_of(others)) not in _ORDERS:
        return None
    other, taken = _ORDERS[best]
    return taken if _readable(others, best) == _readable(others, other) > 0 else None


def _format_of(values: Sequence[Any]) -> str:
    return max(FORMATS, key=lambda form: _readable(values, form))


def _readable(values: Sequence[Any], form: str) -> int:
    some = [value for value in values if value not in (None, "")][:_JUDGED]
    return sum(_read(value, form) is not None for value in some)


def are_dates(values: Sequence[Any]) -> bool:
    """Whether nearly all of those that are there can be read."""
    some = [value for value in values if value not in (None, "")]
    return bool(some) and sum(found is not None for found in read_dates(some)) >= 0.8 * len(some)


def _read(value: Any, form: str) -> str | None:
    if isinstance(value, date):  # a datetime is one too
        return value.isoformat()[:10]
    if isinstance(value, int | float) and not isinstance(value, bool):
        return _from_seconds(value)
    if not isinstance(value, str) or len(value) > _LONGEST or sum(map(str.isdigit, value)) < _DIGITS:
        return None
    try:
        found = datetime.strptime(_TIME.sub("", value.strip()), form)
    except ValueError:
        return None
    return found.date().isoformat() if 1900 <= found.year <= 2200 else None


def _from_seconds(value: float) -> str | None:
    """Of an epoch in seconds or milliseconds."""
    if not abs(value) < 1e13:  # or no number at all
        return None
    for seconds in (value, value / 1000):
        if int(seconds) in _SECONDS:
            return datetime.fromtimestamp(seconds, timezone.utc).date().isoformat()
    return None

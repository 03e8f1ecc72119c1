"""Dates are read however a file writes them, all of a column alike."""

from __future__ import annotations

from datetime import date, datetime

import pytest

from fewaspect.studio.importing.dates import are_dates, read_dates


@pytest.mark.parametrize(
    "value",
    [
        "2024-03-31", "2024-03-31T12:30:00Z", "2024-03-31 12:30", "2024/03/31", "31.03.2024", "03/31/2024",
        "31/03/2024", "March 31, 2024", "31 Mar 2024", date(2024, 3, 31), datetime(2024, 3, 31, 12), 1711886400,
        1711886400000,
    ],
)  # fmt: skip
def test_a_date_is_read(value: object) -> None:
    assert read_dates([value]) == ["2024-03-31"]


def test_one_format_for_the_whole_column() -> None:
    assert read_dates(["03/04/2024", "25/12/2024", "01/02/2024"]) == ["2024-04-03", "2024-12-25", "2024-02-01"]


def test_what_is_no_date_is_none() -> None:
    assert read_dates(["2024-03-31", "soon", "", None, True, "2024-13-31"]) == ["2024-03-31", *[None] * 5]


def test_stars_and_words_are_no_dates() -> None:
    assert not are_dates(["4", "5", "1"])
    assert not are_dates([4, 5.0, float("nan"), float("inf")])
    assert not are_dates(["nice", "bad"])
    assert not are_dates([])
    assert are_dates(["2024-03-31", "", None, "2024-04-01"])

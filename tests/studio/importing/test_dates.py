"""Dates are read however a file writes them, all of a column alike."""

from __future__ import annotations

import re
import time
from datetime import date, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fewaspect.studio.importing.dates import FORMATS, are_dates, read_dates, undecided_order

TIME = r"[ T,]{0,4}(\d{1,2}:\d{2}[Z ,T:.\n\d+]{0,9})?"
DATED = st.builds(
    lambda day, form, before, behind: before + day.strftime(form) + behind,
    st.dates(date(1850, 1, 1), date(2250, 1, 1)), st.sampled_from(FORMATS), st.sampled_from(["", " \t", "on "]),
    st.from_regex(TIME, fullmatch=True),
)  # fmt: skip


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


def test_the_order_of_day_and_month_is_as_said_only_where_it_cannot_be_told() -> None:
    unclear, day_first = ["03/04/2025", "11/12/2025 10:00", ""], ["03/04/2025", "25/12/2025"]
    assert (undecided_order(unclear), undecided_order(["03/04/25"])) == ("month_first", "month_first")
    assert read_dates(unclear) == ["2025-03-04", "2025-11-12", None]
    assert read_dates(unclear, "month_first") == ["2025-03-04", "2025-11-12", None]
    assert read_dates(unclear, "day_first") == ["2025-04-03", "2025-12-11", None]
    assert read_dates(["03/04/25"], "day_first") == ["2025-04-03"]
    for clear in (day_first, ["2025-04-03"], ["3 April 2025"], [date(2025, 4, 3)], [1743638400], ["", None]):
        assert undecided_order(clear) is None
        assert read_dates(clear, "month_first") == read_dates(clear)


def test_dates_of_two_files_are_read_though_one_has_the_year_first() -> None:
    mixed = ["2025-05-01", "2025-05-02 10:00", "2025-05-03", "03/04/2025", "05/04/2025"]
    assert undecided_order(mixed) == "month_first"
    assert read_dates(mixed, "day_first") == ["2025-05-01", "2025-05-02", "2025-05-03", "2025-04-03", "2025-04-05"]
    assert read_dates([*mixed, "25/04/2025"])[3:] == ["2025-04-03", "2025-04-05", "2025-04-25"]
    assert are_dates(mixed)


def test_what_is_no_date_is_none() -> None:
    assert read_dates(["2024-03-31", "soon", "", None, True, "2024-13-31"]) == ["2024-03-31", *[None] * 5]


def spelled_out(text: str) -> str | None:
    """The first format that reads it, without the time of day behind it."""
    for form in FORMATS:
        try:
            found = datetime.strptime(re.sub(r"[ T,]+\d{1,2}:\d{2}.*$", "", text.strip()), form)
        except ValueError:
            continue
        if 1900 <= found.year <= 2200:
            return found.date().isoformat()
    return None


@given(DATED | st.text(" T,:/.-\n0123456789Mayrch", max_size=30))
def test_a_time_of_day_is_left_out_however_it_is_set_off(text: str) -> None:
    assert read_dates([text]) == [spelled_out(text)]


@pytest.mark.parametrize("part", [" ", "T,", " 1:00\n"])
def test_a_long_value_is_no_date_and_soon_found_to_be_none(part: str) -> None:
    value = "2024-03-31" + part * (5000 // len(part)) + "x"
    started = time.thread_time()
    assert read_dates([value]) == [None]
    assert time.thread_time() - started < 1


def test_stars_and_words_are_no_dates() -> None:
    assert not are_dates(["4", "5", "1"])
    assert not are_dates([4, 5.0, float("nan"), float("inf"), -float("inf"), 10**400])
    assert not are_dates(["nice", "bad"])
    assert not are_dates([])
    assert are_dates(["2024-03-31", "", None, "2024-04-01"])

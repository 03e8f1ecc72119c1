"""The columns that reviews were imported with: which there are, of what kind, with which values."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from fewaspect.reviews.writers import as_text
from fewaspect.studio.importing.dates import are_dates, read_dates
from fewaspect.studio.importing.numbers import read_numbers

MOST_COLUMNS = 100
LONGEST = 100  # characters of a value; longer ones are texts, not labels
JUDGED = 40  # values by which it is decided whether a column holds dates


@dataclass(frozen=True, eq=False)
class Column:
    """Values by frequency; `codes`: which of them each review has."""

    name: str
    kind: str  # label, number, date
    values: list[str]
    codes: np.ndarray  # (R,) -1: none
    numbers: np.ndarray | None  # (R,) of a number, or the day of a date since 1970; nan: none

    def number_of(self, value: str) -> float:
        """Of a column of numbers or dates; infinite where a value is none."""
        found = None if self.numbers is None else self.numbers[np.argmax(self.codes == self.code_by_value[value])]
        return math.inf if found is None or math.isnan(found) else float(found)

    @cached_property
    def code_by_value(self) -> dict[str, int]:
        return {value: code for code, value in enumerate(self.values)}


@dataclass(frozen=True, eq=False)
class ReviewColumns:
    """Of the reviews of a project."""

    ids: np.ndarray  # (R,) of the reviews, ascending
    columns: tuple[Column, ...]

    @classmethod
    def of(cls, ids: np.ndarray, fields: Mapping[int, Mapping[str, Any]]) -> ReviewColumns:
        own = [fields.get(int(number), {}) for number in ids]
        names = list(dict.fromkeys(name for one in own for name in one))[:MOST_COLUMNS]
        found = (_column(name, [_shown(one.get(name)) for one in own]) for name in names)
        return cls(ids, tuple(column for column in found if column is not None))

    @cached_property
    def by_name(self) -> dict[str, Column]:
        return {column.name: column for column in self.columns}


def _column(name: str, texts: Sequence[str]) -> Column | None:
    """None if its values tell every review from every other, or are whole texts."""
    counts = Counter(text for text in texts if text)
    values = [value for value, _ in sorted(counts.items(), key=lambda item: -item[1])]
    if not values or not name.strip():
        return None
    code = {value: n for n, value in enumerate(values)}
    codes = np.array([code.get(text, -1) for text in texts], dtype=np.int32)
    kind, numbers = _measured(values)
    if kind == "label" and (len(values) > max(20, sum(counts.values()) / 2) or max(map(len, values)) > LONGEST):
        return None
    return Column(name, kind, values, codes, None if numbers is None else np.append(numbers, np.nan)[codes])


def _measured(values: Sequence[str]) -> tuple[str, np.ndarray | None]:
    """The kind of a column, and its values as numbers or as days since 1970."""
    numbers = read_numbers(values)
    if np.isfinite(numbers).mean() >= 0.9:
        return "number", np.array(numbers)
    if any(map(str.isdigit, values[0])) and are_dates(values[:: math.ceil(len(values) / JUDGED)]):
        days = np.array([day or "NaT" for day in read_dates(values)], dtype="datetime64[D]")
        return "date", np.where(np.isnat(days), np.nan, days.astype(np.int64).astype(float))
    return "label", None


def _shown(value: Any) -> str:
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e15:
        value = int(value)
    return "" if value is None else " ".join(as_text(value).split())

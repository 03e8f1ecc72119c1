"""Columns of records: their names made distinct, which of them is the text, and what each holds."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterator, Mapping, Sequence
from enum import Enum
from itertools import count
from typing import Any, NamedTuple

from fewaspect.data.formats.records import SEPARATORS, Place, quoted

USUAL_COLUMNS = ("text", "review", "sentence", "content", "body")
_SHAPES = re.compile(
    r"(?P<number>-?(?:0|[1-9]\d{0,14})(?:\.\d+)?)"
    r"|(?P<date>\d{4}-\d\d-\d\d(?: \d\d:\d\d(?::\d\d)?)?)"
    r"|(?P<truth>TRUE|FALSE)",
    re.ASCII,
)
_DIGITS = 16  # and a sign or a point: what a spreadsheet keeps of a number
_COMPARED = 1000  # columns: to compare names takes long


class Records(NamedTuple):
    """Records with their places; `names` are those of the columns where a file says them before its records."""

    names: list[str] | None
    place: Place  # of the names
    rows: Iterator[tuple[Place, dict[str, Any]]]
    delimiter: str | None = None  # of a table of text


def distinct_names(names: list[str]) -> list[str]:
    """Names of columns, the second "a" as "a.1"."""
    taken = set(names)
    numbers: dict[str, Iterator[int]] = {}  # suffixes of each name that were not tried yet
    distinct = []
    for name in names:
        if name in numbers:
            name = next(new for n in numbers[name] if (new := f"{name}.{n}") not in taken)
            taken.add(name)
        else:
            numbers[name] = count(1)
        distinct.append(name)
    return distinct


def text_column(columns: Sequence[str], wanted: str | None, place: Place, delimiter: str | None = None) -> str:
    """The column named, or else one of the usual names (in any case), or else the only one there is.

    Of a table with a `delimiter`, one column whose name holds another delimiter is taken for several.
    """
    if delimiter and len(columns) == 1 and wanted not in columns:
        _refuse_other_table(columns[0], delimiter, place)
    if wanted is not None:
        return _named_column(columns, wanted, place)
    by_name = {name.strip().casefold(): name for name in reversed(columns)}
    for name in USUAL_COLUMNS:
        if name in by_name:
            return by_name[name]
    if len(columns) == 1:
        return columns[0]
    raise place.error(
        f"expected a column of reviews called {', '.join(USUAL_COLUMNS[:-1])} or {USUAL_COLUMNS[-1]}, "
        f"found {listed_columns(columns)}.",
        "Name the column that holds the reviews with --column.",
    )


def _named_column(columns: Sequence[str], wanted: str, place: Place) -> str:
    if columns.count(wanted) == 1:
        return wanted
    guess = difflib.get_close_matches(wanted, columns[:_COMPARED], n=1)
    raise place.error(
        f"expected a column {quoted(wanted)}, found {listed_columns(columns)}.",
        f"Did you mean --column {guess[0]}?" if guess else "Name one of them with --column.",
    )


def _refuse_other_table(header: str, delimiter: str, place: Place) -> None:
    for separator, name in SEPARATORS.items():
        if separator in header and separator != delimiter:
            raise place.error(
                f"expected a column of reviews, found one called {quoted(header)}: several, separated by {name}, "
                "but not all rows are.",
                f"Put cells that contain {name} in double quotes. To read it as it is, use --delimiter; "
                "if it is one column, name it with --column.",
            )


def listed_columns(columns: Sequence[str]) -> str:
    more = f" and {len(columns) - 12} more" if len(columns) > 12 else ""
    return "the columns " + ", ".join(quoted(name) for name in columns[:12]) + more if columns else "no columns"


class Kind(Enum):
    """The type of a column's values so far; MIXED is written as JSON."""

    NULL = "nothing"
    STRING = "strings"
    BOOLEAN = "booleans"
    INTEGER = "integers"
    FLOAT = "numbers"
    MIXED = "values of several types"
    EMPTY, TEXT, TRUTH, WHOLE, NUMBER = NULL, STRING, BOOLEAN, INTEGER, FLOAT  # in the plans of version 0.1

    @staticmethod
    def of(value: object) -> Kind:
        if value is None:
            return Kind.NULL
        if isinstance(value, bool):
            return Kind.BOOLEAN
        if isinstance(value, int):
            return Kind.INTEGER if -(2**63) <= value < 2**63 else Kind.MIXED
        return Kind.STRING if isinstance(value, str) else Kind.FLOAT if isinstance(value, float) else Kind.MIXED

    def joined(self, other: Kind) -> Kind:
        """The kind that holds both."""
        if self is other or other is Kind.NULL:
            return self
        if self is Kind.NULL:
            return other
        return Kind.FLOAT if {self, other} == {Kind.INTEGER, Kind.FLOAT} else Kind.MIXED


def update_kinds(kinds: dict[str, Kind], fields: Mapping[str, Any]) -> None:
    """Let the kinds hold the values of one more record; new columns come last."""
    for name, value in fields.items():
        kinds[name] = kinds.get(name, Kind.NULL).joined(Kind.of(value))


def cell_shape(text: str) -> str | None:
    """What a spreadsheet takes a cell of text for: "number", "date", "truth" or None; "007" and ids of 16 digits stay
    text."""
    shape = _SHAPES.fullmatch(text)
    return None if shape is None or (shape["number"] and len(text) > _DIGITS) else shape.lastgroup


def update_shapes(shapes: dict[str, str | None], fields: Mapping[str, Any]) -> None:
    """Let the shapes be those that all texts of a column have so far; empty cells have any."""
    for name, value in fields.items():
        if isinstance(value, str) and value and shapes.get(name, "") is not None:
            shape = cell_shape(value)
            shapes[name] = shape if shapes.get(name, shape) == shape else None

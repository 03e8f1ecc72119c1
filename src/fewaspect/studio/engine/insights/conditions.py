"""Conditions on the columns of reviews, as text: `country=Spain`, `country!=Spain`, `price>=20`, `stay<=2024-03-31`.

`country=` holds where the column is empty. In the name of a column, the characters % = < > ! are percent-encoded.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from urllib.parse import unquote

import numpy as np

from fewaspect.studio.engine.insights.review_columns import Column, ReviewColumns

PATTERN = r"^[^=<>!]+(!?=[^\r\n]*|[<>]=(-?\d{1,15}(\.\d{1,9})?|\d{4}-\d{2}-\d{2}))$"
_PARTS = re.compile(r"^([^=<>!]+)(!=|>=|<=|=)(.*)$")


def condition(column: str, operator: str, value: object) -> str:
    name = re.sub("[%=<>!]", lambda found: f"%{ord(found.group()):02X}", column)
    return f"{name}{operator}{value}"


def in_words(conditions: Sequence[str]) -> list[str]:
    """For people: "country: Spain", "rating: 4 or more"."""
    words = {"=": "{}", "!=": "other than {}", ">=": "{} or more", "<=": "up to {}"}
    found = [parts.groups() for one in conditions if (parts := _PARTS.match(one))]
    return [f"{unquote(name)}: {words[operator].format(value or 'not given')}" for name, operator, value in found]


def matching(columns: ReviewColumns, conditions: Sequence[str]) -> np.ndarray:
    """(R,) booleans: the reviews for which all of them hold; of a column that is not there, none does."""
    found = np.ones(len(columns.ids), dtype=bool)
    for one in conditions:
        parts = _PARTS.match(one)
        column = columns.by_name.get(unquote(parts.group(1))) if parts else None
        found &= _holds(column, parts.group(2), parts.group(3)) if parts and column else False
    return found


def _holds(column: Column, operator: str, value: str) -> np.ndarray | bool:
    if operator in ("=", "!="):
        same = column.codes == (column.code_by_value.get(value, -2) if value else -1)
        return same if operator == "=" else ~same
    if column.numbers is None:
        return False
    bound = _number(value, column.kind)
    with np.errstate(invalid="ignore"):
        return column.numbers >= bound if operator == ">=" else column.numbers <= bound


def _number(value: str, kind: str) -> float:
    """Of a date, its day; nan, which nothing reaches, where it is of the other kind."""
    try:
        return float(np.datetime64(value, "D").astype(np.int64)) if kind == "date" else float(value)
    except ValueError:
        return np.nan

"""Numbers of reviews, however a file writes them: 4.5 or 4,5."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence

_COMMA = re.compile(r"[+-]?\d+,\d+")
_DECIMAL = re.compile(r"[+-]?(\d+,(\d{1,2}|\d{4,})|0,\d+)")  # 1,234 alone may be a thousand


def read_numbers(values: Sequence[str]) -> list[float]:
    """Of a column; nan where a value is none. Commas are those of decimals if one of them cannot be of thousands."""
    if any(map(_DECIMAL.fullmatch, values)) and not any("." in value for value in values):
        values = [value.replace(",", ".") if _COMMA.fullmatch(value) else value for value in values]
    return [_number(value) for value in values]


def _number(value: str) -> float:
    try:
        number = float(value)
    except ValueError:
        return math.nan
    return number if math.isfinite(number) else math.nan

"""Where in a file something is wrong, and how a found value is shown in a message."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path

from fewaspect.core.errors import DataError

_SHOWN = 60


@dataclass(frozen=True, slots=True)
class Place:
    """A file and, where known, the line (or row, or entry) in it."""

    path: Path | str
    spot: str = ""

    def at(self, spot: str) -> Place:
        return replace(self, spot=spot)

    def line(self, number: int) -> Place:
        return Place(self.path, f"line {number}")  # once per record: `replace` takes longer

    def __str__(self) -> str:
        return printable(f"{self.path}, {self.spot}" if self.spot else f"{self.path}")

    def error(self, problem: str, remedy: str = "") -> DataError:
        """What was expected and found, and in a second line what to do."""
        error = DataError(f"{self}: {problem}" + (f"\n{remedy}" if remedy else ""))
        error.problem = problem
        return error

    def refuse_clash(self, columns: Iterable[str], added: Iterable[str]) -> None:
        """A column of the input is never overwritten."""
        if clash := sorted(set(columns) & set(added)):
            raise self.error(
                f"the column {quoted(clash[0])} is one that the output adds.",
                'Rename it, or put something before the names of the added columns, such as --prefix "found_".',
            )


def shown(value: object) -> str:
    """A value by its JSON kind and, shortened, its content: `the string "food, service"`."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return f"the value {str(value).lower()}"
    if isinstance(value, int | float):
        return f"the number {_short(str(value)) if abs(value) < 1e300 else 'out of range'}"
    if isinstance(value, str):
        return f"the string {quoted(value)}"
    if isinstance(value, list):
        return f"a list of {len(value)}"
    if isinstance(value, dict):
        return "an object"
    return f"a {type(value).__name__}"


def quoted(text: str) -> str:
    """A string in double quotes, shortened, safe to print."""
    return printable(json.dumps(_short(text), ensure_ascii=False))


def printable(text: str) -> str:
    """The text with control characters and lone surrogates written as escapes, so that no terminal obeys them."""
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode("ascii") for c in text)


def _short(text: str) -> str:
    return text if len(text) <= _SHOWN else text[: _SHOWN - 3] + "..."

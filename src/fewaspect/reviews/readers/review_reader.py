"""Reviews one by one, with everything else that stands beside them, and which column is the text."""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from fewaspect.data.formats.places import Place, quoted, shown
from fewaspect.reviews.formats import InputFormat
from fewaspect.reviews.readers.source import DELIMITERS, Source

USUAL_COLUMNS = ("text", "review", "sentence", "content", "body")
_COMPARED = 1000  # columns: to compare names takes long
_OTHER_TABLES = {
    "\t": "Read it with --from tsv",
    ";": "Save it with commas between the cells",
    ",": "Read it with --from csv",
}


@dataclass(frozen=True, slots=True)
class Review:
    """A review, all columns of its record (its text among them) and where it stands; no text counts as empty text."""

    text: str
    column: str
    fields: dict[str, Any]
    place: Place


def read_reviews(source: Source, column: str | None = None) -> Iterator[Review]:
    """Every record in order, also those with empty text: row i of what is written is record i of what was read."""
    if source.format is InputFormat.TXT and column is not None:
        raise source.place.error(
            f"plain text has no columns, found --column {column}.", "Leave it out, or name the format with --from."
        )
    with source.records() as records:
        text = None
        if records.names is not None:
            text = text_column(records.names, column, records.place, source.format)
        for place, fields in records.rows:
            if records.names is None:
                text = _json_column(fields, text, column, place)
            assert text is not None
            yield Review(_text(fields[text], text, place), text, fields, place)


def text_column(
    columns: Sequence[str], wanted: str | None, place: Place, format: InputFormat = InputFormat.JSONL
) -> str:
    """The column named, or else one of the usual names (in any case), or else the only one there is."""
    if format in DELIMITERS and len(columns) == 1 and wanted not in columns:
        _refuse_other_table(columns[0], DELIMITERS[format], place)
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
        f"found {_listed(columns)}.",
        "Name the column that holds the reviews with --column.",
    )


def _named_column(columns: Sequence[str], wanted: str, place: Place) -> str:
    if columns.count(wanted) == 1:
        return wanted
    guess = difflib.get_close_matches(wanted, columns[:_COMPARED], n=1)
    raise place.error(
        f"expected a column {quoted(wanted)}, found {_listed(columns)}.",
        f"Did you mean --column {guess[0]}?" if guess else "Name one of them with --column.",
    )


def _json_column(fields: dict[str, Any], before: str | None, wanted: str | None, place: Place) -> str:
    """That of the records before, which each record must have; one that was the only one must stay so."""
    if before is None or before not in fields:
        return text_column(list(fields), wanted if before is None else before, place)
    if wanted is None and len(fields) > 1 and before.strip().casefold() not in USUAL_COLUMNS:
        raise place.error(
            f"the column of the reviews was taken to be {quoted(before)}, the only one so far, "
            f"found {_listed(list(fields))}.",
            "Name the column that holds the reviews with --column.",
        )
    return before


def _refuse_other_table(header: str, delimiter: str, place: Place) -> None:
    for separator, remedy in _OTHER_TABLES.items():
        if separator in header and separator != delimiter:
            raise place.error(
                f"expected a column of reviews, found one called {quoted(header)}: several, separated otherwise.",
                f"{remedy}; if it is one column, name it with --column.",
            )


def _text(value: object, column: str, place: Place) -> str:
    if value is None:
        return ""
    if not isinstance(value, str):
        raise place.error(f"{quoted(column)} must be a string, found {shown(value)}.", "Name another with --column.")
    return value


def _listed(columns: Sequence[str]) -> str:
    more = f" and {len(columns) - 12} more" if len(columns) > 12 else ""
    return "the columns " + ", ".join(quoted(name) for name in columns[:12]) + more if columns else "no columns"

"""What an uploaded file holds, and which of its columns are likely the text and the date."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from itertools import islice
from typing import Any

from fewaspect.core.errors import DataError
from fewaspect.reviews.formats import InputFormat
from fewaspect.reviews.readers.columns import text_column
from fewaspect.reviews.readers.excel_records import opened_sheet
from fewaspect.reviews.readers.source import Source
from fewaspect.reviews.readers.text_format import DELIMITERS, NAMES
from fewaspect.reviews.writers import as_text
from fewaspect.studio.importing.budget import Budget
from fewaspect.studio.importing.dates import are_dates, undecided_order
from fewaspect.studio.importing.numbers import read_numbers
from fewaspect.studio.importing.uploads import NO_CELLS, Upload
from fewaspect.studio.problems import TooLargeError
from fewaspect.studio.store.reviews import same_text

Known = Callable[[str], bool]
LOOKED_AT = 200  # rows
SHOWN = 5
LONGEST = 300  # characters of a sample


def preview(upload: Upload, budget: Budget, text: str | None = None, known: Known | None = None) -> dict[str, Any]:
    """How the file is read, columns with samples and kinds, guesses, the first rows, and rows that are there already.

    `text`: the column of the reviews, else it is guessed; `known` says whether the project has a text.
    """
    source = upload.source(budget)
    records = _first_records(source, budget)
    if not records:
        raise source.place.error("expected reviews, found none.")
    names = list(dict.fromkeys(name for record in records for name in record))
    values = {name: [record.get(name) for record in records] for name in budget.each(names)}
    kinds = {name: _kind(values[name]) for name in budget.each(names)}
    chosen = text if text in values else guess_text(source, values)
    return {
        "format": upload.format.value,
        **_reading(source),
        "columns": [
            {
                "name": name,
                "samples": _samples(values[name]),
                "kind": kinds[name],
                "date_order": undecided_order(values[name]) if kinds[name] == "date" else None,
            }
            for name in names
        ],
        "text_column": chosen,
        "date_column": next((name for name in names if kinds[name] == "date"), None),
        "rows": [{name: _shown(record.get(name)) for name in names} for record in records[:SHOWN]],
        **count_duplicates(source, chosen, known, budget),
    }


def _reading(source: Source) -> dict[str, Any]:
    """What was detected, or said: encoding, separator, sheet, and the sheets there are."""
    how: dict[str, Any] = {"encoding": None, "delimiter": None, "sheet": None, "sheets": []}
    if source.format is InputFormat.XLSX:
        with opened_sheet(source.name, source.place, source.sheet, source.seconds_left()) as sheet:
            return {**how, "sheet": sheet.name, "sheets": sheet.names}
    if source.format is InputFormat.PARQUET:
        return how
    found = source.text_format
    names = {character: name for name, character in NAMES.items() if name.isalpha()}
    tables = {**dict.fromkeys(DELIMITERS, names[found.delimiter]), InputFormat.TXT: NO_CELLS}
    return {**how, "encoding": found.encoding, "delimiter": tables.get(source.format)}


def count_duplicates(source: Source, text: str, known: Known | None, budget: Budget) -> dict[str, int | None]:
    """Rows of the file whose text the project has, or that repeat an earlier row.

    None if the file has a fault, which the import will tell; or if there is no time, where the project is empty.
    """
    seen: set[str] = set()
    there = rows = 0
    try:
        with source.records() as records:
            for _, fields in budget.each(records.rows):
                own = fields.get(text)
                if not isinstance(own, str) or not own.strip():
                    continue
                if known and known(own):
                    there += 1
                else:
                    rows += 1
                    seen.add(same_text(own))
    except (DataError, TooLargeError) as error:
        if known and isinstance(error, TooLargeError):
            raise
        return {"duplicates": None if known else 0, "repeated": None}
    return {"duplicates": there, "repeated": rows - len(seen)}


def guess_text(source: Source, values: dict[str, list[Any]]) -> str:
    """The column with a usual name, else the one with the longest texts."""
    texts = {name: [v for v in own if isinstance(v, str)] for name, own in values.items()}
    texts = {name: own for name, own in texts.items() if own}
    if not texts:
        raise source.place.error("expected a column of texts, found none.")
    try:
        return text_column(list(texts), None, source.place)
    except DataError:
        return max(texts, key=lambda name: sum(map(len, texts[name])) / len(texts[name]))


def columns_of(source: Source, budget: Budget) -> dict[str, list[Any]]:
    """The first values of each column."""
    records = _first_records(source, budget)
    return {name: [record.get(name) for record in records] for record in records[:1] for name in record}


def _first_records(source: Source, budget: Budget) -> list[dict[str, Any]]:
    with source.records() as records:
        return [fields for _, fields in islice(budget.each(records.rows), LOOKED_AT)]


def _samples(values: Sequence[Any]) -> list[str]:
    return [_shown(value) for value in values if value not in (None, "")][:SHOWN]


def _kind(values: Sequence[Any]) -> str:
    there = [value for value in values if value not in (None, "")]
    if not there:
        return "empty"
    if are_dates(there):
        return "date"
    texts = [value for value in there if isinstance(value, str)]
    if all(map(math.isfinite, read_numbers(texts))) and all(isinstance(v, str | int | float) for v in there):
        return "number"
    if len(texts) < len(there):
        return "other"
    return "text" if sum(map(len, there)) >= 25 * len(there) else "label"


def _shown(value: Any) -> str:
    text = "" if value is None else as_text(value)
    return text if len(text) <= LONGEST else text[: LONGEST - 1] + "…"

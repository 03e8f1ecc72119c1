"""What an uploaded file holds, and which of its columns are likely the text and the date."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Any

from fewaspect.data.formats.json_lines import parse
from fewaspect.data.formats.table import read_rows
from fewaspect.detector.reviews.kinds import InputFormat
from fewaspect.detector.reviews.reading import read_reviews, text_column
from fewaspect.detector.reviews.source import Source
from fewaspect.detector.reviews.writing import as_text
from fewaspect.errors import DataError
from fewaspect.serving.budget import Budget, TimedSource
from fewaspect.serving.dates import are_dates
from fewaspect.serving.uploads import Upload

LOOKED_AT = 200  # rows
SHOWN = 5
LONGEST = 300  # characters of a sample


def preview(upload: Upload, budget: Budget) -> dict[str, Any]:
    """Columns with samples and kinds, guesses, and the first rows."""
    source = upload.source(budget)
    records = _first(source, upload.format)
    if not records:
        raise source.place.error("expected reviews, found none.")
    names = list(dict.fromkeys(name for record in records for name in record))
    values = {name: [record.get(name) for record in records] for name in budget.each(names)}
    kinds = {name: _kind(values[name]) for name in budget.each(names)}
    return {
        "format": upload.format.value,
        "columns": [
            {"name": name, "samples": [_shown(v) for v in values[name] if v not in (None, "")][:SHOWN],
             "kind": kinds[name]}
            for name in names
        ],
        "text_column": guess_text(source, values),
        "date_column": next((name for name in names if kinds[name] == "date"), None),
        "rows": [{name: _shown(record.get(name)) for name in names} for record in records[:SHOWN]],
    }  # fmt: skip


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


def columns_of(source: TimedSource, format: InputFormat) -> dict[str, list[Any]]:
    """The first values of each column."""
    records = _first(source, format)
    return {name: [record.get(name) for record in records] for record in records[:1] for name in record}


def _first(source: TimedSource, format: InputFormat) -> list[dict[str, Any]]:
    return list(islice(source.budget.each(_records(source, format)), LOOKED_AT))


def _records(source: Source, format: InputFormat) -> Iterator[dict[str, Any]]:
    """Whole records, before it is known which column is the text."""
    if format is InputFormat.TXT:
        yield from (review.fields for review in read_reviews(source, format))
    elif format is InputFormat.JSONL:
        for number, line in source.lines("utf-8"):
            if line.strip():
                record = parse(line, source.place.line(number))
                if not isinstance(record, dict):
                    raise source.place.line(number).error("expected a JSON object, found something else.")
                yield record
    elif format is InputFormat.PARQUET:
        import pyarrow.parquet as pq

        with pq.ParquetFile(source.name) as file:
            for batch in file.iter_batches(LOOKED_AT):
                yield from batch.to_pylist()
    else:
        delimiter = "\t" if format is InputFormat.TSV else ","
        lines = (line for _, line in source.lines("utf-8"))
        _, header = next(read_rows(lines, source.place, delimiter), (source.place, []))
        if not header:
            raise source.place.error("expected a header line and reviews below it, found nothing.")
        yield from (review.fields for review in read_reviews(source, format, header[0].strip()))


def _kind(values: Sequence[Any]) -> str:
    there = [value for value in values if value not in (None, "")]
    if not there:
        return "empty"
    if are_dates(there):
        return "date"
    if all(isinstance(v, int | float) or (isinstance(v, str) and _is_number(v)) for v in there):
        return "number"
    if not all(isinstance(value, str) for value in there):
        return "other"
    return "text" if sum(map(len, there)) >= 25 * len(there) else "label"


def _is_number(value: str) -> bool:
    try:
        float(value)
    except ValueError:
        return False
    return True


def _shown(value: Any) -> str:
    text = "" if value is None else as_text(value)
    return text if len(text) <= LONGEST else text[: LONGEST - 1] + "…"

"""Reviews one by one from text, tables, JSON lines and Parquet, with everything else that stands beside them."""

from __future__ import annotations

import difflib
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import count
from typing import TYPE_CHECKING, Any

from fewaspect.data.formats.json_lines import parse
from fewaspect.data.formats.places import Place, quoted, shown
from fewaspect.data.formats.table import read_rows
from fewaspect.detector.reviews.kinds import InputFormat
from fewaspect.detector.reviews.source import Source

if TYPE_CHECKING:
    import pyarrow as pa

USUAL_COLUMNS = ("text", "review", "sentence", "content", "body")
_BATCH = 1024
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


def read_reviews(
    source: Source, format: InputFormat, column: str | None = None, encoding: str = "utf-8"
) -> Iterator[Review]:
    """Every record in order, also those with empty text: row i of what is written is record i of what was read."""
    if format is InputFormat.TXT:
        return _from_text(source, column, encoding)
    if format is InputFormat.PARQUET:
        return _from_parquet(source, column)
    if format is InputFormat.JSONL:
        return _from_json(source, column, encoding)
    return _from_table(source, column, encoding, "\t" if format is InputFormat.TSV else ",")


def text_column(columns: Sequence[str], wanted: str | None, place: Place) -> str:
    """The column named, or else one of the usual names (in any case), or else the only one there is."""
    if wanted is not None:
        if columns.count(wanted) == 1:
            return wanted
        guess = difflib.get_close_matches(wanted, columns[:_COMPARED], n=1)
        raise place.error(
            f"expected a column {quoted(wanted)}, found {_listed(columns)}.",
            f"Did you mean --column {guess[0]}?" if guess else "Name one of them with --column.",
        )
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


def _from_text(source: Source, column: str | None, encoding: str) -> Iterator[Review]:
    if column is not None:
        raise source.place.error(
            f"plain text has no columns, found --column {column}.", "Leave it out, or name the format with --from."
        )
    for number, line in source.lines(encoding):
        text = line.rstrip("\r\n")
        yield Review(text, "text", {"text": text}, source.place.line(number))


def _from_table(source: Source, column: str | None, encoding: str, delimiter: str) -> Iterator[Review]:
    rows = read_rows((line for _, line in source.lines(encoding)), source.place, delimiter)
    place, header = next(rows, (source.place, []))
    names = distinct_names([name.strip() for name in header])
    if not names:
        raise place.error("expected a header line and reviews below it, found nothing.")
    if len(names) == 1 and column not in names:
        _refuse_other_table(names[0], delimiter, place)
    text = text_column(names, column, place)
    for place, row in rows:
        fields = dict(zip(names, row, strict=True))
        yield Review(fields[text], text, fields, place)


def _from_json(source: Source, column: str | None, encoding: str) -> Iterator[Review]:
    alone = False  # whether the column is taken for the text because there is no other
    for number, line in source.lines(encoding):
        if not line.strip():
            continue
        place = source.place.line(number)
        record = parse(line, place)
        if not isinstance(record, dict):
            raise place.error(f"expected a JSON object, found {shown(record)}.", "Write one object per line.")
        if "\\ud" in line.lower():
            _refuse_half_characters(record, place)
        if column is None:
            column = text_column(list(record), None, place)
            alone = column.strip().casefold() not in USUAL_COLUMNS
        elif column not in record:
            text_column(list(record), column, place)
        elif alone and len(record) > 1:
            raise place.error(
                f"the column of the reviews was taken to be {quoted(column)}, the only one so far, "
                f"found {_listed(list(record))}.",
                "Name the column that holds the reviews with --column.",
            )
        yield Review(_text(record[column], column, place), column, record, place)


def _from_parquet(source: Source, column: str | None) -> Iterator[Review]:
    import pyarrow as pa
    import pyarrow.parquet as pq

    if not source.rereadable:
        raise source.place.error("Parquet cannot be read from a pipe.", "Save it to a file and name that.")
    place = source.place
    with source.opened() as raw:
        try:
            with pq.ParquetFile(raw) as file:
                schema = python_schema(file.schema_arrow)
                text = text_column(schema.names, column, place)
                row = 0
                for batch in file.iter_batches(_BATCH):
                    table = pa.Table.from_batches([batch]).rename_columns(schema.names)
                    for fields in _python_rows(table.cast(schema, safe=False), place):
                        row += 1
                        here = place.at(f"row {row}")
                        yield Review(_text(fields[text], text, here), text, fields, here)
        except (pa.ArrowException, OSError, UnicodeDecodeError) as error:
            raise place.error(
                f"expected a Parquet file, found one that cannot be read ({error}).", "Write it anew from its source."
            ) from None


def _python_rows(table: pa.Table, place: Place) -> list[dict[str, Any]]:
    columns = {}
    for name in table.column_names:
        try:
            columns[name] = table[name].to_pylist()
        except (OverflowError, ValueError) as error:
            raise place.at(f"column {quoted(name)}").error(
                f"expected values that Python can hold, such as dates up to the year 9999, found others ({error}).",
                "Correct them, or leave the column out.",
            ) from None
    return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]


def python_schema(schema: pa.Schema) -> pa.Schema:
    """The columns with names that differ and types that Python has: nanoseconds become microseconds."""
    import pyarrow as pa

    def plain(kind: pa.DataType) -> pa.DataType:
        if pa.types.is_timestamp(kind) and kind.unit == "ns":
            return pa.timestamp("us", kind.tz)
        if pa.types.is_time64(kind):
            return pa.time64("us")
        return pa.duration("us") if pa.types.is_duration(kind) and kind.unit == "ns" else kind

    names = distinct_names(schema.names)
    return pa.schema([pa.field(name, plain(kind)) for name, kind in zip(names, schema.types, strict=True)])


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


def _refuse_half_characters(record: dict[str, Any], place: Place) -> None:
    """JSON can escape one half of a surrogate pair, which no file can hold as text."""
    for name, value in record.items():
        try:
            json.dumps((name, value), ensure_ascii=False).encode("utf-8")
        except UnicodeEncodeError:
            raise place.error(
                f"{quoted(name)} must be Unicode text, found half of a surrogate pair in it.",
                "Write the character itself or both halves of its escape.",
            ) from None


def distinct_names(names: list[str]) -> list[str]:
    """Names of columns, the second "a" as "a.1"."""
    taken = set(names)
    numbers: dict[str, Iterator[int]] = {}  # of each name that was met, those not tried yet
    distinct = []
    for name in names:
        if name in numbers:
            name = next(new for n in numbers[name] if (new := f"{name}.{n}") not in taken)
            taken.add(name)
        else:
            numbers[name] = count(1)
        distinct.append(name)
    return distinct


def _listed(columns: Sequence[str]) -> str:
    more = f" and {len(columns) - 12} more" if len(columns) > 12 else ""
    return "the columns " + ", ".join(quoted(name) for name in columns[:12]) + more if columns else "no columns"

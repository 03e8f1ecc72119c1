"""Where reviews come from: a file, a pipe or standard input, gzip-compressed or not; its records with their fields, the
reviews one by one, which column is the text, and what all columns hold, found before anything is scored."""

from __future__ import annotations

import difflib
import gzip
import io
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from enum import Enum
from itertools import count, islice
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple, cast

from fewaspect.data.formats.records import LineReader, Place, Record, json_objects, quoted, shown, table_rows
from fewaspect.reviews.formats import STANDARD, InputFormat

DELIMITERS = {InputFormat.CSV: ",", InputFormat.TSV: "\t"}
_GZIP = b"\x1f\x8b"
USUAL_COLUMNS = ("text", "review", "sentence", "content", "body")
_COMPARED = 1000  # columns: to compare names takes long
_OTHER_TABLES = {
    "\t": "Read it with --from tsv",
    ";": "Save it with commas between the cells",
    ",": "Read it with --from csv",
}


class Records(NamedTuple):
    """Records with their places; `names` are those of the columns where a file says them before its records."""

    names: list[str] | None
    place: Place  # of the names
    rows: Iterator[tuple[Place, dict[str, Any]]]


@dataclass(frozen=True)
class Source:
    """The name of a file, or "-" for standard input, and how it is read."""

    name: str
    format: InputFormat
    encoding: str = "utf-8"

    @property
    def place(self) -> Place:
        return Place("standard input" if self.name == STANDARD else self.name)

    @property
    def rereadable(self) -> bool:
        """Whether it can be read twice: a file can, a pipe cannot."""
        return self.name != STANDARD and Path(self.name).is_file()

    @contextmanager
    def records(self) -> Iterator[Records]:
        """All records one by one, for the length of the block; the first fault is raised."""
        with self.opened() as file:
            if self.format is InputFormat.PARQUET:
                from fewaspect.reviews.readers.parquet_records import python_records

                if not self.rereadable:
                    raise self.place.error("Parquet cannot be read from a pipe.", "Save it to a file and name that.")
                with python_records(file, self.place) as records:
                    yield records
                return
            lines, place = self.lines(file), self.place
            line, names = read_header(lines, self.format)
            rows = text_records(lines, self.format, names)
            yield Records(names, place.line(line), ((place.line(row.line), row.values) for row in rows))

    def lines(self, file: BinaryIO) -> LineReader:
        """Those of an open file, decompressed."""
        peekable = file if hasattr(file, "peek") else io.BufferedReader(cast(io.RawIOBase, file))
        compressed = cast(io.BufferedReader, peekable).peek(2).startswith(_GZIP)
        plain = gzip.GzipFile(fileobj=peekable) if compressed else peekable
        return LineReader(cast(BinaryIO, plain), self.place, self.encoding)

    @contextmanager
    def opened(self) -> Iterator[BinaryIO]:
        """The source in binary; a folder or a missing file is refused by name."""
        if self.name == STANDARD:
            if sys.stdin is None:
                raise self.place.error("expected reviews, found it closed.", "Pipe the reviews in, or name a file.")
            yield sys.stdin.buffer
            return
        path = Path(self.name)
        if path.is_dir():
            raise self.place.error("expected a file with reviews, found a directory.", "Name one of the files in it.")
        try:
            file = path.open("rb")
        except FileNotFoundError:
            raise self.place.error("expected a file with reviews, found nothing of that name.") from None
        except (OSError, ValueError) as error:  # ValueError: a NUL in the path
            raise self.place.error(f"cannot be opened ({error}).") from None
        with file:
            yield file


def read_header(lines: LineReader, format: InputFormat) -> tuple[int, list[str] | None]:
    """The line and the names of the columns, which JSON lines do not have; a fault in them is raised always."""
    if format not in DELIMITERS:
        return 0, ["text"] if format is InputFormat.TXT else None
    collect, lines.collect = lines.collect, False
    header = next(table_rows(lines, DELIMITERS[format]), None)
    lines.collect = collect
    if header is None:
        raise lines.source.error("expected a header line and reviews below it, found nothing.")
    return header.line, distinct_names([name.strip() for name in header.values])


def text_records(lines: LineReader, format: InputFormat, names: list[str] | None) -> Iterator[Record]:
    """Records with their fields by name, from where the lines are; blank lines count in plain text only."""
    if format is InputFormat.JSONL:
        yield from json_objects(lines, unicode_only=True)
    elif format is InputFormat.TXT:
        for text in lines:
            yield Record(lines.line, lines.end, {"text": text.rstrip("\r\n")}, lines.take_fault())
    else:
        names = names or []
        for line, end, cells, fault in table_rows(lines, DELIMITERS[format], len(names)):
            yield Record(line, end, dict(zip(names, cells, strict=False)), fault)


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


@dataclass
class Columns:
    """Names and kinds in the order of their appearance, the number of reviews, and a Parquet file's own schema."""

    kinds: dict[str, Kind] = field(default_factory=dict)
    total: int | None = None
    schema: Any = None  # pyarrow.Schema

    @classmethod
    def of(cls, reviews: Iterable[Review]) -> Columns:
        kinds: dict[str, Kind] = {}
        total = 0
        for review in reviews:
            total += 1
            update_kinds(kinds, review.fields)
        return cls(kinds, total)


def survey(source: Source, column: str | None) -> Columns | None:
    """Reads a file once to its end, which takes no time beside scoring it; None for a pipe, which is read once only.

    Of Parquet the first row is enough: it has a schema.
    """
    if not source.rereadable:
        return None
    reviews = read_reviews(source, column)
    if source.format is not InputFormat.PARQUET:
        return Columns.of(reviews)
    from fewaspect.data.formats.parquet import opened_parquet
    from fewaspect.reviews.readers.parquet_records import python_schema

    columns = Columns.of(islice(reviews, 1))
    with source.opened() as file, opened_parquet(file, source.place) as parquet:
        columns.total, columns.schema = parquet.metadata.num_rows, python_schema(parquet.schema_arrow)
    columns.kinds = dict.fromkeys(columns.schema.names, Kind.MIXED)
    return columns

"""Where reviews come from: a file, a pipe or standard input, gzip-compressed or not; its records with their fields, the
reviews one by one, which column is the text, and what all columns hold, found before anything is scored."""

from __future__ import annotations

import gzip
import io
import sys
import zlib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import IO, Any, BinaryIO, cast

from fewaspect.core.forking import cached_property
from fewaspect.data.formats.records import LineReader, Place, Record, json_objects, quoted, shown, table_rows
from fewaspect.reviews.formats import STANDARD, InputFormat
from fewaspect.reviews.readers.columns import (
    USUAL_COLUMNS,
    Kind,
    Records,
    distinct_names,
    listed_columns,
    text_column,
    update_kinds,
    update_shapes,
)
from fewaspect.reviews.readers.text_format import (
    DELIMITERS,
    SAMPLE,
    TextFormat,
    detect_text_format,
    is_separator_line,
)

DAMAGED = (gzip.BadGzipFile, zlib.error, EOFError)
_GZIP = b"\x1f\x8b"
_PIECE = 1 << 20


@dataclass(frozen=True)
class Source:
    """The name of a file, or "-" for standard input, and how it is read: what is None is detected."""

    name: str
    format: InputFormat
    encoding: str | None = None
    delimiter: str | None = None
    sheet: str | None = None

    @property
    def place(self) -> Place:
        return Place("standard input" if self.name == STANDARD else self.name)

    @property
    def rereadable(self) -> bool:
        """Whether it can be read twice: a file can, a pipe cannot."""
        return self.name != STANDARD and Path(self.name).is_file()

    @cached_property
    def text_format(self) -> TextFormat:
        """How a text file is written, by all of it."""
        with self.opened() as file:
            return detect_text_format(self.pieces(unpacked(file)), self.format, self.encoding, self.delimiter)

    @property
    def is_unusual(self) -> bool:
        """Whether a text file was found to be otherwise than UTF-8 with the separator of its format."""
        how = self.text_format
        otherwise = self.delimiter is None and how.delimiter != DELIMITERS.get(self.format, ",")
        return otherwise or (self.encoding is None and how.encoding != "utf-8")

    @contextmanager
    def records(self) -> Iterator[Records]:
        """All records one by one, for the length of the block; the first fault is raised."""
        with self.opened() as file:
            if self.format in (InputFormat.PARQUET, InputFormat.XLSX):
                with self._binary_records(file) as records:
                    yield records
                return
            place, plain = self.place, unpacked(file)
            how = self.text_format if self.rereadable else self._format_of_pipe(plain)
            lines = self.lines(plain, how)
            line, names = read_header(lines, self.format, how.delimiter)
            rows = text_records(lines, self.format, names, how.delimiter)
            separator = how.delimiter if self.format in DELIMITERS else None
            yield Records(names, place.line(line), ((place.line(row.line), row.values) for row in rows), separator)

    def pieces(self, plain: BinaryIO) -> Iterator[bytes]:
        """The bytes of an open, decompressed file, some at a time."""
        return file_pieces(plain)

    def lines(self, plain: BinaryIO, how: TextFormat) -> LineReader:
        """Those of an open, decompressed file."""
        return LineReader(plain, self.place, how.encoding, line_end=how.line_end)

    @contextmanager
    def _binary_records(self, file: BinaryIO) -> Iterator[Records]:
        from fewaspect.reviews.readers.excel_records import excel_records
        from fewaspect.reviews.readers.parquet_records import python_records

        is_excel = self.format is InputFormat.XLSX
        if not self.rereadable:
            kind = "An Excel workbook" if is_excel else "Parquet"
            raise self.place.error(f"{kind} cannot be read from a pipe.", "Save it to a file and name that.")
        opened = excel_records(self.name, self.place, self.sheet, self.seconds_left()) if is_excel else None
        with opened or python_records(file, self.place) as records:
            yield records

    def seconds_left(self) -> float | None:
        """For another process to read the file; None: as long as it takes."""
        return None

    def _format_of_pipe(self, plain: BinaryIO) -> TextFormat:
        """By as much as is there, so that no output waits for the rest."""
        start = b""
        with suppress(*DAMAGED):
            start = cast(io.BufferedReader, plain).peek(SAMPLE)[:SAMPLE]
        return detect_text_format([start], self.format, self.encoding, self.delimiter, complete=False)

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


def reading_in_words(source: Source) -> str:
    """How a file is read, where that was detected and may be wrong; empty if it is as usual, or a pipe."""
    if not source.rereadable or source.format is InputFormat.PARQUET:
        return ""
    if source.format is InputFormat.XLSX:
        from fewaspect.reviews.readers.excel_records import opened_sheet

        with opened_sheet(source.name, source.place, source.sheet) as sheet:
            others = ", ".join(quoted(name) for name in sheet.names if name != sheet.name)
        return f"read the sheet {quoted(sheet.name)}; others, by --sheet: {others}" if others else ""
    return f"read as {source.text_format.described(source.format)}" if source.is_unusual else ""


def unpacked(file: BinaryIO) -> BinaryIO:
    """An open file, decompressed if it is gzip-compressed."""
    peekable = file if hasattr(file, "peek") else io.BufferedReader(cast(io.RawIOBase, file))
    compressed = cast(io.BufferedReader, peekable).peek(2).startswith(_GZIP)
    return cast(BinaryIO, gzip.GzipFile(fileobj=peekable) if compressed else peekable)


def file_pieces(file: IO[bytes]) -> Iterator[bytes]:
    """What can be read of a file; damaged data are reported when they are read by lines."""
    with suppress(*DAMAGED):
        while piece := file.read(_PIECE):
            yield piece


def read_header(lines: LineReader, format: InputFormat, delimiter: str) -> tuple[int, list[str] | None]:
    """The line and the names of the columns, which JSON lines do not have; a fault in them is raised always."""
    if format not in DELIMITERS:
        return 0, ["text"] if format is InputFormat.TXT else None
    collect, lines.collect = lines.collect, False
    header = next(table_rows(lines, delimiter), None)
    if header is not None and is_separator_line(header.values):
        header = next(table_rows(lines, delimiter), None)
    lines.collect = collect
    if header is None:
        raise lines.source.error("expected a header line and reviews below it, found nothing.")
    return header.line, distinct_names([name.strip() for name in header.values])


def text_records(lines: LineReader, format: InputFormat, names: list[str] | None, delimiter: str) -> Iterator[Record]:
    """Records with their fields by name, from where the lines are; blank lines count in plain text only."""
    if format is InputFormat.JSONL:
        yield from json_objects(lines, unicode_only=True)
    elif format is InputFormat.TXT:
        for text in lines:
            yield Record(lines.line, lines.end, {"text": text.rstrip("\r\n")}, lines.take_fault())
    else:
        names = names or []
        for line, end, cells, fault in table_rows(lines, delimiter, len(names)):
            yield Record(line, end, dict(zip(names, cells, strict=False)), fault)


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
            text = text_column(records.names, column, records.place, records.delimiter)
        for place, fields in records.rows:
            if records.names is None:
                text = _json_column(fields, text, column, place)
            assert text is not None
            yield Review(_text(fields[text], text, place), text, fields, place)


def _json_column(fields: dict[str, Any], before: str | None, wanted: str | None, place: Place) -> str:
    """That of the records before, which each record must have; one that was the only one must stay so."""
    if before is None or before not in fields:
        return text_column(list(fields), wanted if before is None else before, place)
    if wanted is None and len(fields) > 1 and before.strip().casefold() not in USUAL_COLUMNS:
        raise place.error(
            f"the column of the reviews was taken to be {quoted(before)}, the only one so far, "
            f"found {listed_columns(list(fields))}.",
            "Name the column that holds the reviews with --column.",
        )
    return before


def _text(value: object, column: str, place: Place) -> str:
    if value is None:
        return ""
    if not isinstance(value, str):
        raise place.error(f"{quoted(column)} must be a string, found {shown(value)}.", "Name another with --column.")
    return value


@dataclass
class Columns:
    """Names and kinds in the order of their appearance, the number of reviews, and a Parquet file's own schema."""

    kinds: dict[str, Kind] = field(default_factory=dict)
    total: int | None = None
    schema: Any = None  # pyarrow.Schema
    shapes: dict[str, str | None] = field(default_factory=dict)  # of columns of text, as a spreadsheet has them

    @classmethod
    def of(cls, reviews: Iterable[Review]) -> Columns:
        columns = cls(total=0)
        for columns.total, review in enumerate(reviews, 1):
            update_kinds(columns.kinds, review.fields)
            update_shapes(columns.shapes, review.fields)
        return columns


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

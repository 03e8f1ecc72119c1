"""Where reviews come from: a file, a pipe or standard input, gzip-compressed or not; its records with their fields."""

from __future__ import annotations

import gzip
import io
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple, cast

from fewaspect.data.formats.records import LineReader, Place, Record, json_objects, table_rows
from fewaspect.reviews.formats import STANDARD, InputFormat

DELIMITERS = {InputFormat.CSV: ",", InputFormat.TSV: "\t"}
_GZIP = b"\x1f\x8b"


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

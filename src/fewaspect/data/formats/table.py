"""CSV and TSV with a header line; quoted cells may hold the delimiter, quotes and line ends (RFC 4180)."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import IO, Any

from fewaspect.data.formats.lines import LINE_LIMIT, read_lines
from fewaspect.data.formats.places import Place, quoted
from fewaspect.data.formats.record_fields import SEPARATOR, Fields, join_names, make_sentence
from fewaspect.data.labelled import LabelledSentence


def read(path: Path, fields: Fields, encoding: str, delimiter: str) -> Iterator[LabelledSentence]:
    """One sentence per row; an empty label cell means none."""
    rows = read_rows((line for _, line in read_lines(path, encoding)), Place(path), delimiter)
    place, header = next(rows, (Place(path), []))
    names = [name.strip() for name in header]
    text, labels = (_column(place, names, name, option) for name, option in _wanted(fields))
    for place, row in rows:
        yield make_sentence(place, fields, row[text], row[labels])


def write(sentences: Iterable[LabelledSentence], file: IO[Any], place: Place, delimiter: str) -> None:
    writer = table_writer(file, delimiter)
    writer.writerow(("text", "labels"))
    for number, sentence in enumerate(sentences, 1):
        here = place.at(f"sentence {number}")
        labels = join_names(here, sentence.aspects, SEPARATOR, SEPARATOR)
        for cell in (sentence.text, labels):
            if "\0" in cell or len(cell.encode()) > _CELL_LIMIT:
                raise here.error(
                    f"a table cannot hold NUL characters or more than {_CELL_LIMIT >> 20} MB per cell.",
                    "Write jsonl or parquet.",
                )
        writer.writerow((sentence.text, labels))


_NAMES = {",": "comma", "\t": "tab"}
_CELL_LIMIT = LINE_LIMIT * 2 // 5  # bytes: with every quote doubled it fits into a line, labels beside it


def table_reader(lines: Iterable[str], delimiter: str) -> Any:
    """A csv.reader of cells as long as a line may be; by itself Python refuses a long review."""
    csv.field_size_limit(max(csv.field_size_limit(), LINE_LIMIT))
    return csv.reader(lines, delimiter=delimiter, strict=True)


def table_writer(file: IO[Any], delimiter: str) -> Any:
    """A csv.writer whose rows end in a line feed, as the lines of all other files do."""
    return csv.writer(_LineFeeds(file), delimiter=delimiter)


class _LineFeeds:
    """Rows come with "\\r\\n" at the end: only then does every Python quote both characters in a cell."""

    def __init__(self, file: IO[Any]) -> None:
        self.file = file

    def write(self, row: str) -> int:
        return self.file.write(row.removesuffix("\r\n") + "\n")


def read_rows(lines: Iterable[str], source: Place, delimiter: str) -> Iterator[tuple[Place, list[str]]]:
    """Rows that are not blank, each with the line it begins in, all as long as the first, the header."""
    reader = table_reader(lines, delimiter)
    width = 0
    while True:
        place = source.line(reader.line_num + 1)
        try:
            row = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            raise place.error(
                f"expected cells separated by {_NAMES[delimiter]}s, found a row that is not ({error}).",
                "Close every quote, double the quotes inside a quoted cell, and end lines with a line feed.",
            ) from None
        if row and len(row) != (width := width or len(row)):
            raise place.error(
                f"expected {width} cells as in the header, found {len(row)}.",
                f"Put cells that contain {_NAMES[delimiter]}s, quotes or line ends in double quotes.",
            )
        if row:
            yield place, row


def _wanted(fields: Fields) -> tuple[tuple[str, str], tuple[str, str]]:
    return (fields.text, "--text-field"), (fields.labels, "--label-field")


def _column(place: Place, header: list[str], name: str, option: str) -> int:
    if header.count(name) != 1:
        found = ", ".join(quoted(column) for column in header[:8]) or "no header"
        raise place.error(
            f"expected a header with one column {quoted(name)}, found {found}.",
            f"Add a header line, or name the column with {option}.",
        )
    return header.index(name)

"""CSV and TSV with a header line; quoted cells may hold the delimiter, quotes and line ends (RFC 4180)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import IO, Any

from fewaspect.data.formats.record_fields import SEPARATOR, Fields, make_sentence
from fewaspect.data.formats.records import (
    LINE_LIMIT,
    LineReader,
    Place,
    Record,
    join_names,
    opened_text,
    quoted,
    table_rows,
    table_writer,
)
from fewaspect.data.labelled import LabelledSentence

_CELL_LIMIT = LINE_LIMIT * 2 // 5  # bytes: with every quote doubled it fits into a line, labels beside it


def read(path: Path, fields: Fields, encoding: str, delimiter: str) -> Iterator[LabelledSentence]:
    """One sentence per row; an empty label cell means none."""
    with opened_text(path) as file:
        rows = table_rows(LineReader(file, Place(path), encoding), delimiter)
        header = next(rows, Record(1, 0, []))
        names, place = [name.strip() for name in header.values], Place(path).line(header.line)
        text = _column(place, names, fields.text, "--text-field")
        labels = _column(place, names, fields.labels, "--label-field")
        field = fields.polarity_field(names)
        polarity = None if field is None else names.index(field)
        for row in rows:
            told = None if polarity is None else row.values[polarity]
            yield make_sentence(Place(path).line(row.line), fields, row.values[text], row.values[labels], told)


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


def _column(place: Place, header: list[str], name: str, option: str) -> int:
    if header.count(name) != 1:
        found = ", ".join(quoted(column) for column in header[:8]) or "no header"
        raise place.error(
            f"expected a header with one column {quoted(name)}, found {found}.",
            f"Add a header line, or name the column with {option}.",
        )
    return header.index(name)

"""What is written for a review, or for one of its sentences: to a file, whole or not at all, or to standard output."""

from __future__ import annotations

import base64
import json
import math
import re
import sys
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import date, time
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, NamedTuple

from fewaspect.core.errors import ConfigError
from fewaspect.core.files import atomic_write
from fewaspect.data.formats.records import Place, join_names, quoted, table_writer
from fewaspect.detector.arrow_tables import ACCEPTED, ASPECTS, LANGUAGE, PROBABILITY, SENTIMENT_OF, TO_REVIEW
from fewaspect.reviews.formats import STANDARD, OutputFormat
from fewaspect.reviews.pages.highlights import Mark, marks
from fewaspect.reviews.readers.source import Columns, Review

if TYPE_CHECKING:
    from fewaspect.detector.explain import Analysis
    from fewaspect.detector.sentiment.aspect_sentiment import AspectSentiment
    from fewaspect.reviews.pipeline import Summary

JOINT = "; "
BINARY = (OutputFormat.PARQUET, OutputFormat.XLSX)
_FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n", "\uff1d", "\uff0b", "\uff0d", "\uff20")  # the last four: full width
_NUMBER = re.compile(r"[+-]?\d+([.,]\d+)?")
_DIGITS = 4


@dataclass(frozen=True, slots=True)
class Row:
    """One row of output; `number` is that of the review, from 1, and the text is `start` to `end` of it."""

    place: Place
    fields: Mapping[str, Any]
    text: str
    number: int
    start: int
    end: int
    aspects: tuple[str, ...]
    probabilities: Mapping[str, float]
    reason: str
    marks: tuple[Mark, ...]
    analysis: Analysis
    accepted: tuple[str, ...] | None = None  # of the aspects, where a precision was promised
    sentiment: Mapping[str, AspectSentiment] | None = None  # of the aspects, where it was asked for
    language: str = ""  # of the review


def rows_of(review: Review, analysis: Analysis, number: int, per_sentence: bool) -> Iterator[Row]:
    """A row for the review, or one for each of its sentences, with the sentence in place of the text."""
    marked = marks(analysis.words, analysis.sentences) if analysis.words else ()
    whole = Row(
        review.place, review.fields, analysis.text, number, 0, len(analysis.text), analysis.aspects,
        analysis.probabilities, analysis.reason, marked, analysis, analysis.accepted, analysis.sentiment,
        analysis.language,
    )  # fmt: skip
    if not per_sentence:
        yield whole
        return
    for sentence in analysis.sentences:
        yield replace(
            whole,
            fields={**review.fields, review.column: sentence.text},
            text=sentence.text,
            start=sentence.start,
            end=sentence.end,
            aspects=sentence.aspects,
            probabilities=sentence.probabilities,
            reason=sentence.reason,
            accepted=sentence.accepted,
            sentiment=sentence.sentiment,
            marks=tuple(mark for mark in marked if sentence.start <= mark.start and mark.end <= sentence.end),
        )


@dataclass(frozen=True)
class Layout:
    """Which columns are added to those of the reviews, under which names."""

    classes: tuple[str, ...]
    explain: bool = False
    per_sentence: bool = False
    prefix: str = ""
    promised: bool = False  # a precision, so that aspects are accepted or need a look
    sentiment: bool = False

    def flat(self, row: Row) -> dict[str, Any]:
        """For tables: one column per aspect."""
        added: dict[str, Any] = self._where(row) | self._aspects(row)
        added |= {PROBABILITY + name: float(row.probabilities[name]) for name in self.classes}
        if self.sentiment:
            told = row.sentiment or {}
            added |= {SENTIMENT_OF + name: told[name].polarity if name in told else None for name in self.classes}
        added[LANGUAGE] = row.language
        if self.explain:
            added |= {"reason": row.reason, "words": _words_in_a_line(row)}
        return self._prefixed(added)

    def nested(self, row: Row) -> dict[str, Any]:
        """For JSON: lists and objects, numbers rounded."""
        added: dict[str, Any] = self._where(row) | self._aspects(row) | {"probabilities": _rounded(row.probabilities)}
        if self.sentiment:
            told = (row.sentiment or {}).items()
            added["sentiment"] = {name: {"polarity": own.polarity, **_rounded(own.probabilities)} for name, own in told}
        added[LANGUAGE] = row.language
        if self.explain:
            added |= {"reason": row.reason, "words": _words(row), "nearest": _nearest(row)}
            if not self.per_sentence:
                added["sentences"] = _sentences(row)
        return self._prefixed(added)

    @property
    def flat_names(self) -> list[str]:
        where = ["row", "start", "end"] if self.per_sentence else []
        explained = ["reason", "words"] if self.explain else []
        aspects = [ASPECTS, ACCEPTED, TO_REVIEW] if self.promised else [ASPECTS]
        told = [SENTIMENT_OF + name for name in self.classes] if self.sentiment else []
        probabilities = [PROBABILITY + name for name in self.classes]
        return [self.prefix + name for name in (*where, *aspects, *probabilities, *told, LANGUAGE, *explained)]

    def _where(self, row: Row) -> dict[str, Any]:
        return {"row": row.number, "start": row.start, "end": row.end} if self.per_sentence else {}

    def _aspects(self, row: Row) -> dict[str, list[str]]:
        """All that are answered; accepted ones and others apart, if a precision was promised."""
        if not self.promised:
            return {ASPECTS: list(row.aspects)}
        accepted = row.accepted or ()
        apart = {ACCEPTED: list(accepted), TO_REVIEW: [name for name in row.aspects if name not in accepted]}
        return {ASPECTS: list(row.aspects), **apart}

    def _prefixed(self, added: dict[str, Any]) -> dict[str, Any]:
        return {self.prefix + name: value for name, value in added.items()}


def _rounded(values: Mapping[str, float]) -> dict[str, float]:
    return {name: round(float(value), _DIGITS) for name, value in values.items()}


def _words(row: Row) -> list[dict[str, Any]]:
    return [
        {
            "text": row.text[mark.start - row.start : mark.end - row.start],
            "start": mark.start - row.start,
            "end": mark.end - row.start,
            "aspect": mark.aspect,
            "evidence": round(float(mark.evidence), _DIGITS),
        }
        for mark in row.marks
    ]


def _words_in_a_line(row: Row) -> str:
    """food: soup, cold; service: waiter"""
    by_aspect: dict[str, list[str]] = {name: [] for name in row.aspects}
    for mark in row.marks:
        by_aspect.setdefault(mark.aspect, []).append(row.text[mark.start - row.start : mark.end - row.start])
    return "; ".join(f"{name}: {', '.join(words)}" for name, words in by_aspect.items() if words)


def _nearest(row: Row) -> dict[str, list[dict[str, Any]]]:
    return {
        name: [
            {"text": near.text, "similarity": round(float(near.similarity), _DIGITS)}
            for near in row.analysis.nearest.get(name, ())
        ]
        for name in row.aspects
    }


def _sentences(row: Row) -> list[dict[str, Any]]:
    return [
        {
            "text": sentence.text,
            "start": sentence.start,
            "end": sentence.end,
            "aspects": list(sentence.aspects),
            "probabilities": _rounded(sentence.probabilities),
            "reason": sentence.reason,
        }
        for sentence in row.analysis.sentences
    ]


class Writer(ABC):
    """What takes rows, a chunk at a time, and at the end the summary; or is given up after an error."""

    @abstractmethod
    def write(self, rows: Sequence[Row]) -> None: ...

    def finish(self, summary: Summary) -> None:  # noqa: B027
        """Write what stands at the end."""

    def abandon(self) -> None:  # noqa: B027
        """Let go of the file, which will be thrown away."""


class Target(NamedTuple):
    """Where rows go: the name of a file or "-", in which format; a page also has a title."""

    name: str
    format: OutputFormat
    title: str = ""
    spreadsheet: bool = False  # CSV and TSV: with a byte order mark, and no cell a formula
    delimiter: str | None = None  # of such a CSV, if not a comma


@contextmanager
def open_writer(target: Target, layout: Layout, columns: Columns) -> Iterator[Writer]:
    """What writes the target; after an error a file is as it was before, while a pipe has what was written."""
    with open_target(target.name, binary=target.format in BINARY) as file:
        writer = _make(target, file, layout, columns)
        try:
            yield _Flushed(writer, file) if target.name == STANDARD else writer
        except BaseException:
            writer.abandon()
            raise


def _make(target: Target, file: IO[Any], layout: Layout, columns: Columns) -> Writer:
    place = Place("standard output" if target.name == STANDARD else target.name)
    if target.format is OutputFormat.JSONL:
        return JsonWriter(file, layout)
    if target.format is OutputFormat.HTML:
        from fewaspect.reviews.pages.html import PageWriter

        return PageWriter(file, layout, target.title)
    if target.format is OutputFormat.PARQUET:
        from fewaspect.reviews.parquet_rows import ParquetRows

        return ParquetRows(file, layout, columns)
    join_names(place, layout.classes, JOINT.strip(), JOINT)
    if target.format is OutputFormat.XLSX:
        from fewaspect.reviews.excel_rows import ExcelRows

        return ExcelRows(file, layout, columns)
    delimiter = "\t" if target.format is OutputFormat.TSV else target.delimiter or ","
    return TableWriter(file, layout, columns, delimiter, spreadsheet=target.spreadsheet)


class JsonWriter(Writer):
    """One object per row: the fields as they were, the result as lists and objects."""

    def __init__(self, file: IO[Any], layout: Layout) -> None:
        self.file, self.layout = file, layout

    def write(self, rows: Sequence[Row]) -> None:
        for row in rows:
            added = self.layout.nested(row)
            row.place.refuse_clash(row.fields, added)
            self.file.write(as_json({**row.fields, **added}) + "\n")


class TableWriter(Writer):
    """CSV or TSV: the columns as they were, the aspects joined by "; ", one column of probabilities per aspect.

    For a `spreadsheet`, with a byte order mark, by which Excel knows UTF-8, and with formulas made harmless; where it
    separates cells by semicolons, decimals have a comma.
    """

    def __init__(
        self, file: IO[Any], layout: Layout, columns: Columns, delimiter: str, *, spreadsheet: bool = False
    ) -> None:  # fmt: skip
        self.layout, self.names, self.spreadsheet = layout, list(columns.kinds), spreadsheet
        self.point = "," if delimiter == ";" else "."
        if spreadsheet:
            file.write("\ufeff")
        self.writer = table_writer(file, delimiter)
        self._row([*self.names, *layout.flat_names])

    def write(self, rows: Sequence[Row]) -> None:
        for row in rows:
            refuse_new_columns(row, self.names)
            own = [self._cell(row.fields.get(name), as_text) for name in self.names]
            self._row([*own, *(self._cell(value, "{:.4f}".format) for value in self.layout.flat(row).values())])

    def _cell(self, value: object, written: Callable[[float], str]) -> object:
        return written(value).replace(".", self.point) if isinstance(value, float) else table_cell(value)

    def _row(self, cells: list[object]) -> None:
        self.writer.writerow([harmless_cell(cell) for cell in cells] if self.spreadsheet else cells)


def harmless_cell(cell: object) -> object:
    """As text what a spreadsheet would run as a formula; numbers stay numbers."""
    if not isinstance(cell, str) or not cell.startswith(_FORMULA) or _NUMBER.fullmatch(cell):
        return cell
    return "'" + cell


def refuse_new_columns(row: Row, names: Sequence[str]) -> None:
    """Only a pipe can bring a field late: a file was read to its end before."""
    for name in row.fields:
        if name not in names:
            raise row.place.error(
                f"the field {quoted(name)} appears here first, when the columns of the table are written already.",
                "Write jsonl, or save the reviews to a file and name that.",
            )


def as_json(value: Any) -> str:
    """JSON in one line; what it has no form for becomes text, and no number null."""
    try:
        return json.dumps(value, ensure_ascii=False, allow_nan=False, default=as_text)
    except ValueError:  # NaN or infinity somewhere
        return json.dumps(_finite(value), ensure_ascii=False, default=as_text)


def as_text(value: object) -> str:
    if isinstance(value, bytes):
        return base64.b64encode(value).decode("ascii")
    return value.isoformat() if isinstance(value, date | time) else str(value)


def _finite(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _finite(item) for name, item in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(item) for item in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


def table_cell(value: object) -> object:
    """A value as tables of text have it."""
    if isinstance(value, list) and all(isinstance(item, str) for item in value):
        return JOINT.join(value)
    if isinstance(value, list | tuple | dict):
        return as_json(value)
    if isinstance(value, str):
        return value.replace("\0", "\ufffd")  # no reader of tables takes a NUL
    return "" if value is None else as_json(value) if isinstance(value, bool) else as_text(value)


class _Flushed(Writer):
    """Lets a pipe have every chunk at once."""

    def __init__(self, writer: Writer, file: IO[Any]) -> None:
        self.writer, self.file = writer, file

    def write(self, rows: Sequence[Row]) -> None:
        self.writer.write(rows)
        self.file.flush()

    def finish(self, summary: Summary) -> None:
        self.writer.finish(summary)
        self.file.flush()


class _Utf8:
    """Text to a binary stream, buffered until it is flushed: a broken pipe shows once, between chunks."""

    def __init__(self, stream: IO[bytes]) -> None:
        self.stream = stream
        self.held: list[str] = []

    def write(self, text: str) -> int:
        self.held.append(text)
        return len(text)

    def flush(self) -> None:
        text, self.held = "".join(self.held), []
        self.stream.write(text.encode("utf-8"))
        self.stream.flush()


@contextmanager
def open_target(target: str, binary: bool = False) -> Iterator[Any]:
    """A file that appears when it is complete, or standard output."""
    if target != STANDARD:
        if Path(target).is_dir():
            raise ConfigError(f"{target}: expected the name of a file to write, found a directory.\nName a file in it.")
        with atomic_write(target, "wb" if binary else "w") as file:
            yield file
    elif sys.stdout is None:
        raise ConfigError("standard output: expected a pipe or a file, found it closed.\nName a file with --output.")
    elif binary and sys.stdout.isatty():
        raise ConfigError("Parquet and Excel are not for a terminal.\nName a file with --output, or choose --to jsonl.")
    else:
        yield sys.stdout.buffer if binary else _Utf8(sys.stdout.buffer)

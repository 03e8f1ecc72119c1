"""Results as a file: a row for each sentence or each review, with the columns of the review."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import groupby, islice
from pathlib import Path
from typing import Any

from fewaspect.data.formats.records import Place
from fewaspect.detector.explain import Analysis, best_first
from fewaspect.reviews.formats import OutputFormat, RowUnit
from fewaspect.reviews.pipeline import Summary
from fewaspect.reviews.readers.columns import Kind, update_kinds, update_shapes
from fewaspect.reviews.readers.source import Columns
from fewaspect.reviews.writers import BINARY, Layout, Row, TableWriter, Writer, open_target
from fewaspect.studio.engine.promises import to_review
from fewaspect.studio.engine.sentiment.sentence_sentiment import answers_by_row, of_review
from fewaspect.studio.engine.snapshot import Snapshot
from fewaspect.text.language import language_of

CHUNK = 1000
_DECIMAL = re.compile(r"-?\d+\.(\d{1,2}|\d{4,})|-?0\.\d+")


def write_results(
    snapshot: Snapshot, reviews: Sequence[Any], path: Path, format: OutputFormat, rows: RowUnit = RowUnit.SENTENCE,
    delimiter: str = ",",
) -> None:  # fmt: skip
    """CSV for spreadsheets, in which no cell is a formula, an Excel workbook, or Parquet.

    `delimiter`: of CSV; with semicolons decimals have a comma, those of the reviews' columns too.
    """
    fields, texts = {review.id: review.fields for review in reviews}, {review.id: review.text for review in reviews}
    if format is OutputFormat.CSV and delimiter == ";":
        fields = _with_decimals(fields)
    text = _free("text", [name for own in fields.values() for name in own])
    kinds: dict[str, Kind] = {}
    shapes: dict[str, str | None] = {}
    for own in fields.values():
        update_kinds(kinds, own)
        update_shapes(shapes, own)
    columns = Columns({**kinds, text: Kind.STRING}, shapes=shapes)
    classes = tuple(aspect.name for aspect in snapshot.definition.aspects)
    promised, told = to_review(snapshot) is not None, snapshot.sentiment is not None
    layout = Layout(classes, per_sentence=rows is RowUnit.SENTENCE, promised=promised, sentiment=told)
    while set(layout.flat_names) & set(columns.kinds):
        layout = replace(layout, prefix=f"{layout.prefix}found_")
    found = _rows(snapshot, fields, text, {number: language_of(own) for number, own in texts.items()})
    if rows is RowUnit.REVIEW:
        found = review_rows(snapshot, found, texts, text)
    with open_target(str(path), format in BINARY) as file:
        writer = _writer(file, layout, columns, format, delimiter)
        try:
            while chunk := list(islice(found, CHUNK)):
                writer.write(chunk)
            writer.finish(Summary(classes))
        except BaseException:
            writer.abandon()
            raise


def _writer(file: Any, layout: Layout, columns: Columns, format: OutputFormat, delimiter: str) -> Writer:
    if format is OutputFormat.XLSX:
        from fewaspect.reviews.excel_rows import ExcelRows

        return ExcelRows(file, layout, columns)
    if format is OutputFormat.PARQUET:
        from fewaspect.reviews.parquet_rows import ParquetRows

        return ParquetRows(file, layout, columns)
    return TableWriter(file, layout, columns, delimiter, spreadsheet=True)


def _with_decimals(fields: Mapping[int, dict[str, Any]]) -> dict[int, dict[str, Any]]:
    """Texts as numbers in columns of numbers with a decimal point; 1.234 alone does not say that it is one."""
    shapes: dict[str, str | None] = {}
    pointed = set()
    for own in fields.values():
        update_shapes(shapes, own)
        pointed |= {name for name, value in own.items() if isinstance(value, str) and _DECIMAL.fullmatch(value)}
    decimal = {name for name in pointed if shapes[name] == "number"}

    def number(name: str, value: Any) -> Any:
        return float(value) if name in decimal and isinstance(value, str) and "." in value else value

    return {review: {name: number(name, own[name]) for name in own} for review, own in fields.items()}


def review_rows(snapshot: Snapshot, sentences: Iterable[Row], texts: Mapping[int, str], column: str) -> Iterator[Row]:
    """One row for each review: the aspects of all its sentences, each with the highest of its probabilities."""
    by_number = dict(enumerate(texts.values(), 1))
    for number, group in groupby(sentences, key=lambda row: row.number):
        rows = list(group)
        highest = {name: max(row.probabilities[name] for row in rows) for name in rows[0].probabilities}
        named = {name for row in rows for name in row.aspects}
        accepted = None if rows[0].accepted is None else {name for row in rows for name in row.accepted or ()}
        order = sorted(named, key=lambda name: -highest[name])
        text = by_number[number]
        told = None
        if rows[0].sentiment is not None:
            told = of_review(snapshot, ((row.sentiment or {}, row.probabilities) for row in rows))
        yield replace(
            rows[0], text=text, fields={**rows[0].fields, column: text}, start=0, end=len(text), aspects=tuple(order),
            probabilities=highest, sentiment=told,
            accepted=None if accepted is None else tuple(name for name in order if name in accepted),
        )  # fmt: skip


def _rows(
    snapshot: Snapshot, fields: dict[int, dict[str, Any]], text: str, languages: Mapping[int, str]
) -> Iterator[Row]:
    names, decided = [a.name for a in snapshot.definition.aspects], snapshot.decided()
    probabilities, sentences = snapshot.scores.probabilities, snapshot.sentences
    numbers = {review: number for number, review in enumerate(fields, 1)}
    unsure = to_review(snapshot)
    nothing, told = Analysis("", (), {}, "", (), {}, ()), answers_by_row(snapshot)
    for row, sentence in enumerate(sentences.texts):
        p, own, review = probabilities[row], decided[row], int(sentences.review_ids[row])
        start, number = int(sentences.starts[row]), numbers[review]
        yield Row(
            Place("reviews").at(f"row {number}"), {**fields[review], text: sentence}, sentence, number, start,
            start + len(sentence), tuple(names[n] for n in best_first(p, own)),
            dict(zip(names, p.tolist(), strict=True)), snapshot.reason(row, own), (), nothing,
            None if unsure is None else tuple(names[n] for n in best_first(p, own & ~unsure[row])),
            None if told is None else told.get(row, {}), languages[review],
        )  # fmt: skip


def _free(name: str, taken: Sequence[str]) -> str:
    while name in taken:
        name = f"sentence_{name}"
    return name

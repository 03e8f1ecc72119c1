"""Results as a file: a row for each sentence, with the columns of its review."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from fewaspect.data.formats.records import Place
from fewaspect.detector.explain import Analysis, best_first, reason
from fewaspect.reviews.pipeline import Summary
from fewaspect.reviews.readers.source import Columns, Kind, update_kinds
from fewaspect.reviews.writers import Layout, Row, TableWriter, Writer, open_target
from fewaspect.studio.engine.promises import to_review
from fewaspect.studio.engine.snapshot import Snapshot

CHUNK = 1000


def write_results(snapshot: Snapshot, reviews: Sequence[Any], path: Path, format: str) -> None:
    """CSV, in which no cell is a formula, or Parquet."""
    fields = {review.id: review.fields for review in reviews}
    text = _free("text", [name for own in fields.values() for name in own])
    kinds: dict[str, Kind] = {}
    for own in fields.values():
        update_kinds(kinds, own)
    columns = Columns({**kinds, text: Kind.STRING})
    classes = tuple(aspect.name for aspect in snapshot.definition.aspects)
    layout = Layout(classes, per_sentence=True, promised=to_review(snapshot) is not None)
    while set(layout.flat_names) & set(columns.kinds):
        layout = replace(layout, prefix=f"{layout.prefix}found_")
    binary = format == "parquet"
    with open_target(str(path), binary) as file:
        writer = _writer(file, layout, columns, binary)
        rows = list(_rows(snapshot, fields, text))
        for start in range(0, len(rows), CHUNK):
            writer.write(rows[start : start + CHUNK])
        writer.finish(Summary(classes))


def _writer(file: Any, layout: Layout, columns: Columns, binary: bool) -> Writer:
    if not binary:
        return TableWriter(file, layout, columns, ",", harmless=True)
    from fewaspect.reviews.parquet_rows import ParquetRows

    return ParquetRows(file, layout, columns)


def _rows(snapshot: Snapshot, fields: dict[int, dict[str, Any]], text: str) -> Iterator[Row]:
    names, decided = [a.name for a in snapshot.definition.aspects], snapshot.decided()
    probabilities, sentences = snapshot.scores.probabilities, snapshot.sentences
    numbers = {review: number for number, review in enumerate(fields, 1)}
    unsure = to_review(snapshot)
    nothing = Analysis("", (), {}, "", (), {}, ())
    for row, sentence in enumerate(sentences.texts):
        p, own, review = probabilities[row], decided[row], int(sentences.review_ids[row])
        start, number = int(sentences.starts[row]), numbers[review]
        why = reason(p, snapshot.thresholds, own, names) if names else ""
        yield Row(
            Place("reviews").at(f"row {number}"), {**fields[review], text: sentence}, sentence, number, start,
            start + len(sentence), tuple(names[n] for n in best_first(p, own)),
            dict(zip(names, p.tolist(), strict=True)), why, (), nothing,
            None if unsure is None else tuple(names[n] for n in best_first(p, own & ~unsure[row])),
        )  # fmt: skip


def _free(name: str, taken: Sequence[str]) -> str:
    while name in taken:
        name = f"sentence_{name}"
    return name

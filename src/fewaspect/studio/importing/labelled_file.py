"""Labelled sentences from an uploaded file: tables as people have them, or one of the formats of labelled data."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from fewaspect.data.formats import read_sentences
from fewaspect.data.formats.record_fields import Fields, make_sentence
from fewaspect.data.labelled import LabelledSentence
from fewaspect.reviews.formats import InputFormat
from fewaspect.reviews.readers.columns import USUAL_COLUMNS, Records
from fewaspect.studio.importing.budget import Budget
from fewaspect.studio.importing.uploads import Upload
from fewaspect.studio.store.definition import name_identity

TABLES = (InputFormat.CSV, InputFormat.TSV, InputFormat.XLSX)
LABELS = ("labels", "aspects")  # names of their column, in any case
SEPARATORS = ";,"  # between the names of a cell: the first that is in it


def read_labelled(upload: Upload, budget: Budget, names: Collection[str] = ()) -> list[LabelledSentence]:
    """All of a file; how a table is written is detected. A cell that is one of the names is that one."""
    if upload.format not in TABLES:
        return list(budget.each(read_sentences(upload.path)))
    with upload.source(budget).records() as records:
        found = list(budget.each(_from_table(records, set(map(name_identity, names)))))
        if not found:
            raise records.place.error("expected labelled sentences, found none.")
        return found


def _from_table(records: Records, whole: set[str]) -> Iterator[LabelledSentence]:
    columns = {name.strip().casefold(): name for name in reversed(records.names or [])}
    usual = (USUAL_COLUMNS, LABELS)
    text, labels = (next((columns[name] for name in names if name in columns), None) for names in usual)
    if text is None or labels is None:
        raise records.place.error(f"expected columns of labelled sentences, text and labels, found {list(columns)}.")
    for place, row in records.rows:
        cell = str(row[labels] or "")
        known = name_identity(cell) in whole
        separator = next((one for one in SEPARATORS if one in cell and not known), SEPARATORS[0])
        yield make_sentence(place, Fields(text, labels, separator), row[text], cell)

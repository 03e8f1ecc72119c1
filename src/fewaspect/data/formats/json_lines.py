"""One JSON object per line: plain JSONL (`text`, `labels`) and FewAsp's own files (`text_u`, `label`)."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import IO, Any

from fewaspect.data.formats.record_fields import SEPARATOR, Fields, make_sentence
from fewaspect.data.formats.records import LineReader, Place, join_names, json_objects, opened_text, quoted
from fewaspect.data.labelled import LabelledSentence

FEWASP_TEXT, FEWASP_LABELS = "text_u", "label"


def read(path: Path, fields: Fields, encoding: str) -> Iterator[LabelledSentence]:
    with opened_text(path) as file:
        for record in json_objects(LineReader(file, Place(path), encoding)):
            place, found = Place(path).line(record.line), record.values
            for field in (fields.text, fields.labels):
                if field not in found:
                    raise place.error(f"{quoted(field)} is missing, found {_keys(found)}.", _remedy(field, fields))
            told = found.get(fields.polarity_field(found) or "")
            yield make_sentence(place, fields, found[fields.text], found[fields.labels], told)


def write(sentences: Iterable[LabelledSentence], file: IO[Any], place: Place) -> None:
    for sentence in sentences:
        _write_line(file, {"text": sentence.text, "labels": list(sentence.aspects)})


def write_fewasp(sentences: Iterable[LabelledSentence], file: IO[Any], place: Place) -> None:
    for number, sentence in enumerate(sentences, 1):
        label = join_names(place.at(f"sentence {number}"), sentence.aspects, SEPARATOR, ", ")
        _write_line(file, {FEWASP_TEXT: sentence.text, FEWASP_LABELS: label})


def _write_line(file: IO[Any], record: dict[str, Any]) -> None:
    file.write(json.dumps(record, ensure_ascii=False) + "\n")


def _keys(record: dict[str, Any]) -> str:
    names = ", ".join(quoted(key) for key in list(record)[:8])
    return f"the fields {names}" if names else "no fields"


def _remedy(field: str, fields: Fields) -> str:
    if field == fields.text:
        return "Name the field that holds the sentence with --text-field."
    return "Name the field that holds the aspects with --label-field; a sentence without any has an empty list."

"""One JSON object per line: plain JSONL (`text`, `labels`) and FewAsp's own files (`text_u`, `label`)."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import IO, Any

from fewaspect.core.errors import DataError
from fewaspect.data.formats.lines import read_lines
from fewaspect.data.formats.places import Place, quoted, shown
from fewaspect.data.formats.record_fields import SEPARATOR, Fields, join_names, make_sentence
from fewaspect.data.labelled import LabelledSentence

FEWASP_TEXT, FEWASP_LABELS = "text_u", "label"


def read(path: Path, fields: Fields, encoding: str) -> Iterator[LabelledSentence]:
    for number, line in read_lines(path, encoding):
        if not line.strip():
            continue
        place = Place(path).line(number)
        record = parse(line, place)
        if not isinstance(record, dict):
            raise place.error(f"expected a JSON object, found {shown(record)}.", "Write one object per line.")
        for field in (fields.text, fields.labels):
            if field not in record:
                raise place.error(f"{quoted(field)} is missing, found {_keys(record)}.", _remedy(field, fields))
        yield make_sentence(place, fields, record[fields.text], record[fields.labels])


def parse(text: str, place: Place) -> Any:
    """JSON or a DataError with line and column."""
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        raise _fault(text, error, place) from None
    except (ValueError, RecursionError) as error:  # a number of thousands of digits; brackets thousands deep
        raise place.error(f"expected a simple JSON object, found one that cannot be read ({error}).") from None


def _fault(text: str, error: json.JSONDecodeError, place: Place) -> DataError:
    """Where it is wrong, or where it breaks off, which is not where the decoder began to miss something."""
    lines = text.rstrip().split("\n")
    if error.pos >= len(text.rstrip()) or error.msg.startswith("Unterminated string"):
        where, near = place.line(len(lines)), lines[-1][-30:]
        problem = f"a text that breaks off after column {len(lines[-1])}"
    else:
        where, near = place.line(error.lineno), text[max(0, error.pos - 15) : error.pos + 15]
        problem = f"a fault at column {error.colno} ({error.msg})"
    return (place if place.spot else where).error(
        f"expected valid JSON, found {problem}: {quoted(near)}.",
        "Correct the line, or name the file's true format with --from.",
    )


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

"""The sheet of an audit: sentences to check as JSONL or CSV, with what is found now and labels to be filled in."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from fewaspect.core.errors import CheckpointError, ConfigError, FewAspectError
from fewaspect.core.files import atomic_write
from fewaspect.data.formats.record_fields import SEPARATOR, Fields, make_sentence
from fewaspect.data.formats.records import Place, join_names, quoted, table_writer
from fewaspect.detector.labelling.audit import Audit
from fewaspect.reviews.formats import InputFormat
from fewaspect.reviews.readers.source import Source
from fewaspect.reviews.writers import as_json
from fewaspect.text.identity import example_identity

LINES, TABLE = (".jsonl", ".ndjson"), (".csv",)
COLUMNS = ("text", "found", "labels")
NONE = ("none", "-")  # in a table, where an empty cell is a sentence that nobody has checked yet

Labels = Sequence[list[str] | None]


def audit_path(sheet: Path) -> Path:
    """Where what the sheet was drawn from is kept: beside it."""
    return sheet.with_name(f"{sheet.stem}.audit.json")


def check_extension(sheet: Path) -> None:
    if sheet.suffix.lower() not in (*LINES, *TABLE):
        raise ConfigError(f"{sheet}: expected a name that ends in .jsonl or .csv, found {sheet.suffix or 'none'}.")


def refuse_answered(sheet: Path, after: Path | None) -> None:
    """What a person has filled in is never replaced, unless the new sheet takes it over."""
    for other in (sheet.with_suffix(suffix) for suffix in (sheet.suffix, *LINES, *TABLE)):  # they share the audit
        if other.exists() and not (after and after.exists() and other.samefile(after)) and _has_answers(other):
            raise ConfigError(
                f"{sheet}: expected a new name, found a sheet that may hold answers, {other}.\n"
                f"Name another file, or go on with it: --after {other}."
            )


def _has_answers(sheet: Path) -> bool:
    try:
        return any(given is not None for *_, given in _records(sheet))
    except FewAspectError:  # something else, or damaged by hand
        return True


def write_sheet(sheet: Path, audit: Audit, labels: Labels) -> None:
    """The sheet, and beside it the audit. This comes first: with it, the sheet before can still be read."""
    check_extension(sheet)
    audit.save(audit_path(sheet))
    with atomic_write(sheet) as file:
        if sheet.suffix.lower() in LINES:
            for sentence, own in zip(audit.sentences, labels, strict=True):
                file.write(as_json({"text": sentence.text, "found": list(sentence.answers), "labels": own}) + "\n")
        else:
            writer = table_writer(file, ",")
            writer.writerow(COLUMNS)
            for number, (sentence, own) in enumerate(zip(audit.sentences, labels, strict=True), 2):
                found, given = (_cell(Place(sheet).line(number), names) for names in (sentence.answers, own))
                writer.writerow((sentence.text, found, given))


def read_sheet(sheet: Path) -> tuple[Audit, Labels]:
    """The audit, and for each of its sentences the labels, None where there are none yet; rows may have moved."""
    check_extension(sheet)
    records = list(_records(sheet))
    if not audit_path(sheet).is_file():
        raise CheckpointError(
            f"{sheet}: expected {audit_path(sheet).name} beside it, which was written with it, found none.\n"
            "Put it back: it says what the sentences were drawn from."
        )
    audit = Audit.load(audit_path(sheet))
    place_of = {example_identity(sentence.text): row for row, sentence in enumerate(audit.sentences)}
    labels: list[list[str] | None] = [None] * len(audit.sentences)
    for place, text, given in records:
        row = place_of.get(example_identity(text))
        if row is None:
            raise place.error(f"expected a sentence of {audit_path(sheet).name}, found another, {quoted(text)}.")
        if given is not None:
            names = make_sentence(place, Fields(separator=SEPARATOR), text, given).aspects
            for name in names:
                if name not in audit.names:
                    raise place.error(
                        f"expected labels among {', '.join(audit.names)}, found {quoted(name)}.", "Correct the label."
                    )
            labels[row] = list(names)
    return audit, labels


def _records(sheet: Path) -> Iterator[tuple[Place, str, Any]]:
    """Place, text and labels of each row, None for labels that were not filled in; a spreadsheet may have saved it."""
    format = InputFormat.JSONL if sheet.suffix.lower() in LINES else InputFormat.CSV
    with Source(str(sheet), format).records() as records:
        if records.names is None:
            for place, fields in records.rows:
                yield place, str(fields.get("text", "")), fields.get("labels")
            return
        if missing := [name for name in ("text", "labels") if name not in records.names]:
            found = ", ".join(records.names)
            raise records.place.error(f"expected a column {quoted(missing[0])}, found {found}.")
        for place, fields in records.rows:
            given = fields["labels"].strip()
            yield place, fields["text"], None if not given else [] if given in NONE else given


def _cell(place: Place, names: Sequence[str] | None) -> str:
    """Empty: nobody has checked it yet."""
    return "" if names is None else join_names(place, names, SEPARATOR, ", ") or NONE[0]

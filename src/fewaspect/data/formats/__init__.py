"""Files of labelled sentences in any of seven formats -> SentenceSet, and back."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import IO, Any

from fewaspect.core.files import atomic_write
from fewaspect.data.format_names import Format
from fewaspect.data.formats import grouped, json_lines, parquet, semeval, table
from fewaspect.data.formats.recognition import input_format, output_format
from fewaspect.data.formats.record_fields import POLARITY_FIELDS, SEPARATOR, Fields, checked
from fewaspect.data.formats.records import Place, quoted
from fewaspect.data.labelled import LabelledSentence, SentenceSet

__all__ = ["Format", "input_format", "output_format", "read_sentences", "write_sentences"]

Read = Callable[[Path, Fields, str], Iterator[LabelledSentence]]
Write = Callable[[Iterable[LabelledSentence], IO[Any], Place], None]
_FEWASP = Fields(json_lines.FEWASP_TEXT, json_lines.FEWASP_LABELS, SEPARATOR)
_COLUMNS = Fields(separator=SEPARATOR)
_FORMATS: dict[Format, tuple[Read, Write, Fields | None]] = {  # None: there are no fields to name
    Format.JSONL: (json_lines.read, json_lines.write, Fields()),
    Format.FEWASP: (json_lines.read, json_lines.write_fewasp, _FEWASP),
    Format.FEWASP_GROUPED: (grouped.read, grouped.write, None),
    Format.CSV: (partial(table.read, delimiter=","), partial(table.write, delimiter=","), _COLUMNS),
    Format.TSV: (partial(table.read, delimiter="\t"), partial(table.write, delimiter="\t"), _COLUMNS),
    Format.PARQUET: (parquet.read, parquet.write, _COLUMNS),
    Format.SEMEVAL: (semeval.read, semeval.write, None),
}


def read_sentences(
    path: str | os.PathLike[str],
    *,
    format: Format | str | None = None,
    text_field: str | None = None,
    label_field: str | None = None,
    label_separator: str | None = None,
    encoding: str = "utf-8",
    polarities: bool = False,
) -> SentenceSet:
    """All sentences of a file; a fault raises DataError with its place, what was expected and what was found.

    The format follows from extension and content unless given. Aspect names in one string are separated by "," unless
    `label_separator` says otherwise (JSONL expects a list unless it is given); spaces around names do not count, an
    empty string means none, a repeated name counts once. XML names its own encoding, Parquet has none. `polarities`:
    whether a field "sentiment" or "polarity" is read too, where a format with fields has one.
    """
    path = Path(path)
    chosen = input_format(path, format, text_field)
    read, _, _ = _FORMATS[chosen]
    fields = _fields(Place(path), chosen, text_field, label_field, label_separator)
    fields = replace(fields, polarities=POLARITY_FIELDS) if polarities else fields
    sentences = SentenceSet(read(path, fields, encoding), path.name)
    if not len(sentences):
        raise Place(path).error(f"expected labelled sentences ({chosen.value}), found none.")
    return sentences


def write_sentences(
    sentences: Iterable[LabelledSentence], path: str | os.PathLike[str], format: Format | str | None = None
) -> None:
    """Write a file whole or not at all, in the format of its extension unless given; .json means FewAsp's lines."""
    path = Path(path)
    chosen = output_format(path, format)
    place, (_, write, _) = Place(path), _FORMATS[chosen]
    if path.is_dir():
        raise place.error("expected a file name, found a directory.", "Name a file in it.")
    try:
        with atomic_write(path, "wb" if chosen is Format.PARQUET else "w") as file:
            write(checked(place, sentences), file, place)
    except OSError as error:
        raise place.error(
            f"cannot be written ({error.strerror or error}).",
            "Check that its folder exists, may be written and has room.",
        ) from None


def _fields(place: Place, format: Format, text: str | None, labels: str | None, separator: str | None) -> Fields:
    _, _, default = _FORMATS[format]
    if default is None:
        if given := [name for name in (text, labels, separator) if name is not None]:
            raise place.error(
                f"{format.value} has no fields or separator to name, found {quoted(given[0])}.",
                "Leave out --text-field, --label-field and --label-separator.",
            )
        return Fields()
    if separator == "":
        raise place.error(
            "expected a label separator, found an empty string.", 'Pass one, such as --label-separator ";".'
        )
    return Fields(
        default.text if text is None else text,
        default.labels if labels is None else labels,
        default.separator if separator is None else separator,
    )

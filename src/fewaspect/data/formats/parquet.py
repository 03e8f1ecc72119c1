"""Parquet with a string column for texts, and labels as lists of strings or separated strings."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from fewaspect.data.formats.lines import LINE_LIMIT, opened, too_long
from fewaspect.data.formats.places import Place, quoted
from fewaspect.data.formats.record_fields import Fields, make_sentence
from fewaspect.data.labelled import LabelledSentence

if TYPE_CHECKING:
    import pyarrow as pa

_BATCH = 1024


def read(path: Path, fields: Fields, encoding: str) -> Iterator[LabelledSentence]:
    """Rows in batches, so that memory is bounded by a batch; `encoding` has no meaning here."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    place = Place(path)
    with opened(path) as raw:
        try:
            with pq.ParquetFile(raw) as file:
                _check_schema(place, file.schema_arrow, fields)
                row = 0
                for batch in file.iter_batches(_BATCH, columns=[fields.text, fields.labels]):
                    texts, labels = (batch[name].to_pylist() for name in (fields.text, fields.labels))
                    for text, names in zip(texts, labels, strict=True):
                        row += 1
                        if len(text or "") > LINE_LIMIT:
                            raise too_long(place.at(f"row {row}"), "a text")
                        yield make_sentence(place.at(f"row {row}"), fields, text, names)
        except (pa.ArrowException, OSError, UnicodeDecodeError) as error:
            raise place.error(
                f"expected a Parquet file, found one that cannot be read ({error}).", "Write it anew from its source."
            ) from None


def write(sentences: Iterable[LabelledSentence], file: IO[Any], place: Place) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    schema = pa.schema([("text", pa.string()), ("labels", pa.list_(pa.string()))])
    rows = [{"text": sentence.text, "labels": list(sentence.aspects)} for sentence in sentences]
    pq.write_table(pa.Table.from_pylist(rows, schema=schema), file)


def _check_schema(place: Place, schema: pa.Schema, fields: Fields) -> None:
    for name, option, kind, lists in (
        (fields.text, "--text-field", "strings", False),
        (fields.labels, "--label-field", "lists of strings, or of strings,", True),
    ):
        if schema.names.count(name) != 1:
            found = ", ".join(quoted(column) for column in schema.names[:8]) or "no columns"
            raise place.error(f"expected a column {quoted(name)}, found {found}.", f"Name the column with {option}.")
        if not _holds_strings(schema.field(name).type, lists):
            raise place.at(f"column {quoted(name)}").error(
                f"expected a column of {kind} found {schema.field(name).type}."
            )


def _holds_strings(kind: pa.DataType, lists: bool) -> bool:
    import pyarrow.types as types

    if types.is_dictionary(kind):
        kind = kind.value_type
    if lists and (types.is_list(kind) or types.is_large_list(kind) or types.is_fixed_size_list(kind)):
        return _holds_strings(kind.value_type, lists=False)
    return types.is_string(kind) or types.is_large_string(kind) or types.is_string_view(kind)

"""Parquet with a string column for texts, and labels as lists of strings or separated strings."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from fewaspect.core.extras import require
from fewaspect.data.formats.record_fields import Fields, make_sentence
from fewaspect.data.formats.records import LINE_LIMIT, Place, opened, quoted, too_long
from fewaspect.data.labelled import LabelledSentence

if TYPE_CHECKING:
    import pyarrow as pa
    from pyarrow.parquet import ParquetFile

_BATCH = 1024


@contextmanager
def opened_parquet(file: Any, place: Place) -> Iterator[ParquetFile]:
    """A Parquet file for the length of the block; what of it cannot be read is a DataError."""
    parquet, arrow = require("pyarrow.parquet", "tables", "Parquet"), require("pyarrow", "tables", "Parquet")
    try:
        with parquet.ParquetFile(file) as found:
            yield found
    except (arrow.ArrowException, OSError, UnicodeDecodeError) as error:
        raise place.error(
            f"expected a Parquet file, found one that cannot be read ({error}).", "Write it anew from its source."
        ) from None


def read(path: Path, fields: Fields, encoding: str) -> Iterator[LabelledSentence]:
    """Rows in batches, so that memory is bounded by a batch; `encoding` has no meaning here."""
    place = Place(path)
    with opened(path) as raw, opened_parquet(raw, place) as file:
        _check_schema(place, file.schema_arrow, fields)
        row, polarity = 0, fields.polarity_field(file.schema_arrow.names)
        columns = [fields.text, fields.labels, *([polarity] if polarity else [])]
        for batch in file.iter_batches(_BATCH, columns=columns):
            texts, labels = (batch[name].to_pylist() for name in (fields.text, fields.labels))
            polarities = batch[polarity].to_pylist() if polarity else [None] * len(texts)
            for text, names, told in zip(texts, labels, polarities, strict=True):
                row += 1
                if len(text or "") > LINE_LIMIT:
                    raise too_long(place.at(f"row {row}"), "a text")
                yield make_sentence(place.at(f"row {row}"), fields, text, names, told)


def write(sentences: Iterable[LabelledSentence], file: IO[Any], place: Place) -> None:
    parquet, arrow = require("pyarrow.parquet", "tables", "Parquet"), require("pyarrow", "tables", "Parquet")
    schema = arrow.schema([("text", arrow.string()), ("labels", arrow.list_(arrow.string()))])
    rows = [{"text": sentence.text, "labels": list(sentence.aspects)} for sentence in sentences]
    parquet.write_table(arrow.Table.from_pylist(rows, schema=schema), file)


def _check_schema(place: Place, schema: pa.Schema, fields: Fields) -> None:
    for name, option, kind, lists in (
        (fields.text, "--text-field", "strings", False),
        (fields.labels, "--label-field", "lists of strings, or of strings,", True),
    ):
        if schema.names.count(name) != 1:
            found = ", ".join(quoted(column) for column in schema.names[:8]) or "no columns"
            raise place.error(f"expected a column {quoted(name)}, found {found}.", f"Name the column with {option}.")
        if not holds_strings(schema.field(name).type, lists):
            raise place.at(f"column {quoted(name)}").error(
                f"expected a column of {kind} found {schema.field(name).type}."
            )


def holds_strings(kind: pa.DataType, lists: bool = False) -> bool:
    """Whether a column of this type holds strings, or if `lists` are allowed, lists of them."""
    types = require("pyarrow.types", "tables", "Parquet")
    if types.is_dictionary(kind):
        kind = kind.value_type
    if lists and (types.is_list(kind) or types.is_large_list(kind) or types.is_fixed_size_list(kind)):
        return holds_strings(kind.value_type)
    return types.is_string(kind) or types.is_large_string(kind) or types.is_string_view(kind)

"""Parquet files in batches of bounded size: as Arrow, or as Python records."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, BinaryIO

from fewaspect.core.extras import require
from fewaspect.data.formats.parquet import opened_parquet
from fewaspect.data.formats.records import Place, quoted
from fewaspect.reviews.readers.columns import Records, distinct_names

if TYPE_CHECKING:
    import pyarrow as pa
    from pyarrow.parquet import FileMetaData, ParquetFile

ROWS = 1024
BYTES = 4 << 20  # a batch ends here too: some reviews are books


@contextmanager
def python_records(file: BinaryIO, place: Place) -> Iterator[Records]:
    """Rows as Python values, with the names of the columns made distinct."""
    with opened_parquet(file, place) as parquet:
        schema = python_schema(parquet.schema_arrow)
        yield Records(schema.names, place, _rows(parquet, schema, place))


def arrow_batches(
    parquet: ParquetFile, start: int = 0, rows: int | None = None, size: int = ROWS
) -> Iterator[tuple[int, pa.Table]]:
    """Tables of the rows from `start`, each with the number of its first row, from 0; only their groups are read."""
    stop = parquet.metadata.num_rows if rows is None else start + rows
    groups, row, row_bytes = _row_groups(parquet.metadata, start, stop)
    names, arrow = distinct_names(parquet.schema_arrow.names), require("pyarrow", "tables", "Parquet")
    for batch in parquet.iter_batches(max(1, min(size, int(BYTES / row_bytes))), row_groups=groups):
        first, last = max(start - row, 0), min(stop - row, len(batch))
        if first < last:
            table = arrow.Table.from_batches([batch.slice(first, last - first)])
            table.validate(full=True)  # strings of a damaged page may be no text
            yield row + first, table.rename_columns(names)
        row += len(batch)


def python_schema(schema: pa.Schema) -> pa.Schema:
    """The columns with names that differ and types that Python has: nanoseconds become microseconds."""
    arrow = require("pyarrow", "tables", "Parquet")

    def plain(kind: Any) -> Any:
        if arrow.types.is_timestamp(kind) and kind.unit == "ns":
            return arrow.timestamp("us", kind.tz)
        if arrow.types.is_time64(kind):
            return arrow.time64("us")
        return arrow.duration("us") if arrow.types.is_duration(kind) and kind.unit == "ns" else kind

    names = distinct_names(schema.names)
    return arrow.schema([arrow.field(name, plain(kind)) for name, kind in zip(names, schema.types, strict=True)])


def _row_groups(metadata: FileMetaData, start: int, stop: int) -> tuple[list[int], int, float]:
    """The groups that hold rows `start` to `stop`, the first row of the first, and the most bytes of a row."""
    groups: list[int] = []
    first, begin, row_bytes = 0, 0, 1.0
    for number in range(metadata.num_row_groups):
        group = metadata.row_group(number)
        if first < stop and first + group.num_rows > start:
            begin = begin if groups else first
            groups.append(number)
            row_bytes = max(row_bytes, group.total_byte_size / max(1, group.num_rows))
        first += group.num_rows
    return groups, begin, row_bytes


def _rows(parquet: ParquetFile, schema: pa.Schema, place: Place) -> Iterator[tuple[Place, dict[str, Any]]]:
    for first, table in arrow_batches(parquet):
        columns = _python_columns(table.cast(schema, safe=False), place)
        for number, row in enumerate(zip(*columns.values(), strict=True), first + 1):
            yield place.at(f"row {number}"), dict(zip(columns, row, strict=True))


def _python_columns(table: pa.Table, place: Place) -> dict[str, list[Any]]:
    columns = {}
    for name in table.column_names:
        try:
            columns[name] = table[name].to_pylist()
        except (OverflowError, ValueError) as error:
            raise place.at(f"column {quoted(name)}").error(
                f"expected values that Python can hold, such as dates up to the year 9999, found others ({error}).",
                "Correct them, or leave the column out.",
            ) from None
    return columns

"""A partition as Arrow tables of a bounded size, and beside each the rows that are bad and why."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import islice
from typing import TYPE_CHECKING, Any

from fewaspect.bulk.storage import arrow, local_copy, native_file, opened
from fewaspect.data.formats.parquet import opened_parquet
from fewaspect.data.formats.records import LineReader, Place, Record, quoted, shown
from fewaspect.reviews.formats import InputFormat
from fewaspect.reviews.readers.columns import Kind
from fewaspect.reviews.readers.excel_records import excel_records
from fewaspect.reviews.readers.parquet_records import BYTES, arrow_batches
from fewaspect.reviews.readers.source import read_header, text_records
from fewaspect.reviews.writers import as_json

if TYPE_CHECKING:
    import pyarrow as pa

    from fewaspect.bulk.plan import Partition, Plan

CHUNK = 2000  # rows


@dataclass
class Chunk:
    """Rows that can be scored, and bad ones by their place and reason."""

    table: pa.Table
    bad: list[dict[str, str]] = field(default_factory=list)


def read_partition(plan: Plan, partition: Partition, size: int = CHUNK) -> Iterator[Chunk]:
    """All records of a partition in their order; a file that has fewer by now is refused."""
    readers, found = {InputFormat.PARQUET: _from_parquet, InputFormat.XLSX: _from_sheet}, 0
    for chunk in readers.get(plan.settings.format, _from_text)(plan, partition, size):
        found += len(chunk.table) + len(chunk.bad)
        yield chunk
    if found != partition.rows:
        raise Place(partition.path).error(
            f"expected {partition.rows} records where {partition.name} was planned, found {found}: "
            "the file has changed.",
            "Begin again with another folder for the results.",
        )


def _from_text(plan: Plan, partition: Partition, size: int) -> Iterator[Chunk]:
    from_pylist, place, how = arrow().Table.from_pylist, Place(partition.path), plan.text_format(partition.path)
    with opened(partition.path) as file:
        lines = LineReader(file, place, how.encoding, collect=True, line_end=how.line_end)
        _, names = read_header(lines, plan.settings.format, how.delimiter)
        lines.seek(partition.start, partition.line)
        rows: list[dict[str, Any]] = []
        bad: list[dict[str, str]] = []
        begin = lines.end
        for record in islice(text_records(lines, plan.settings.format, names, how.delimiter), partition.rows):
            if fault := record.fault or _text_fault(record, plan.text):
                bad.append({"place": str(place.line(record.line)), "reason": fault})
            else:
                rows.append({name: _fitting(value, plan.kinds.get(name)) for name, value in record.values.items()})
            if len(rows) + len(bad) >= size or record.end - begin >= BYTES:
                yield Chunk(from_pylist(rows, schema=plan.schema), bad)
                rows, bad, begin = [], [], record.end
        yield Chunk(from_pylist(rows, schema=plan.schema), bad)


def _from_sheet(plan: Plan, partition: Partition, size: int) -> Iterator[Chunk]:
    """All cells are text; a sheet has no bad rows."""
    with (
        local_copy(partition.path) as local,
        excel_records(local, Place(partition.path), plan.settings.sheet) as records,
    ):
        rows = (fields for _, fields in islice(records.rows, partition.start, partition.start + partition.rows))
        while chunk := list(islice(rows, size)):
            yield Chunk(arrow().Table.from_pylist(chunk, schema=plan.schema))


def _text_fault(record: Record, text: str) -> str:
    if text not in record.values:
        return f"{quoted(text)} is missing"
    found = record.values[text]
    return "" if isinstance(found, str) else f"{quoted(text)} must be a string, found {shown(found)}"


def _fitting(value: Any, kind: Kind | None) -> Any:
    """As the column holds it: JSON where it holds values of several types."""
    if value is None or kind in (None, Kind.STRING):
        return value
    return as_json(value) if kind is Kind.MIXED else float(value) if kind is Kind.FLOAT else value


def _from_parquet(plan: Plan, partition: Partition, size: int) -> Iterator[Chunk]:
    compute, place = arrow("pyarrow.compute"), Place(partition.path)
    with native_file(partition.path) as source, opened_parquet(source, place) as parquet:
        for first, found in arrow_batches(parquet, partition.start, partition.rows, size):
            table = _as_planned(found, plan.schema)
            missing = compute.is_null(table[plan.text])
            bad = [
                {"place": str(place.at(f"row {number}")), "reason": f"{quoted(plan.text)} is missing"}
                for number, is_bad in enumerate(missing.to_pylist(), first + 1)
                if is_bad
            ]
            yield Chunk(table.filter(compute.invert(missing)) if bad else table, bad)


def _as_planned(table: pa.Table, schema: pa.Schema) -> pa.Table:
    """The columns of the whole job; those that this file has not are null."""
    columns = [
        table[name].cast(kind) if name in table.column_names else arrow().nulls(len(table), kind)
        for name, kind in zip(schema.names, schema.types, strict=True)
    ]
    return arrow().Table.from_arrays(columns, schema=schema)

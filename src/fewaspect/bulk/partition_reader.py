"""A partition as Arrow tables of a bounded size, and beside each the rows that are bad and why."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import islice
from typing import TYPE_CHECKING, Any

from fewaspect.bulk.division import header
from fewaspect.bulk.records import DELIMITERS, Lines, Record, records
from fewaspect.bulk.storage import filesystem, opened
from fewaspect.data.formats.places import Place, quoted, shown
from fewaspect.reviews.columns import Kind
from fewaspect.reviews.formats import InputFormat
from fewaspect.reviews.writers import as_json

if TYPE_CHECKING:
    import pyarrow as pa

    from fewaspect.bulk.plan import Part, Plan

CHUNK = 2000  # rows
_BYTES = 4 << 20  # a chunk ends here too: some reviews are books


@dataclass
class Chunk:
    """Rows that can be scored, and bad ones by their place and reason."""

    table: pa.Table
    bad: list[dict[str, str]] = field(default_factory=list)


def read_part(plan: Plan, part: Part, size: int = CHUNK) -> Iterator[Chunk]:
    """All records of a partition in their order; a file that has fewer by now is refused."""
    read, found = (_from_parquet if plan.settings.format is InputFormat.PARQUET else _from_text), 0
    for chunk in read(plan, part, size):
        found += len(chunk.table) + len(chunk.bad)
        yield chunk
    if found != part.rows:
        raise Place(part.path).error(
            f"expected {part.rows} records where {part.name} was planned, found {found}: the file has changed.",
            "Begin again with another folder for the results.",
        )


def _from_text(plan: Plan, part: Part, size: int) -> Iterator[Chunk]:
    import pyarrow as pa

    format, encoding = plan.settings.format, plan.settings.encoding
    with opened(part.path) as file:
        names = header(Lines(file, encoding), format, part.path) if format in DELIMITERS else ["text"]
        file.seek(part.start)
        lines = Lines(file, encoding, part.start, part.line)
        rows: list[dict[str, Any]] = []
        bad: list[dict[str, str]] = []
        begun = lines.end
        for record in islice(records(lines, format), part.rows):
            values, fault = _values(record, names, plan.text)
            if fault:
                bad.append({"place": str(Place(part.path).line(record.line)), "reason": fault})
            else:
                rows.append({name: _fitting(value, plan.kinds.get(name)) for name, value in values.items()})
            if len(rows) + len(bad) >= size or record.end - begun >= _BYTES:
                yield Chunk(pa.Table.from_pylist(rows, schema=plan.schema), bad)
                rows, bad, begun = [], [], record.end
        yield Chunk(pa.Table.from_pylist(rows, schema=plan.schema), bad)


def _values(record: Record, names: list[str], text: str) -> tuple[dict[str, Any], str]:
    """The fields of a record, or what is wrong with it."""
    if record.fault:
        return {}, record.fault
    found = record.values
    if isinstance(found, list):
        if len(found) != len(names):
            return {}, f"expected {len(names)} cells as in the header, found {len(found)}"
        found = dict(zip(names, found, strict=True))
    elif isinstance(found, str):
        found = {"text": found}
    if text not in found:
        return {}, f"{quoted(text)} is missing"
    if not isinstance(found[text], str):
        return {}, f"{quoted(text)} must be a string, found {shown(found[text])}"
    return found, ""


def _fitting(value: Any, kind: Kind | None) -> Any:
    """As the column holds it: JSON where several kinds were met."""
    if value is None or kind in (None, Kind.TEXT):
        return value
    return as_json(value) if kind is Kind.MIXED else float(value) if kind is Kind.NUMBER else value


def _from_parquet(plan: Plan, part: Part, size: int) -> Iterator[Chunk]:
    import pyarrow as pa
    import pyarrow.compute as pc
    import pyarrow.parquet as pq

    system, inside = filesystem(part.path)
    with system.open_input_file(inside) as source, pq.ParquetFile(source) as file:
        groups, row, weight = _groups(file.metadata, part)
        for batch in file.iter_batches(max(1, min(size, int(_BYTES / weight))), row_groups=groups):
            first, last = max(part.start - row, 0), min(part.start + part.rows - row, len(batch))
            row, begin = row + len(batch), row + first
            if first >= last:
                continue
            table = _as_planned(pa.Table.from_batches([batch.slice(first, last - first)]), plan.schema)
            missing = pc.is_null(table[plan.text])
            bad = [
                {"place": str(Place(part.path).at(f"row {begin + n + 1}")), "reason": f"{quoted(plan.text)} is missing"}
                for n, is_bad in enumerate(missing.to_pylist())
                if is_bad
            ]
            yield Chunk(table.filter(pc.invert(missing)) if bad else table, bad)


def _groups(metadata: Any, part: Part) -> tuple[list[int], int, float]:
    """The groups of rows that a partition lies in, the first row of the first, and the bytes of a row."""
    groups: list[int] = []
    first, begin, weight = 0, 0, 1.0
    for number in range(metadata.num_row_groups):
        group = metadata.row_group(number)
        if first < part.start + part.rows and first + group.num_rows > part.start:
            begin = begin if groups else first
            groups.append(number)
            weight = max(weight, group.total_byte_size / max(1, group.num_rows))
        first += group.num_rows
    return groups, begin, weight


def _as_planned(table: pa.Table, schema: pa.Schema) -> pa.Table:
    """The columns of the whole job; those that this file has not are empty."""
    import pyarrow as pa

    columns = [
        table[name].cast(kind) if name in table.column_names else pa.nulls(len(table), kind)
        for name, kind in zip(schema.names, schema.types, strict=True)
    ]
    return pa.Table.from_arrays(columns, schema=schema)

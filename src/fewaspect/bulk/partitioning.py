"""A file divided into partitions: where each begins and how many records it has, found in one pass without scoring."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import accumulate
from typing import TYPE_CHECKING, Any, NamedTuple

from fewaspect.bulk.storage import local_copy, native_file, opened
from fewaspect.data.formats.parquet import opened_parquet
from fewaspect.data.formats.records import LineReader, Place, Record
from fewaspect.reviews.formats import InputFormat
from fewaspect.reviews.readers.columns import Kind, distinct_names, update_kinds
from fewaspect.reviews.readers.excel_records import excel_records
from fewaspect.reviews.readers.source import file_pieces, read_header, text_records
from fewaspect.reviews.readers.text_format import TextFormat, detect_text_format

if TYPE_CHECKING:
    from pyarrow.parquet import FileMetaData

LARGEST = 64 << 20  # bytes of a partition, which is held in memory when it is written


class RecordRange(NamedTuple):
    """So many records from a byte offset, with the line before it; in Parquet from a row."""

    start: int
    line: int
    rows: int


@dataclass(frozen=True)
class FilePartitions:
    """The partitions of a file, and what its columns hold."""

    path: str
    ranges: list[RecordRange]
    kinds: dict[str, Kind] = field(default_factory=dict)
    schema: Any = None  # of a Parquet file
    how: TextFormat | None = None  # of a text file


def partition_file(
    path: str, format: InputFormat, encoding: str | None, rows: int, largest: int = LARGEST,
    delimiter: str | None = None, sheet: str | None = None,
) -> FilePartitions:  # fmt: skip
    """Partitions of at most so many records and about so many bytes. Of Parquet only the footer is read."""
    if format is InputFormat.PARQUET:
        return _partition_parquet(path, rows, largest)
    if format is InputFormat.XLSX:
        return _partition_sheet(path, sheet, rows)
    with opened(path) as file:
        how = detect_text_format(file_pieces(file), format, encoding, delimiter)
    with opened(path) as file:
        lines = LineReader(file, Place(path), how.encoding, collect=True, line_end=how.line_end)
        _, names = read_header(lines, format, how.delimiter)
        kinds = dict.fromkeys(names or [], Kind.STRING)
        records = text_records(lines, format, names, how.delimiter)
        ranges = list(_ranges(lines, _observed(records, kinds) if names is None else records, rows, largest))
    return FilePartitions(path, ranges, kinds, how=how)


def _partition_sheet(path: str, sheet: str | None, rows: int) -> FilePartitions:
    """Of an Excel workbook, by numbers of rows."""
    with local_copy(path) as local, excel_records(local, Place(path), sheet) as records:
        names, total = records.names or [], sum(1 for _ in records.rows)
    ranges = [RecordRange(first, 0, min(rows, total - first)) for first in range(0, total, rows)]
    return FilePartitions(path, ranges, dict.fromkeys(names, Kind.STRING))


def _observed(records: Iterable[Record], kinds: dict[str, Kind]) -> Iterator[Record]:
    """The records, their kinds of values noted as they pass."""
    for record in records:
        if not record.fault:
            update_kinds(kinds, record.values)
        yield record


def _ranges(lines: LineReader, records: Iterable[Record], rows: int, largest: int) -> Iterator[RecordRange]:
    start, line, count = lines.end, lines.line, 0
    end, last_line = start, line
    for record in records:
        if count >= rows or end - start >= largest:
            yield RecordRange(start, line, count)
            start, line, count = end, last_line, 0
        count, end, last_line = count + 1, record.end, lines.line
    if count:
        yield RecordRange(start, line, count)


def _partition_parquet(path: str, rows: int, largest: int) -> FilePartitions:
    with native_file(path) as source, opened_parquet(source, Place(path)) as parquet:
        counts = list(_group_counts(parquet.metadata, rows, largest))
        ranges = [RecordRange(end - count, 0, count) for end, count in zip(accumulate(counts), counts, strict=True)]
        schema = parquet.schema_arrow.remove_metadata()
    for number, name in enumerate(distinct_names(schema.names)):
        schema = schema.set(number, schema.field(number).with_name(name))
    return FilePartitions(path, ranges, schema=schema)


def _group_counts(metadata: FileMetaData, rows: int, largest: int) -> Iterator[int]:
    """Rows of each partition: whole row groups joined, those that are too large in equal pieces."""
    held = 0
    for number in range(metadata.num_row_groups):
        group = metadata.row_group(number)
        row_bytes = max(1, group.total_byte_size) / max(1, group.num_rows)
        most = max(1, min(rows, int(largest / row_bytes)))
        if held and held + group.num_rows > most:
            yield held
            held = 0
        if group.num_rows <= most:
            held += group.num_rows
            continue
        count = -(-group.num_rows // most)
        yield from (group.num_rows * (n + 1) // count - group.num_rows * n // count for n in range(count))
    if held:
        yield held

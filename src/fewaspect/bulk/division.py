"""A file divided into partitions: places to begin at and numbers of records, found in one pass without scoring."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import accumulate
from typing import Any

from fewaspect.bulk.records import DELIMITERS, Lines, records
from fewaspect.bulk.storage import filesystem, opened
from fewaspect.data.formats.places import Place
from fewaspect.reviews.columns import Kind
from fewaspect.reviews.formats import InputFormat
from fewaspect.reviews.reader import distinct_names

LARGEST = 64 << 20  # bytes of a partition, which is held in memory when it is written
Cut = tuple[int, int, int]  # start, the line before it, records


@dataclass(frozen=True)
class Division:
    """Where the partitions of a file begin, and what its columns hold."""

    path: str
    cuts: list[Cut]
    kinds: dict[str, Kind] = field(default_factory=dict)
    schema: Any = None  # of a Parquet file


def divide(path: str, format: InputFormat, encoding: str, rows: int, largest: int = LARGEST) -> Division:
    """Partitions of at most so many records and about so many bytes. Of Parquet only the footer is read."""
    if format is InputFormat.PARQUET:
        return _divide_parquet(path, rows, largest)
    with opened(path) as file:
        lines = Lines(file, encoding)
        names = header(lines, format, path) if format in DELIMITERS else []
        kinds = dict.fromkeys(names or ["text"], Kind.TEXT) if format is not InputFormat.JSONL else {}
        cuts: list[Cut] = []
        start, line, count = lines.end, lines.line, 0
        end, before = start, line
        for record in records(lines, format):
            if count >= rows or end - start >= largest:
                cuts.append((start, line, count))
                start, line, count = end, before, 0
            count, end, before = count + 1, record.end, lines.line
            if format is InputFormat.JSONL and not record.fault:
                for name, value in record.values.items():
                    kinds[name] = kinds.get(name, Kind.EMPTY).joined(Kind.of(value))
    return Division(path, [*cuts, (start, line, count)] if count else cuts, kinds)


def header(lines: Lines, format: InputFormat, path: str) -> list[str]:
    """The names of a table's columns, its first record."""
    first = next(records(lines, format), None)
    if first is None or first.fault:
        raise Place(path).error(f"expected a header line, found {first.fault if first else 'nothing'}.")
    return distinct_names([name.strip() for name in first.values])


def _divide_parquet(path: str, rows: int, largest: int) -> Division:
    import pyarrow as pa
    import pyarrow.parquet as pq

    system, inside = filesystem(path)
    try:
        with system.open_input_file(inside) as source, pq.ParquetFile(source) as file:
            counts = _ranges(file.metadata, rows, largest)
            cuts = [(end - count, 0, count) for end, count in zip(accumulate(counts), counts, strict=True)]
            return Division(path, cuts, schema=file.schema_arrow.remove_metadata())
    except pa.ArrowException as error:
        raise Place(path).error(f"expected a Parquet file, found one that cannot be read ({error}).") from None


def _ranges(metadata: Any, rows: int, largest: int) -> list[int]:
    """Numbers of rows, one behind the other: whole groups joined, those that are too large in equal pieces."""

    def pieces() -> Iterator[int]:
        held = 0
        for number in range(metadata.num_row_groups):
            group = metadata.row_group(number)
            weight = max(1, group.total_byte_size) / max(1, group.num_rows)
            most = max(1, min(rows, int(largest / weight)))
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

    return list(pieces())

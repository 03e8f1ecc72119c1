"""Rows as a Parquet file, one group of rows per chunk."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from types import ModuleType
from typing import IO, TYPE_CHECKING, Any

from fewaspect.core.extras import require
from fewaspect.data.formats.records import quoted, shown
from fewaspect.detector.arrow_tables import ACCEPTED, ASPECTS, LANGUAGE, SENTIMENT_OF, TO_REVIEW
from fewaspect.reviews.readers.columns import Kind
from fewaspect.reviews.readers.source import Columns
from fewaspect.reviews.writers import Layout, Row, Writer, as_json, refuse_new_columns

if TYPE_CHECKING:
    import pyarrow as pa

    from fewaspect.reviews.pipeline import Summary


class ParquetRows(Writer):
    """The columns of a Parquet file keep their types; others get that of what they hold, or JSON if it is mixed."""

    def __init__(self, file: IO[Any], layout: Layout, columns: Columns) -> None:
        self.layout, self.columns = layout, columns
        self.schema = _schema(layout, columns)
        self.writer = require("pyarrow.parquet", "tables", "Parquet").ParquetWriter(file, self.schema)

    def write(self, rows: Sequence[Row]) -> None:
        records = [{**self._own(row), **self.layout.flat(row)} for row in rows]
        self.writer.write_table(_arrow().Table.from_pylist(records, schema=self.schema))

    def finish(self, summary: Summary) -> None:
        self.writer.close()

    def abandon(self) -> None:
        with suppress(OSError, ValueError):  # the pipe may be broken
            self.writer.close()  # while the file is open still; the collector of garbage would be too late

    def _own(self, row: Row) -> dict[str, Any]:
        if self.columns.schema is not None:
            return dict(row.fields)
        refuse_new_columns(row, list(self.columns.kinds))
        return {name: self._fitting(name, value, row) for name, value in row.fields.items()}

    def _fitting(self, name: str, value: Any, row: Row) -> Any:
        kind = self.columns.kinds[name]
        if value is not None and kind is Kind.MIXED:
            return as_json(value)
        if kind.joined(Kind.of(value)) is not kind:
            raise row.place.error(
                f"{quoted(name)} held {kind.value} so far, found {shown(value)}.",
                "Write jsonl, or save the reviews to a file and name that.",
            )
        return value


def arrow_schema(kinds: Mapping[str, Kind]) -> pa.Schema:
    """The types of columns that hold these kinds of values."""
    arrow = _arrow()
    types = {
        Kind.NULL: arrow.null(), Kind.STRING: arrow.string(), Kind.BOOLEAN: arrow.bool_(), Kind.INTEGER: arrow.int64(),
        Kind.FLOAT: arrow.float64(), Kind.MIXED: arrow.string(),
    }  # fmt: skip
    return arrow.schema([(name, types[kind]) for name, kind in kinds.items()])


def _schema(layout: Layout, columns: Columns) -> pa.Schema:
    arrow, own = _arrow(), columns.schema or arrow_schema(columns.kinds)
    added = dict.fromkeys(("row", "start", "end"), arrow.int64()) | dict.fromkeys(
        (LANGUAGE, "reason", "words"), arrow.string()
    )
    added |= dict.fromkeys((ASPECTS, ACCEPTED, TO_REVIEW), arrow.list_(arrow.string()))
    added |= {SENTIMENT_OF + name: arrow.string() for name in layout.classes if layout.sentiment}
    return arrow.schema(
        [*own, *((name, added.get(name.removeprefix(layout.prefix), arrow.float32())) for name in layout.flat_names)]
    )


def _arrow() -> ModuleType:
    return require("pyarrow", "tables", "Parquet")

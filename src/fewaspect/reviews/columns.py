"""Which columns the reviews have and what they hold, met before anything is scored: faults show in seconds."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from enum import Enum
from itertools import islice
from typing import Any

from fewaspect.reviews.formats import InputFormat
from fewaspect.reviews.reader import Review, python_schema, read_reviews
from fewaspect.reviews.source import Source


class Kind(Enum):
    """What a column holds as far as was met; MIXED is written as JSON."""

    EMPTY = "nothing"
    TEXT = "strings"
    TRUTH = "true or false"
    WHOLE = "whole numbers"
    NUMBER = "numbers"
    MIXED = "several kinds"

    @staticmethod
    def of(value: object) -> Kind:
        if value is None:
            return Kind.EMPTY
        if isinstance(value, bool):
            return Kind.TRUTH
        if isinstance(value, int):
            return Kind.WHOLE if -(2**63) <= value < 2**63 else Kind.MIXED
        return Kind.TEXT if isinstance(value, str) else Kind.NUMBER if isinstance(value, float) else Kind.MIXED

    def joined(self, other: Kind) -> Kind:
        """The kind that holds both."""
        if self is other or other is Kind.EMPTY:
            return self
        if self is Kind.EMPTY:
            return other
        return Kind.NUMBER if {self, other} == {Kind.WHOLE, Kind.NUMBER} else Kind.MIXED


@dataclass
class Columns:
    """Names and kinds in the order of their appearance, the number of reviews, and a Parquet file's own schema."""

    kinds: dict[str, Kind] = field(default_factory=dict)
    total: int | None = None
    schema: Any = None  # pyarrow.Schema

    @classmethod
    def met_in(cls, reviews: Iterable[Review]) -> Columns:
        columns = cls(total=0)
        for review in reviews:
            columns.total = (columns.total or 0) + 1
            for name, value in review.fields.items():
                columns.kinds[name] = columns.kinds.get(name, Kind.EMPTY).joined(Kind.of(value))
        return columns


def survey(source: Source, format: InputFormat, column: str | None, encoding: str) -> Columns | None:
    """Reads a file once to its end, which takes no time beside scoring it; None for a pipe, which is read once only.

    Parquet says what it holds: there, the first row is enough.
    """
    if not source.rereadable:
        return None
    reviews = read_reviews(source, format, column, encoding)
    if format is not InputFormat.PARQUET:
        return Columns.met_in(reviews)
    columns = Columns.met_in(islice(reviews, 1))
    with source.opened() as file:
        import pyarrow.parquet as pq

        with pq.ParquetFile(file) as parquet:
            columns.total, columns.schema = parquet.metadata.num_rows, python_schema(parquet.schema_arrow)
    columns.kinds = dict.fromkeys(columns.schema.names, Kind.MIXED)
    return columns

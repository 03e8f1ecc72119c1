"""Which columns the reviews have and what they hold, found before anything is scored: faults show in seconds."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import Enum
from itertools import islice
from typing import Any

from fewaspect.reviews.formats import InputFormat
from fewaspect.reviews.readers.review_reader import Review, read_reviews
from fewaspect.reviews.readers.source import Source


class Kind(Enum):
    """The type of a column's values so far; MIXED is written as JSON."""

    NULL = "nothing"
    STRING = "strings"
    BOOLEAN = "booleans"
    INTEGER = "integers"
    FLOAT = "numbers"
    MIXED = "values of several types"
    EMPTY, TEXT, TRUTH, WHOLE, NUMBER = NULL, STRING, BOOLEAN, INTEGER, FLOAT  # in the plans of version 0.1

    @staticmethod
    def of(value: object) -> Kind:
        if value is None:
            return Kind.NULL
        if isinstance(value, bool):
            return Kind.BOOLEAN
        if isinstance(value, int):
            return Kind.INTEGER if -(2**63) <= value < 2**63 else Kind.MIXED
        return Kind.STRING if isinstance(value, str) else Kind.FLOAT if isinstance(value, float) else Kind.MIXED

    def joined(self, other: Kind) -> Kind:
        """The kind that holds both."""
        if self is other or other is Kind.NULL:
            return self
        if self is Kind.NULL:
            return other
        return Kind.FLOAT if {self, other} == {Kind.INTEGER, Kind.FLOAT} else Kind.MIXED


def update_kinds(kinds: dict[str, Kind], fields: Mapping[str, Any]) -> None:
    """Let the kinds hold the values of one more record; new columns come last."""
    for name, value in fields.items():
        kinds[name] = kinds.get(name, Kind.NULL).joined(Kind.of(value))


@dataclass
class Columns:
    """Names and kinds in the order of their appearance, the number of reviews, and a Parquet file's own schema."""

    kinds: dict[str, Kind] = field(default_factory=dict)
    total: int | None = None
    schema: Any = None  # pyarrow.Schema

    @classmethod
    def of(cls, reviews: Iterable[Review]) -> Columns:
        kinds: dict[str, Kind] = {}
        total = 0
        for review in reviews:
            total += 1
            update_kinds(kinds, review.fields)
        return cls(kinds, total)


def survey(source: Source, column: str | None) -> Columns | None:
    """Reads a file once to its end, which takes no time beside scoring it; None for a pipe, which is read once only.

    Parquet has a schema: there, the first row is enough.
    """
    if not source.rereadable:
        return None
    reviews = read_reviews(source, column)
    if source.format is not InputFormat.PARQUET:
        return Columns.of(reviews)
    from fewaspect.data.formats.parquet import opened_parquet
    from fewaspect.reviews.readers.parquet_records import python_schema

    columns = Columns.of(islice(reviews, 1))
    with source.opened() as file, opened_parquet(file, source.place) as parquet:
        columns.total, columns.schema = parquet.metadata.num_rows, python_schema(parquet.schema_arrow)
    columns.kinds = dict.fromkeys(columns.schema.names, Kind.MIXED)
    return columns

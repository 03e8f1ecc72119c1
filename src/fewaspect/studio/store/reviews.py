"""Imported reviews and their sentences."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

from sqlalchemy import Connection, delete, insert, select, update

from fewaspect.studio.limits import LIMITS, Limits
from fewaspect.studio.problems import TooManyError
from fewaspect.studio.store.projects import counted_project, project_row
from fewaspect.studio.store.schema import projects, reviews, sentences

CHUNK = 500


@dataclass(frozen=True)
class NewReview:
    """A review with the spans of its sentences."""

    text: str
    date: str | None
    fields: dict[str, Any]
    spans: Sequence[tuple[int, int]]


def add_reviews(connection: Connection, project: int, new: Sequence[NewReview], limits: Limits = LIMITS) -> None:
    """Appended to those of the project."""
    project_row(connection, project)
    stored = counted_project(connection, project)["sentences"]
    if (count := stored + sum(len(review.spans) for review in new)) > limits.sentences:
        raise TooManyError(f"expected at most {limits.sentences:,} sentences in a project, found {count:,}.")
    for chunk in _chunks(new):
        rows = [{"project_id": project, "text": r.text, "date": r.date, "fields": r.fields} for r in chunk]
        added = insert(reviews).returning(reviews.c.id, sort_by_parameter_order=True)
        numbers = connection.scalars(added, rows).all()
        parts = [
            {"project_id": project, "review_id": number, "position": position, "start": start,
             "text": review.text[start:end]}
            for number, review in zip(numbers, chunk, strict=True)
            for position, (start, end) in enumerate(review.spans)
        ]  # fmt: skip
        if parts:
            connection.execute(insert(sentences), parts)
    _next_version(connection, project)


def remove_reviews(connection: Connection, project: int) -> None:
    """All of the project; examples from them stay."""
    project_row(connection, project)
    connection.execute(delete(reviews).where(reviews.c.project_id == project))
    _next_version(connection, project)


def read_sentences(connection: Connection, project: int) -> list[Any]:
    """(id, review_id, position, start, text, date) of all, in the order of the file."""
    columns = (sentences.c.id, sentences.c.review_id, sentences.c.position, sentences.c.start, sentences.c.text)
    joined = select(*columns, reviews.c.date).join(reviews, reviews.c.id == sentences.c.review_id)
    return list(connection.execute(joined.where(sentences.c.project_id == project).order_by(sentences.c.id)))


def read_reviews(connection: Connection, project: int) -> Iterator[Any]:
    """(id, text, date, fields) of all, in order."""
    own = select(reviews.c.id, reviews.c.text, reviews.c.date, reviews.c.fields)
    yield from connection.execute(own.where(reviews.c.project_id == project).order_by(reviews.c.id))


def _next_version(connection: Connection, project: int) -> None:
    connection.execute(update(projects).where(projects.c.id == project).values(imported=projects.c.imported + 1))


def _chunks(new: Sequence[NewReview]) -> Iterator[list[NewReview]]:
    rows = iter(new)
    while chunk := list(islice(rows, CHUNK)):
        yield chunk

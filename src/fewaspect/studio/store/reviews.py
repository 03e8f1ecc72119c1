"""Imported reviews and their sentences."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

from sqlalchemy import Connection, Text, cast, func, insert, select

from fewaspect.studio.limits import LIMITS, Limits
from fewaspect.studio.problems import TooManyError
from fewaspect.studio.store.database import now
from fewaspect.studio.store.journal import next_version
from fewaspect.studio.store.projects import counted_project
from fewaspect.studio.store.schema import hidden_reviews, imports, reviews, sentences

CHUNK = 500


@dataclass(frozen=True)
class NewReview:
    """A review with the spans of its sentences."""

    text: str
    date: str | None
    fields: dict[str, Any]
    spans: Sequence[tuple[int, int]]


def add_reviews(
    connection: Connection, project: int, new: Sequence[NewReview], limits: Limits = LIMITS,
    *, name: str = "", digest: str = "", shown: bool = True,
) -> int:  # fmt: skip
    """Appended to those of the project as one import, whose id is returned; it may be hidden at first."""
    row = {"project_id": project, "name": name[:200], "digest": digest, "created": now(), "removed": not shown}
    own = (connection.execute(insert(imports).values(**row)).inserted_primary_key or (0,))[0]
    for chunk in _chunks(new):
        rows = [
            {"project_id": project, "text": r.text, "date": r.date, "fields": r.fields, "import_id": own} for r in chunk
        ]
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
    if shown:
        refuse_too_much(connection, project, limits)
        next_version(connection, project)
    return own


def refuse_too_much(connection: Connection, project: int, limits: Limits) -> None:
    if (count := counted_project(connection, project)["sentences"]) > limits.sentences:
        raise TooManyError(f"expected at most {limits.sentences:,} sentences in a project, found {count:,}.")
    size = func.length(reviews.c.text) + func.length(cast(reviews.c.fields, Text))
    if (chars := connection.scalar(select(func.sum(size)).where(_shown(project))) or 0) > limits.project_chars:
        raise TooManyError(
            f"expected at most {limits.project_chars:,} characters in the reviews of a project with all their columns, "
            f"found {chars:,}."
        )


def _shown(project: int) -> Any:
    return (reviews.c.project_id == project) & reviews.c.id.not_in(
        hidden_reviews().where(reviews.c.project_id == project)
    )


def read_sentences(connection: Connection, project: int) -> list[Any]:
    """(id, review_id, position, start, text, date) of all, in the order of the file."""
    columns = (sentences.c.id, sentences.c.review_id, sentences.c.position, sentences.c.start, sentences.c.text)
    joined = select(*columns, reviews.c.date).join(reviews, reviews.c.id == sentences.c.review_id)
    return list(connection.execute(joined.where(_shown(project)).order_by(sentences.c.id)))


def read_reviews(connection: Connection, project: int) -> Iterator[Any]:
    """(id, text, date, fields) of all, in order."""
    own = select(reviews.c.id, reviews.c.text, reviews.c.date, reviews.c.fields)
    yield from connection.execute(own.where(_shown(project)).order_by(reviews.c.id))


def ids_by_text(connection: Connection, project: int) -> dict[str, list[int]]:
    """The reviews of the project by their words, whatever the spaces between them."""
    found: dict[str, list[int]] = {}
    for number, text in connection.execute(select(reviews.c.id, reviews.c.text).where(_shown(project))):
        found.setdefault(same_text(text), []).append(number)
    return found


def same_text(text: str) -> str:
    """Equal for texts that are the same review."""
    return hashlib.sha256(" ".join(text.split()).encode("utf-8", "replace")).hexdigest()


def _chunks(new: Sequence[NewReview]) -> Iterator[list[NewReview]]:
    rows = iter(new)
    while chunk := list(islice(rows, CHUNK)):
        yield chunk

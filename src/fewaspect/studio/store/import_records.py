"""Imports of reviews: listed, added without doubling what is there, removed one by one or all; each can be undone."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

from sqlalchemy import Connection, func, insert, select

from fewaspect.data.labels import shortened
from fewaspect.studio.limits import LIMITS, Limits
from fewaspect.studio.store.journal import Journal, change
from fewaspect.studio.store.projects import owned_row, project_row
from fewaspect.studio.store.reviews import (
    NewReview,
    add_reviews,
    ids_by_text,
    refuse_too_much,
    same_text,
)
from fewaspect.studio.store.schema import examples, hidden_reviews, imports, replacements, reviews, sentences

Duplicates = Literal["add", "skip", "replace"]


@dataclass(frozen=True)
class ImportedFile:
    """A file by its name and a hash of its content."""

    name: str
    digest: str


class Added(NamedTuple):
    """How many reviews were added, and of those in the file, how many were there already or repeat another."""

    reviews: int
    duplicates: int


def add_import(
    connection: Connection, project: int, new: Sequence[NewReview], file: ImportedFile, duplicates: Duplicates = "add",
    limits: Limits = LIMITS,
) -> Added:  # fmt: skip
    """As one change. Reviews that the project has are added again, skipped, or put in the place of the old ones.

    Of those that the file has several times, all are added or only the first.
    """
    project_row(connection, project)  # locked: what is there now is there until the end
    there = ids_by_text(connection, project)
    known = [same_text(review.text) for review in new]
    old = list(dict.fromkeys(number for key in known for number in there.get(key, ())))
    count = sum(key in there for key in known) + sum(n - 1 for key, n in Counter(known).items() if key not in there)
    if duplicates != "add":
        left_out = set(there) if duplicates == "skip" else set()
        first = dict(zip(reversed(known), reversed(new), strict=True))
        new = [first[key] for key in dict.fromkeys(known) if key not in left_out]
    if not new:
        return Added(0, count)
    with change(connection, project, f"import {shortened(file.name)}") as journal:
        own = add_reviews(connection, project, new, limits, name=file.name, digest=file.digest, shown=False)
        if duplicates == "replace" and old:
            connection.execute(insert(replacements), [{"import_id": own, "review_id": number} for number in old])
        journal.update("imports", {"id": own}, {"removed": False})
    refuse_too_much(connection, project, limits)
    return Added(len(new), count)


def list_imports(connection: Connection, project: int) -> list[dict[str, Any]]:
    """Those that are not removed, in order, each with the number of its reviews and of labels on their sentences."""
    project_row(connection, project)
    hidden = hidden_reviews().where(reviews.c.project_id == project)
    counts = select(reviews.c.import_id, func.count()).where(
        reviews.c.project_id == project, reviews.c.id.not_in(hidden)
    )
    by_import = _pairs(connection, counts.group_by(reviews.c.import_id))
    labelled = _labels(project).with_only_columns(reviews.c.import_id, func.count()).group_by(reviews.c.import_id)
    labels = _pairs(connection, labelled)
    return [
        {"id": row.id, "name": row.name, "created": row.created, "digest": row.digest,
         "reviews": by_import.get(row.id, 0), "labels": labels.get(row.id, 0)}
        for row in _listed(connection, project)
    ]  # fmt: skip


def same_file(connection: Connection, project: int, digest: str) -> Any:
    """The last import of a file with the same content, if there is one."""
    return next((row for row in reversed(_listed(connection, project)) if row.digest == digest), None)


def remove_import(
    connection: Connection, project: int, number: int, limits: Limits = LIMITS, *, labels: bool = False
) -> None:
    """With or without the labels that were given to its sentences."""
    row = owned_row(connection, imports, project, number)
    with change(connection, project, f"remove {shortened(row.name or 'the earlier reviews')}") as journal:
        _remove(journal, project, [number], labels)
    if connection.scalar(select(replacements.c.review_id).where(replacements.c.import_id == number).limit(1)):
        refuse_too_much(connection, project, limits)  # what it replaced is there again


def remove_reviews(connection: Connection, project: int, *, labels: bool = False) -> None:
    """All of the project."""
    project_row(connection, project)
    with change(connection, project, "remove all reviews") as journal:
        _remove(journal, project, [row.id for row in _listed(connection, project)], labels)


def _remove(journal: Journal, project: int, numbers: Sequence[int], labels: bool) -> None:
    if labels:
        own = _labels(project).where(reviews.c.import_id.in_(numbers)).order_by(examples.c.id)
        for example in list(journal.connection.scalars(own)):
            journal.delete("example_aspects", {"example_id": example})
            journal.delete("examples", {"id": example})
    for number in numbers:
        journal.update("imports", {"id": number}, {"removed": True})


def _labels(project: int) -> Any:
    """Ids of the examples that were made of sentences of the reviews."""
    joined = examples.join(sentences, examples.c.sentence_id == sentences.c.id).join(
        reviews, reviews.c.id == sentences.c.review_id
    )
    return select(examples.c.id).select_from(joined).where(examples.c.project_id == project)


def _listed(connection: Connection, project: int) -> list[Any]:
    own = select(imports).where(imports.c.project_id == project, imports.c.removed.is_(False))
    return list(connection.execute(own.order_by(imports.c.id)))


def _pairs(connection: Connection, counts: Any) -> dict[int, int]:
    return {row[0]: row[1] for row in connection.execute(counts)}

"""Projects: created, listed, renamed, deleted; and rows that belong to one."""

from __future__ import annotations

from typing import Any

from sqlalchemy import Connection, Table, delete, func, insert, select, update

from fewaspect.data.labels import shortened
from fewaspect.studio.problems import NameTakenError, NotFoundError
from fewaspect.studio.store.database import now
from fewaspect.studio.store.schema import aspects, examples, hidden_reviews, imports, projects, reviews, sentences

_REVIEW = {reviews: reviews.c.id, sentences: sentences.c.review_id}


def _count(table: Table) -> Any:
    """Of a project; hidden reviews are taken off, so that counting takes no longer where there are none."""
    own = select(func.count()).select_from(table).where(table.c.project_id == projects.c.id)
    if table not in _REVIEW:
        return own.scalar_subquery().label(table.name)
    hidden = own.where(_REVIEW[table].in_(hidden_reviews()))
    return (own.scalar_subquery() - hidden.scalar_subquery()).label(table.name)


_COUNTED = select(projects, *(_count(table) for table in (aspects, examples, reviews, sentences)))
_NOUNS = {
    aspects: "an aspect",
    examples: "an example",
    reviews: "a review",
    sentences: "a sentence",
    imports: "an import",
}


def project_row(connection: Connection, project: int) -> Any:
    """In a write it is locked until the end of the transaction, where the database can, so that changes are serial."""
    query = select(projects).where(projects.c.id == project)
    if connection.get_execution_options().get("writes"):
        query = query.with_for_update()
    return _found(connection.execute(query).one_or_none(), project)


def owned_row(connection: Connection, table: Table, project: int, number: int) -> Any:
    """A row by its id, if it belongs to the project."""
    query = select(table).where(table.c.id == number, table.c.project_id == project)
    if table in _REVIEW:
        query = query.where(_REVIEW[table].not_in(hidden_reviews().where(reviews.c.project_id == project)))
    row = connection.execute(query).one_or_none()
    if row is None:
        raise NotFoundError(f"expected {_NOUNS[table]} of this project, found none with the id {number}.")
    return row


def list_projects(connection: Connection) -> list[dict[str, Any]]:
    """Each with the number of its aspects, examples, reviews and sentences."""
    return [dict(row) for row in connection.execute(_COUNTED.order_by(projects.c.id)).mappings()]


def counted_project(connection: Connection, project: int) -> dict[str, Any]:
    """One project, as `list_projects` has it."""
    return dict(_found(connection.execute(_COUNTED.where(projects.c.id == project)).mappings().one_or_none(), project))


def create_project(
    connection: Connection, name: str, threshold: float | None = None, target_precision: float | None = None,
    sentiment: bool = True,
    model: str | None = None,
) -> int:  # fmt: skip
    _refuse_taken(connection, name)
    row = {
        "name": name,
        "created": now(),
        "threshold": threshold,
        "revision": 1,
        "imported": 0,
        "target_precision": target_precision,
        "sentiment": sentiment,
        "model": model,
    }
    return (connection.execute(insert(projects).values(**row)).inserted_primary_key or (0,))[0]


def rename_project(connection: Connection, project: int, name: str) -> None:
    if project_row(connection, project).name != name:
        _refuse_taken(connection, name)
        connection.execute(update(projects).where(projects.c.id == project).values(name=name))


def remove_project(connection: Connection, project: int) -> None:
    project_row(connection, project)
    connection.execute(delete(projects).where(projects.c.id == project))


def free_name(connection: Connection, name: str) -> str:
    """The name, with a number behind it if it is taken."""
    taken = set(connection.scalars(select(projects.c.name)))
    candidates = (name if n == 1 else f"{name[:190]} ({n})" for n in range(1, len(taken) + 2))
    return next(candidate for candidate in candidates if candidate not in taken)


def _found(row: Any, project: int) -> Any:
    if row is None:
        raise NotFoundError(f"expected a project, found none with the id {project}.")
    return row


def _refuse_taken(connection: Connection, name: str) -> None:
    if connection.scalar(select(projects.c.id).where(projects.c.name == name)) is not None:
        raise NameTakenError(f"There is a project {shortened(name)} already. Choose another name.")

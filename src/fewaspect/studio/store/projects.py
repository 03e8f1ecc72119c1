"""Projects by themselves: made, listed, renamed, deleted."""

from __future__ import annotations

from typing import Any

from sqlalchemy import Connection, delete, func, insert, select, update

from fewaspect.data.labels import shortened
from fewaspect.studio.problems import NameTakenError, NotFoundError
from fewaspect.studio.store.database import now
from fewaspect.studio.store.tables import aspects, examples, projects, reviews, sentences

_COUNTED = select(
    projects,
    *(
        select(func.count()).select_from(table).where(table.c.project_id == projects.c.id).scalar_subquery()
        .label(table.name)
        for table in (aspects, examples, reviews, sentences)
    ),
)  # fmt: skip


def project_row(connection: Connection, project: int) -> Any:
    """Locked until the end of the transaction, where that is possible, so that changes of a project come in turn."""
    locked = select(projects).where(projects.c.id == project)
    if connection.get_execution_options().get("writes"):
        locked = locked.with_for_update()
    row = connection.execute(locked).one_or_none()
    return _found(row, project)


def list_projects(connection: Connection) -> list[dict[str, Any]]:
    """Each with how much it has of everything."""
    return [dict(row) for row in connection.execute(_COUNTED.order_by(projects.c.id)).mappings()]


def counted_project(connection: Connection, project: int) -> dict[str, Any]:
    """One of them."""
    return dict(_found(connection.execute(_COUNTED.where(projects.c.id == project)).mappings().one_or_none(), project))


def create_project(connection: Connection, name: str, threshold: float | None = None) -> int:
    _refuse_taken(connection, name)
    row = {"name": name, "created": now(), "threshold": threshold, "revision": 1, "imported": 0}
    return (connection.execute(insert(projects).values(**row)).inserted_primary_key or (0,))[0]


def rename_project(connection: Connection, project: int, name: str) -> None:
    if project_row(connection, project).name != name:
        _refuse_taken(connection, name)
        connection.execute(update(projects).where(projects.c.id == project).values(name=name))


def remove_project(connection: Connection, project: int) -> None:
    project_row(connection, project)
    connection.execute(delete(projects).where(projects.c.id == project))


def free_name(connection: Connection, name: str) -> str:
    """The name itself, or with the first number behind it that makes it new."""
    taken = set(connection.scalars(select(projects.c.name)))
    candidates = (name if n == 1 else f"{name[:190]} ({n})" for n in range(1, len(taken) + 2))
    return next(candidate for candidate in candidates if candidate not in taken)


def _found(row: Any, project: int) -> Any:
    if row is None:
        raise NotFoundError(f"expected a project, found none with the id {project}.")
    return row


def _refuse_taken(connection: Connection, name: str) -> None:
    if connection.scalar(select(projects.c.id).where(projects.c.name == name)) is not None:
        raise NameTakenError(f"expected a new name, found {shortened(name)}, which another project has.")

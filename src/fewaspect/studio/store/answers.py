"""What a person has said of sentences without making them examples: answers of an audit, labels that were kept."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from sqlalchemy import Connection, Table, delete, insert, select

from fewaspect.studio.store.database import now
from fewaspect.studio.store.definition import identity_of
from fewaspect.studio.store.projects import project_row
from fewaspect.studio.store.schema import aspects as aspect_rows


@dataclass(frozen=True)
class Answer:
    """`asked`: the aspects that there were when it was given."""

    text: str
    aspects: frozenset[int]
    asked: frozenset[int]


def read_answers(connection: Connection, table: Table, project: int) -> list[Answer]:
    """In the order in which they were given first."""
    rows = connection.execute(select(table).where(table.c.project_id == project).order_by(table.c.id))
    return [Answer(row.text, frozenset(row.aspects), frozenset(row.asked)) for row in rows]


def put_answer(
    connection: Connection, table: Table, project: int, text: str, aspects: Iterable[int],
    asked: Iterable[int] | None = None,
) -> None:  # fmt: skip
    """In place of an earlier one of the same sentence; of all aspects there are, unless other ones were `asked`."""
    project_row(connection, project)
    every = list(connection.scalars(select(aspect_rows.c.id).where(aspect_rows.c.project_id == project)))
    asked = every if asked is None else sorted(set(asked) & set(every))
    said = {"aspects": sorted(set(aspects) & set(asked)), "asked": asked, "created": now()}
    own = (table.c.project_id == project) & (table.c.identity == identity_of(text))
    if connection.scalar(select(table.c.id).where(own)) is not None:
        connection.execute(table.update().where(own).values(**said))
    else:
        row = {"project_id": project, "identity": identity_of(text), "text": text, **said}
        connection.execute(insert(table).values(**row))


def remove_answer(connection: Connection, table: Table, project: int, text: str) -> None:
    project_row(connection, project)
    connection.execute(delete(table).where(table.c.project_id == project, table.c.identity == identity_of(text)))

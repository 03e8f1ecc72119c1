"""A row by its number, if it is one of the project's."""

from __future__ import annotations

from typing import Any

from sqlalchemy import Connection, Table, select

from fewaspect.studio.problems import NotFoundError
from fewaspect.studio.store.tables import aspects, examples, reviews, sentences

_CALLED = {aspects: "an aspect", examples: "an example", reviews: "a review", sentences: "a sentence"}


def row_of(connection: Connection, table: Table, project: int, number: int) -> Any:
    """Numbers of other projects are as good as unknown."""
    own = select(table).where(table.c.id == number, table.c.project_id == project)
    row = connection.execute(own).one_or_none()
    if row is None:
        raise NotFoundError(f"expected {_CALLED[table]} of this project, found none with the id {number}.")
    return row

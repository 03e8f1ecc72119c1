"""Changes that can be undone: what each row was before and is after, kept in the same transaction as the change."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from sqlalchemy import Connection, and_, delete, func, insert, select, update

from fewaspect.studio.problems import NothingToUndoError
from fewaspect.studio.store.database import now
from fewaspect.studio.store.schema import BY_NAME, changes, imports, projects, reviews, sentences

KEPT = 200  # changes of a project that can be undone
Row = Mapping[str, Any]
Step = tuple[str, dict[str, Any], dict[str, Any] | None, dict[str, Any] | None]  # table, key, before, after


class Journal:
    """Writes rows of one project and notes each; a row that did not exist is None before, one that is gone after."""

    def __init__(self, connection: Connection) -> None:
        self.connection = connection
        self.steps: list[Step] = []

    def insert(self, table: str, row: Row) -> int:
        """The id of the new row, if its table has one."""
        result = self.connection.execute(insert(BY_NAME[table]).values(**row))
        key = dict(zip((c.name for c in BY_NAME[table].primary_key), result.inserted_primary_key or (), strict=True))
        self.steps.append((table, key, None, {**row, **key}))
        return next(iter(key.values()))

    def update(self, table: str, key: Row, after: Row) -> None:
        """Only the columns named are changed, now and when it is undone."""
        before = {name: value for name, value in self._rows(table, key)[0].items() if name in after}
        if before != dict(after):
            self.connection.execute(update(BY_NAME[table]).where(_is(table, key)).values(**after))
            self.steps.append((table, dict(key), before, dict(after)))

    def delete(self, table: str, key: Row) -> None:
        """Every row that has these values, and before an aspect what was said of it, which goes with it."""
        names = [column.name for column in BY_NAME[table].primary_key]
        for row in self._rows(table, key):
            own = {name: row[name] for name in names}
            if table == "aspects":
                for said in ("polarities", "rejections"):
                    self.delete(said, {"aspect_id": row["id"]})
            self.connection.execute(delete(BY_NAME[table]).where(_is(table, own)))
            self.steps.append((table, own, row, None))

    def _rows(self, table: str, key: Row) -> list[dict[str, Any]]:
        order = list(BY_NAME[table].primary_key)
        found = self.connection.execute(select(BY_NAME[table]).where(_is(table, key)).order_by(*order))
        return [dict(row) for row in found.mappings()]


@contextmanager
def change(connection: Connection, project: int, what: str) -> Iterator[Journal]:
    """A change of what the detector depends on. What had been undone before it cannot be done again."""
    journal = Journal(connection)
    yield journal
    if not journal.steps:
        return
    connection.execute(delete(changes).where(changes.c.project_id == project, changes.c.undone.is_(True)))
    steps = [list(step) for step in journal.steps]
    connection.execute(
        insert(changes).values(project_id=project, what=what[:300], steps=steps, undone=False, created=now())
    )
    old = select(changes.c.id).where(changes.c.project_id == project).order_by(changes.c.id.desc()).offset(KEPT)
    if gone := list(connection.scalars(old.limit(KEPT))):
        connection.execute(delete(changes).where(changes.c.id.in_(gone)))
    _forget_lost_imports(connection, project)
    _next_revision(connection, project, journal.steps)


def undo(connection: Connection, project: int) -> str:
    """Takes the last change back; returns what it was, in words."""
    last = select(func.max(changes.c.id)).where(changes.c.project_id == project, changes.c.undone.is_(False))
    number, what, steps = _found(connection, last, "undo")
    for table, key, before, after in reversed(steps):
        _put(connection, table, key, after, before)
    return _done(connection, project, number, what, steps, undone=True)


def redo(connection: Connection, project: int) -> str:
    """Does again what was undone last."""
    first = select(func.min(changes.c.id)).where(changes.c.project_id == project, changes.c.undone.is_(True))
    number, what, steps = _found(connection, first, "redo")
    for table, key, before, after in steps:
        _put(connection, table, key, before, after)
    return _done(connection, project, number, what, steps, undone=False)


def next_in_words(connection: Connection, project: int) -> tuple[str | None, str | None]:
    """What would be undone, and what would be done again."""
    own = changes.c.project_id == project
    done = select(changes.c.what).where(own, changes.c.undone.is_(False)).order_by(changes.c.id.desc()).limit(1)
    undone = select(changes.c.what).where(own, changes.c.undone.is_(True)).order_by(changes.c.id).limit(1)
    return connection.scalar(done), connection.scalar(undone)


def _found(connection: Connection, number: Any, verb: str) -> tuple[int, str, Sequence[Step]]:
    row = connection.execute(select(changes.c.id, changes.c.what, changes.c.steps).where(
        changes.c.id == number.scalar_subquery()
    )).one_or_none()  # fmt: skip
    if row is None:
        raise NothingToUndoError(f"There is nothing to {verb}.")
    return row.id, row.what, row.steps


def _done(connection: Connection, project: int, number: int, what: str, steps: Sequence[Step], *, undone: bool) -> str:
    connection.execute(update(changes).where(changes.c.id == number).values(undone=undone))
    _next_revision(connection, project, steps)
    return what


def _forget_lost_imports(connection: Connection, project: int) -> None:
    """Delete what was removed and what no change could bring back any more."""
    removed = select(imports.c.id).where(imports.c.project_id == project, imports.c.removed.is_(True))
    if not (gone := set(connection.scalars(removed))):
        return
    for steps in connection.scalars(select(changes.c.steps).where(changes.c.project_id == project)):
        gone -= {key["id"] for table, key, *_ in steps if table == "imports"}
    if gone:
        connection.execute(delete(reviews).where(reviews.c.import_id.in_(gone)))
        connection.execute(delete(imports).where(imports.c.id.in_(gone)))


def _put(connection: Connection, table: str, key: Row, old: Row | None, new: Row | None) -> None:
    """From one state of a row to the other."""
    if new is None:
        connection.execute(delete(BY_NAME[table]).where(_is(table, key)))
    elif old is None:
        connection.execute(insert(BY_NAME[table]).values(**_without_lost_sentence(connection, new)))
    else:
        row = _without_lost_sentence(connection, new)
        connection.execute(update(BY_NAME[table]).where(_is(table, key)).values(**row))


def _without_lost_sentence(connection: Connection, row: Row) -> Row:
    """Reviews may have been removed since; the example stays an example."""
    number = row.get("sentence_id")
    if number is not None and connection.scalar(select(sentences.c.id).where(sentences.c.id == number)) is None:
        return {**row, "sentence_id": None}
    return row


def _next_revision(connection: Connection, project: int, steps: Sequence[Step]) -> None:
    connection.execute(update(projects).where(projects.c.id == project).values(revision=projects.c.revision + 1))
    if any(table == "imports" for table, *_ in steps):
        next_version(connection, project)


def next_version(connection: Connection, project: int) -> None:
    """The reviews of the project are others now."""
    connection.execute(update(projects).where(projects.c.id == project).values(imported=projects.c.imported + 1))


def _is(table: str, key: Row) -> Any:
    return and_(*(BY_NAME[table].c[name] == value for name, value in key.items()))

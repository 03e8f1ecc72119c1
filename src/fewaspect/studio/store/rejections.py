"""Aspects that a person said a sentence is not about. It says nothing about its other aspects, and makes no example."""

from __future__ import annotations

from collections.abc import Iterable

from sqlalchemy import Connection, select

from fewaspect.data.labels import shortened
from fewaspect.studio.store.database import now
from fewaspect.studio.store.definition import Rejection, example_of, identity_of, labels_of
from fewaspect.studio.store.journal import Journal, change
from fewaspect.studio.store.projects import owned_row
from fewaspect.studio.store.schema import aspects, rejections


def reject_aspect(connection: Connection, project: int, text: str, aspect: int) -> None:
    """An example of it is one of its other aspects only, and without others no example any more."""
    name = shortened(owned_row(connection, aspects, project, aspect).name)
    with change(connection, project, f"{shortened(text, 40)} is not about {name}") as journal:
        example = example_of(connection, project, text)
        if example is not None and aspect in (own := labels_of(connection, example.id)):
            journal.delete("example_aspects", {"example_id": example.id, "aspect_id": aspect})
            if len(own) == 1:
                journal.delete("examples", {"id": example.id})
        fill_rejections(journal, project, [Rejection(text, aspect)])


def restore_aspect(connection: Connection, project: int, text: str, aspect: int) -> None:
    """Leave it to the detector again."""
    name = shortened(owned_row(connection, aspects, project, aspect).name)
    with change(connection, project, f"{shortened(text, 40)} may be about {name}") as journal:
        journal.delete("rejections", {"project_id": project, "identity": identity_of(text), "aspect_id": aspect})


def fill_rejections(journal: Journal, project: int, given: Iterable[Rejection]) -> None:
    """Those that are not there yet."""
    for text, aspect in given:
        key = {"project_id": project, "identity": identity_of(text), "aspect_id": aspect}
        if journal.connection.scalar(select(rejections.c.id).filter_by(**key)) is None:
            journal.insert("rejections", {**key, "text": text, "created": now()})


def merge_rejections(journal: Journal, kept: int, gone: int) -> None:
    """Of two aspects that become one: what was not about either is not about it."""
    of = select(rejections.c.identity).where(rejections.c.aspect_id == gone)
    neither = set(journal.connection.scalars(of))
    for row in journal.connection.execute(select(rejections).where(rejections.c.aspect_id == kept)).all():
        if row.identity not in neither:
            journal.delete("rejections", {"id": row.id})


def split_rejections(journal: Journal, project: int, aspect: int, part: int) -> None:
    """What was not about an aspect is not about its new part."""
    own = select(rejections.c.text).where(rejections.c.aspect_id == aspect).order_by(rejections.c.id)
    texts = list(journal.connection.scalars(own))
    fill_rejections(journal, project, [Rejection(text, part) for text in texts])

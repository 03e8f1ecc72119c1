"""Sentences that are not offered for labelling. Each change can be undone."""

from __future__ import annotations

from sqlalchemy import Connection, select

from fewaspect.data.labels import shortened
from fewaspect.studio.store.database import now
from fewaspect.studio.store.definition import identity_of
from fewaspect.studio.store.journal import Journal, change
from fewaspect.studio.store.schema import skipped


def skip_sentence(connection: Connection, project: int, text: str) -> None:
    """Not to be offered for labelling any more; skipping it twice is no change."""
    with change(connection, project, f"skip {shortened(text, 40)}") as journal:
        skip_text(journal, project, text)


def skip_text(journal: Journal, project: int, text: str) -> None:
    """As part of a larger change."""
    key = {"project_id": project, "identity": identity_of(text)}
    if journal.connection.scalar(select(skipped.c.id).filter_by(**key)) is None:
        journal.insert("skipped", {**key, "text": text, "created": now()})


def offer_sentence(connection: Connection, project: int, text: str) -> None:
    """Take back that it was skipped."""
    with change(connection, project, f"no longer skip {shortened(text, 40)}") as journal:
        journal.delete("skipped", {"project_id": project, "identity": identity_of(text)})

"""What a person has said a sentence thinks of an aspect. Each change can be undone."""

from __future__ import annotations

from sqlalchemy import Connection

from fewaspect.data.labels import shortened
from fewaspect.studio.store.definition import set_polarity
from fewaspect.studio.store.journal import change
from fewaspect.studio.store.projects import owned_row
from fewaspect.studio.store.schema import aspects


def put_polarity(connection: Connection, project: int, text: str, aspect: int, polarity: str | None) -> None:
    """In place of what was said before; None takes it back."""
    name = shortened(owned_row(connection, aspects, project, aspect).name)
    said = f"{polarity} about" if polarity else "left to the model about"
    with change(connection, project, f"{shortened(text, 40)} is {said} {name}") as journal:
        set_polarity(journal, project, text, aspect, polarity)

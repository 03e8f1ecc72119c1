"""How much project.json may have to hold: as much as can be read again, and not more."""

from __future__ import annotations

import re
from typing import Any

from sqlalchemy import Connection, Select, Text, cast, func, select

from fewaspect.studio.problems import TooManyError
from fewaspect.studio.store.schema import (
    aspects,
    audit_answers,
    example_aspects,
    examples,
    kept_labels,
    polarities,
    rejections,
    skipped,
)

VALUE = 25  # characters that a value is counted beside its text: more than its key, quotes and indentation
WORST = 6  # bytes of a character as JSON: \u0001
_STRING = re.compile(rb'"[^"\\]*(?:\\.[^"\\]*)*"', re.DOTALL)


def definition_size(connection: Connection, project: int) -> int:
    """What is said of the sentences of a project, with names as often as they stand in its file."""
    name = func.length(aspects.c.name) + VALUE
    described = func.length(aspects.c.description) + func.length(aspects.c.group)
    longest = select(func.coalesce(func.max(name), 0)).where(aspects.c.project_id == project).scalar_subquery()
    sums = [
        _sum(project, aspects, name + described + 6 * VALUE),
        select(func.sum(name)).select_from(example_aspects.join(aspects)).where(aspects.c.project_id == project),
    ]
    for table in (examples, skipped):
        sums.append(_sum(project, table, func.length(table.c.text) + 4 * VALUE))
    for table in (polarities, rejections):
        sums.append(_sum(project, table, func.length(table.c.text) + 4 * VALUE + name).select_from(table.join(aspects)))
    for table in (audit_answers, kept_labels):
        names = longest * (_ids(table.c.aspects) + _ids(table.c.asked))
        sums.append(_sum(project, table, func.length(table.c.text) + 6 * VALUE + names))
    return sum(found or 0 for found in connection.execute(select(*(one.scalar_subquery() for one in sums))).one())


def too_much_said(most: int, found: int) -> TooManyError:
    return TooManyError(
        f"expected at most {most:,} characters in what is said of a project's sentences, found {found:,}."
    )


def count_values(content: bytes) -> int:
    """Of JSON, by commas and brackets outside of its texts."""
    return sum(map(_STRING.sub(b"", content).count, (b",", b"[", b"{")))


def _sum(project: int, table: Any, size: Any) -> Select[Any]:
    return select(func.sum(size)).where(table.c.project_id == project)


def _ids(column: Any) -> Any:
    """At most as many as a list of them as JSON has."""
    written = cast(column, Text)
    return func.length(written) - func.length(func.replace(written, ",", "")) + 1

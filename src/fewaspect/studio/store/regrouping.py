"""Aspects merged, split and put into groups, with their examples and the answers about them. Each is one change."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import Any

from sqlalchemy import Connection, Table, select

from fewaspect.core.errors import DataError
from fewaspect.data.labels import shortened
from fewaspect.studio.limits import LIMITS, Limits
from fewaspect.studio.store.definition import NewAspect, group_in_words, insert_aspect, refuse_new, refuse_taken
from fewaspect.studio.store.journal import Journal, change
from fewaspect.studio.store.projects import owned_row
from fewaspect.studio.store.rejections import merge_rejections, split_rejections
from fewaspect.studio.store.schema import (
    aspects,
    audit_answers,
    example_aspects,
    examples,
    kept_labels,
    polarities,
)

LONGEST_DESCRIPTION = 2000
Said = tuple[set[int], set[int]]  # ids of the aspects that a sentence has, and of those that were asked about


def merge_aspects(
    connection: Connection, project: int, kept: int, gone: int, default: float, name: str | None = None,
    description: str | None = None,
) -> None:  # fmt: skip
    """`gone` becomes part of `kept`, with its examples and answers. `default`: the threshold where none is set.

    A sentence that was checked has the merged aspect if it had one of them, and not if it had neither.
    """
    first, second = (owned_row(connection, aspects, project, number) for number in (kept, gone))
    if kept == gone:
        raise DataError("expected two aspects to merge, found the same one twice.")
    name = first.name if name is None else name
    refuse_taken(connection, project, name, {kept, gone})
    if description is None:
        both = dict.fromkeys(text for text in (first.description, second.description) if text)
        description = "; ".join(both)[:LONGEST_DESCRIPTION]
    own, others = (_links_of(connection, number) for number in (kept, gone))
    with change(connection, project, f"merge {shortened(second.name)} into {shortened(first.name)}") as journal:
        journal.delete("example_aspects", {"aspect_id": gone})
        for example, link in others.items():
            if example not in own:
                journal.insert("example_aspects", {**link, "aspect_id": kept})
        _move_polarities(journal, gone, kept)
        merge_rejections(journal, kept, gone)
        journal.delete("aspects", {"id": gone})  # before the other takes its name
        threshold = _merged_threshold([(first.threshold, len(own)), (second.threshold, len(others))], default)
        journal.update("aspects", {"id": kept}, {"name": name, "description": description, "threshold": threshold})

        def merged(identity: str, has: set[int], asked: set[int]) -> Said:
            if {kept, gone} & has:
                return has - {gone} | {kept}, asked - {gone} | {kept}
            return has, asked - {gone} if {kept, gone} <= asked else asked - {kept, gone}

        for table in (audit_answers, kept_labels):
            _change_answers(journal, project, table, merged)


def split_aspect(
    connection: Connection, project: int, aspect: int, new: NewAspect, moved: Sequence[int], limits: Limits = LIMITS
) -> int:
    """Some examples of an aspect become those of a new one, which has its threshold and group.

    What was checked to have the aspect may have either now, so that it counts for neither; what had not, has neither.
    """
    before = owned_row(connection, aspects, project, aspect)
    own, chosen = _links_of(connection, aspect), set(moved)
    if not chosen or not chosen < own.keys():
        found = f"{len(chosen & own.keys())} of {len(own)}{' and others' if chosen - own.keys() else ''}"
        raise DataError(f"expected some of the examples of {shortened(before.name)}, but not all, found {found}.")
    refuse_new(connection, project, new.name, limits)
    with change(connection, project, f"split {shortened(new.name)} from {shortened(before.name)}") as journal:
        part = NewAspect(new.name, new.description, before.threshold, before.group)
        number = insert_aspect(journal, project, part)
        for example in sorted(chosen):
            journal.delete("example_aspects", {"example_id": example, "aspect_id": aspect})
            journal.insert("example_aspects", {**own[example], "aspect_id": number})

        same = select(examples.c.identity).where(examples.c.id.in_(chosen))
        identities = set(connection.scalars(same))
        _move_polarities(journal, aspect, number, identities)
        split_rejections(journal, project, aspect, number)

        def divided(identity: str, has: set[int], asked: set[int]) -> Said:
            if aspect in has:
                return has - {aspect}, asked - {aspect}
            return has, asked | {number} if aspect in asked else asked

        def followed(identity: str, has: set[int], asked: set[int]) -> Said:
            if aspect in has and identity in identities:
                has = has - {aspect} | {number}
            return has, asked | {number}

        _change_answers(journal, project, audit_answers, divided)
        _change_answers(journal, project, kept_labels, followed)
    return number


def group_aspects(connection: Connection, project: int, members: Sequence[int], group: str) -> None:
    """Put aspects under one heading; "" takes them from under theirs."""
    rows = [owned_row(connection, aspects, project, number) for number in dict.fromkeys(members)]
    names = shortened(rows[0].name) if len(rows) == 1 else f"{len(rows)} aspects"
    with change(connection, project, group_in_words(names, group)) as journal:
        for row in rows:
            journal.update("aspects", {"id": row.id}, {"group": group})


def _links_of(connection: Connection, aspect: int) -> dict[int, dict[str, Any]]:
    """What ties examples to an aspect, by example."""
    own = connection.execute(select(example_aspects).where(example_aspects.c.aspect_id == aspect))
    return {row["example_id"]: dict(row) for row in own.mappings()}


def _merged_threshold(parts: Sequence[tuple[float | None, int]], default: float) -> float | None:
    """The mean of those in use, by the number of examples; none if none was set."""
    if all(threshold is None for threshold, _ in parts):
        return None
    weights = [max(1, count) for _, count in parts]
    used = [default if threshold is None else threshold for threshold, _ in parts]
    return round(sum(w * t for w, t in zip(weights, used, strict=True)) / sum(weights), 4)


def _move_polarities(journal: Journal, before: int, after: int, of: Collection[str] | None = None) -> None:
    """What was said about one aspect of sentences, by default of all, is said about the other; where something was
    said about that, it stays."""
    said = (select(polarities).where(polarities.c.aspect_id == number) for number in (before, after))
    moved, kept = (journal.connection.execute(own).all() for own in said)
    taken = {row.identity for row in kept}
    for row in moved:
        if row.identity in taken:
            journal.delete("polarities", {"id": row.id})
        elif of is None or row.identity in of:
            journal.update("polarities", {"id": row.id}, {"aspect_id": after})


def _change_answers(
    journal: Journal, project: int, table: Table, change: Callable[[str, set[int], set[int]], Said]
) -> None:
    """What a person has said of sentences, of other aspects now."""
    for row in journal.connection.execute(select(table).where(table.c.project_id == project)).all():
        has, asked = change(row.identity, set(row.aspects), set(row.asked))
        journal.update(table.name, {"id": row.id}, {"aspects": sorted(has), "asked": sorted(asked)})

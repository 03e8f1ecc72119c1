"""The definition of a project's detector: aspects, examples, thresholds. Each change can be undone."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, func, select

from fewaspect.data.labels import shortened
from fewaspect.detector.support import Examples
from fewaspect.studio.limits import LIMITS, Limits
from fewaspect.studio.problems import NameTakenError, TooManyError
from fewaspect.studio.store.database import now
from fewaspect.studio.store.journal import Journal, change
from fewaspect.studio.store.projects import owned_row, project_row
from fewaspect.studio.store.schema import aspects, example_aspects, examples, skipped
from fewaspect.text.identity import text_identity

COLOURS = 12


@dataclass(frozen=True)
class Aspect:
    id: int
    name: str
    description: str
    threshold: float | None
    colour: int


@dataclass(frozen=True)
class Example:
    id: int
    text: str
    identity: str
    sentence_id: int | None
    created: str
    aspects: tuple[int, ...]


@dataclass(frozen=True)
class Definition:
    """At one revision."""

    revision: int
    threshold: float | None  # of aspects without their own
    aspects: tuple[Aspect, ...]
    examples: tuple[Example, ...]
    target_precision: float | None = None  # share of the accepted answers that must be right
    skipped: tuple[str, ...] = ()  # sentences that are not offered for labelling

    def as_examples(self) -> Examples:
        """For the detector, by name."""
        names = {aspect.id: aspect.name for aspect in self.aspects}
        sentences = {example.text: frozenset(names[a] for a in example.aspects) for example in self.examples}
        described = {aspect.name: aspect.description for aspect in self.aspects if aspect.description}
        return Examples(tuple(names.values()), sentences, described)

    def thresholds(self) -> dict[str, float]:
        """Those that are set, by name: that of the aspect, else that of the project."""
        chosen = {a.name: self.threshold if a.threshold is None else a.threshold for a in self.aspects}
        return {name: value for name, value in chosen.items() if value is not None}


@dataclass(frozen=True)
class NewAspect:
    """An aspect without an id."""

    name: str
    description: str = ""
    threshold: float | None = None


def read_definition(connection: Connection, project: int) -> Definition:
    row = project_row(connection, project)
    own = connection.execute(select(aspects).where(aspects.c.project_id == project).order_by(aspects.c.id))
    of_project = tuple(Aspect(a.id, a.name, a.description, a.threshold, a.colour) for a in own)
    links = select(example_aspects).join(examples).where(examples.c.project_id == project)
    labels: dict[int, list[int]] = {}
    for example, aspect in connection.execute(links.order_by(example_aspects.c.aspect_id)):
        labels.setdefault(example, []).append(aspect)
    found = connection.execute(select(examples).where(examples.c.project_id == project).order_by(examples.c.id))
    labelled = tuple(
        Example(e.id, e.text, e.identity, e.sentence_id, e.created, tuple(labels.get(e.id, ()))) for e in found
    )
    passed = select(skipped.c.text).where(skipped.c.project_id == project).order_by(skipped.c.id)
    texts = tuple(connection.scalars(passed))
    return Definition(row.revision, row.threshold, of_project, labelled, row.target_precision, texts)


def add_aspect(
    connection: Connection, project: int, new: NewAspect, texts: Sequence[str] = (), limits: Limits = LIMITS
) -> int:
    """With examples; a sentence that is an example of other aspects becomes one of this aspect too."""
    _refuse_taken(connection, project, new.name)
    if _count(connection, aspects, project) >= limits.aspects:
        raise TooManyError(f"expected at most {limits.aspects} aspects in a project, found one more.")
    with change(connection, project, f"add the aspect {shortened(new.name)}") as journal:
        number = _insert_aspect(journal, project, new)
        for text in dict.fromkeys(texts):
            before = _example_of(connection, project, text)
            own = _labels(connection, before.id) if before else []
            _put_example(journal, project, text, [*own, number], None)
        _refuse_too_many_examples(connection, project, limits)
    return number


def change_aspect(connection: Connection, project: int, aspect: int, values: Mapping[str, Any]) -> None:
    """Any of name, description and threshold."""
    before = owned_row(connection, aspects, project, aspect)
    name = values.get("name", before.name)
    if name != before.name:
        _refuse_taken(connection, project, name)
    what = f"rename {shortened(before.name)} to {shortened(name)}" if name != before.name else ""
    if "threshold" in values and not what:
        set_to = values["threshold"]
        what = f"set the threshold of {shortened(name)} " + ("back" if set_to is None else f"to {set_to:g}")
    with change(connection, project, what or f"describe {shortened(name)}") as journal:
        journal.update("aspects", {"id": aspect}, values)


def remove_aspect(connection: Connection, project: int, aspect: int) -> None:
    """Examples of this aspect alone are removed too; they do not become examples of none."""
    name = owned_row(connection, aspects, project, aspect).name
    with change(connection, project, f"remove the aspect {shortened(name)}") as journal:
        own = select(example_aspects.c.example_id).where(example_aspects.c.aspect_id == aspect)
        numbers = sorted(connection.scalars(own))
        journal.delete("example_aspects", {"aspect_id": aspect})
        for number in numbers:
            if not _labels(connection, number):
                journal.delete("examples", {"id": number})
        journal.delete("aspects", {"id": aspect})


def put_example(
    connection: Connection, project: int, text: str, own: Sequence[int], sentence: int | None = None,
    limits: Limits = LIMITS,
) -> int:  # fmt: skip
    """Make a sentence an example of exactly these aspects."""
    names = ", ".join(owned_row(connection, aspects, project, aspect).name for aspect in own) or "none of these"
    with change(connection, project, f"label {shortened(text, 40)} as {names}") as journal:
        number = _put_example(journal, project, text, own, sentence)
        _refuse_too_many_examples(connection, project, limits)
    return number


def remove_example(connection: Connection, project: int, example: int) -> None:
    row = owned_row(connection, examples, project, example)
    with change(connection, project, f"forget the example {shortened(row.text, 40)}") as journal:
        journal.delete("example_aspects", {"example_id": example})
        journal.delete("examples", {"id": example})


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


def set_threshold(connection: Connection, project: int, threshold: float | None) -> None:
    """Of aspects without their own; None: the default of the detector."""
    what = "set the threshold " + ("back" if threshold is None else f"to {threshold:g}")
    with change(connection, project, what) as journal:
        journal.update("projects", {"id": project}, {"threshold": threshold})


def set_target_precision(connection: Connection, project: int, target: float | None) -> None:
    """Of the answers that may be used without looking; None: all answers alike."""
    what = "accept all answers alike" if target is None else f"accept answers of which {target:.0%} are right"
    with change(connection, project, what) as journal:
        journal.update("projects", {"id": project}, {"target_precision": target})


def set_thresholds(connection: Connection, project: int, tuned: Mapping[int, float], what: str) -> None:
    """Thresholds of several aspects, as one change."""
    with change(connection, project, what) as journal:
        for aspect, threshold in tuned.items():
            journal.update("aspects", {"id": aspect}, {"threshold": threshold})


def replace_definition(
    connection: Connection, project: int, what: str, new: Sequence[NewAspect],
    labelled: Iterable[tuple[str, Sequence[str]]], threshold: float | None,
) -> None:  # fmt: skip
    """Replace all aspects, examples and the threshold, as one change."""
    with change(connection, project, what) as journal:
        for row in connection.execute(select(examples.c.id).where(examples.c.project_id == project)).all():
            journal.delete("example_aspects", {"example_id": row.id})
        journal.delete("examples", {"project_id": project})
        journal.delete("aspects", {"project_id": project})
        journal.update("projects", {"id": project}, {"threshold": threshold})
        fill_definition(journal, project, new, labelled)


def fill_definition(
    journal: Journal, project: int, new: Sequence[NewAspect], labelled: Iterable[tuple[str, Sequence[str]]]
) -> None:
    """Aspects and examples of a project without any."""
    numbers = {aspect.name: _insert_aspect(journal, project, aspect) for aspect in new}
    for text, names in labelled:
        _put_example(journal, project, text, [numbers[name] for name in names], None)


def identity_of(text: str) -> str:
    """A hash that is equal for texts that are the same sentence."""
    return hashlib.sha256(text_identity(text).encode()).hexdigest()


def _insert_aspect(journal: Journal, project: int, new: NewAspect) -> int:
    taken = select(aspects.c.colour).where(aspects.c.project_id == project)
    used = list(journal.connection.scalars(taken))
    colour = min(range(COLOURS), key=lambda c: (used.count(c), c))
    return journal.insert(
        "aspects",
        {"project_id": project, "name": new.name, "description": new.description, "threshold": new.threshold,
         "colour": colour},
    )  # fmt: skip


def _put_example(journal: Journal, project: int, text: str, own: Sequence[int], sentence: int | None) -> int:
    connection = journal.connection
    row = _example_of(connection, project, text)
    if row is None:
        number = journal.insert(
            "examples",
            {"project_id": project, "text": text, "identity": identity_of(text), "sentence_id": sentence,
             "created": now()},
        )  # fmt: skip
    else:
        number = row.id
        if sentence is not None:
            journal.update("examples", {"id": number}, {"sentence_id": sentence})
    before = _labels(connection, number)
    for aspect in before:
        if aspect not in own:
            journal.delete("example_aspects", {"example_id": number, "aspect_id": aspect})
    for aspect in dict.fromkeys(own):
        if aspect not in before:
            journal.insert("example_aspects", {"example_id": number, "aspect_id": aspect})
    return number


def _example_of(connection: Connection, project: int, text: str) -> Any:
    same = examples.c.identity == identity_of(text)
    return connection.execute(select(examples).where(examples.c.project_id == project, same)).one_or_none()


def _labels(connection: Connection, example: int) -> list[int]:
    own = select(example_aspects.c.aspect_id).where(example_aspects.c.example_id == example)
    return list(connection.scalars(own.order_by(example_aspects.c.aspect_id)))


def _refuse_taken(connection: Connection, project: int, name: str) -> None:
    same = select(aspects.c.id).where(aspects.c.project_id == project, aspects.c.name == name)
    if connection.scalar(same) is not None:
        raise NameTakenError(f"expected a new name, found {shortened(name)}, which another aspect has.")


def _refuse_too_many_examples(connection: Connection, project: int, limits: Limits) -> None:
    if (count := _count(connection, examples, project)) > limits.examples:
        raise TooManyError(f"expected at most {limits.examples:,} examples in a project, found {count:,}.")


def _count(connection: Connection, table: Any, project: int) -> int:
    return connection.scalar(select(func.count()).select_from(table).where(table.c.project_id == project)) or 0

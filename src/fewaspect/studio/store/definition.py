"""The definition of a project's detector: aspects, examples, thresholds. Each change can be undone."""

from __future__ import annotations

import hashlib
import unicodedata
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from sqlalchemy import Connection, func, select

from fewaspect.data.labels import shortened
from fewaspect.detector.support import Examples
from fewaspect.studio.limits import LIMITS, Limits
from fewaspect.studio.problems import NameTakenError, RevisionConflictError, TooManyError
from fewaspect.studio.store.database import now
from fewaspect.studio.store.journal import Journal, change
from fewaspect.studio.store.projects import owned_row, project_row
from fewaspect.studio.store.schema import (
    aspects,
    example_aspects,
    examples,
    hidden_reviews,
    polarities,
    rejections,
    sentences,
    skipped,
)
from fewaspect.text.identity import text_identity

COLOURS = 24


@dataclass(frozen=True)
class Aspect:
    id: int
    name: str
    description: str
    threshold: float | None
    colour: int
    group: str = ""  # a heading that it stands under


@dataclass(frozen=True)
class Example:
    id: int
    text: str
    identity: str
    sentence_id: int | None
    created: str
    aspects: tuple[int, ...]
    polarities: Mapping[int, str]  # that were said, by aspect


class PolarityLabel(NamedTuple):
    """What a person said that a sentence thinks of an aspect."""

    text: str
    aspect: int
    polarity: str


class Rejection(NamedTuple):
    """An aspect that a person said a sentence is not about."""

    text: str
    aspect: int


@dataclass(frozen=True)
class Definition:
    """At one revision."""

    revision: int
    threshold: float | None  # of aspects without their own
    aspects: tuple[Aspect, ...]
    examples: tuple[Example, ...]
    target_precision: float | None = None  # share of the accepted answers that must be right
    skipped: tuple[str, ...] = ()  # sentences that are not offered for labelling
    sentiment: bool = False
    polarities: tuple[PolarityLabel, ...] = ()
    model: str | None = None  # by its name; None: the English one
    rejections: tuple[Rejection, ...] = ()

    def as_examples(self) -> Examples:
        """For the detector, by name."""
        names = {aspect.id: aspect.name for aspect in self.aspects}
        sentences = {example.text: frozenset(names[a] for a in example.aspects) for example in self.examples}
        described = {aspect.name: aspect.description for aspect in self.aspects if aspect.description}
        said: dict[str, dict[str, str]] = {}
        for text, aspect, polarity in self.polarities:
            said.setdefault(text, {})[names[aspect]] = polarity
        return Examples(tuple(names.values()), sentences, described, polarities=said)

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
    group: str = ""
    colour: int | None = None  # None: one that few others have


def read_definition(connection: Connection, project: int) -> Definition:
    row = project_row(connection, project)
    own = connection.execute(select(aspects).where(aspects.c.project_id == project).order_by(aspects.c.id))
    of_project = tuple(Aspect(a.id, a.name, a.description, a.threshold, a.colour, a.group) for a in own)
    links = select(example_aspects).join(examples).where(examples.c.project_id == project)
    labels: dict[int, list[int]] = {}
    for example, aspect in connection.execute(links.order_by(example_aspects.c.aspect_id)):
        labels.setdefault(example, []).append(aspect)
    mine = examples.c.project_id == project
    hidden = select(sentences.c.id).where(sentences.c.review_id.in_(hidden_reviews()))
    lost = set(connection.scalars(select(examples.c.id).where(mine, examples.c.sentence_id.in_(hidden))))
    of_any = select(polarities).where(polarities.c.project_id == project).order_by(polarities.c.id)
    polar = connection.execute(of_any).all()
    said: dict[str, dict[int, str]] = {}
    for one in polar:
        said.setdefault(one.identity, {})[one.aspect_id] = one.polarity
    labelled = tuple(
        Example(e.id, e.text, e.identity, None if e.id in lost else e.sentence_id, e.created,
                tuple(labels.get(e.id, ())), said.get(e.identity, {}))
        for e in connection.execute(select(examples).where(mine).order_by(examples.c.id))
    )  # fmt: skip
    passed = select(skipped.c.text).where(skipped.c.project_id == project).order_by(skipped.c.id)
    texts = tuple(connection.scalars(passed))
    told = tuple(PolarityLabel(one.text, one.aspect_id, one.polarity) for one in polar)
    wrong = select(rejections.c.text, rejections.c.aspect_id).where(rejections.c.project_id == project)
    rejected = tuple(Rejection(*one) for one in connection.execute(wrong.order_by(rejections.c.id)))
    return Definition(
        row.revision, row.threshold, of_project, labelled, row.target_precision, texts, row.sentiment, told, row.model,
        rejected,
    )  # fmt: skip


def add_aspect(
    connection: Connection, project: int, new: NewAspect, texts: Sequence[str] = (), limits: Limits = LIMITS
) -> int:
    """With examples; a sentence that is an example of other aspects becomes one of this aspect too."""
    return add_aspects(connection, project, [(new, texts)], limits)[0]


def add_aspects(
    connection: Connection, project: int, new: Sequence[tuple[NewAspect, Sequence[str]]], limits: Limits = LIMITS
) -> list[int]:
    """Several at once, each with its examples, as one change."""
    names = " and ".join(shortened(aspect.name) for aspect, _ in new) if len(new) < 3 else f"{len(new)} aspects"
    what = f"add the aspect{'s' * (len(new) == 2)} {names}" if len(new) < 3 else f"add {names}"
    numbers = []
    with change(connection, project, what) as journal:
        for aspect, texts in new:
            refuse_new(connection, project, aspect.name, limits)
            numbers.append(insert_aspect(journal, project, aspect))
            for text in dict.fromkeys(texts):
                before = example_of(connection, project, text)
                own = labels_of(connection, before.id) if before else []
                _put_example(journal, project, text, [*own, numbers[-1]], None)
        _refuse_too_many_examples(connection, project, limits)
    return numbers


def change_aspect(connection: Connection, project: int, aspect: int, values: Mapping[str, Any]) -> None:
    """Any of name, description, threshold, group and colour."""
    before = owned_row(connection, aspects, project, aspect)
    name = values.get("name", before.name)
    if name != before.name:
        refuse_taken(connection, project, name, {aspect})
    changed = [column for column, value in values.items() if value != getattr(before, column)]
    with change(connection, project, _in_words(before, values, changed)) as journal:
        journal.update("aspects", {"id": aspect}, values)


def _in_words(before: Any, values: Mapping[str, Any], changed: Sequence[str]) -> str:
    """A change of an aspect, by the first of these that it is."""
    name = shortened(before.name)
    if "name" in changed:
        return f"rename {name} to {shortened(values['name'])}"
    if "threshold" in changed:
        set_to = values["threshold"]
        return f"set the threshold of {name} " + ("back" if set_to is None else f"to {set_to:g}")
    if "group" in changed:
        return group_in_words(name, values["group"])
    return f"{'describe' if 'description' in changed else 'change the colour of'} {name}"


def group_in_words(name: str, group: str) -> str:
    return f"put {name} into the group {shortened(group)}" if group else f"take {name} out of its group"


def counted_aspect(connection: Connection, project: int, aspect: int) -> dict[str, Any]:
    """Its row, with the number of its examples."""
    row = owned_row(connection, aspects, project, aspect)
    own = select(func.count()).select_from(example_aspects).where(example_aspects.c.aspect_id == aspect)
    return {**row._mapping, "examples": connection.scalar(own) or 0}


def remove_aspect(connection: Connection, project: int, aspect: int) -> None:
    """Examples of this aspect alone are removed too; they do not become examples of none."""
    name = owned_row(connection, aspects, project, aspect).name
    with change(connection, project, f"remove the aspect {shortened(name)}") as journal:
        own = select(example_aspects.c.example_id).where(example_aspects.c.aspect_id == aspect)
        numbers = sorted(connection.scalars(own))
        journal.delete("example_aspects", {"aspect_id": aspect})
        for number in numbers:
            if not labels_of(connection, number):
                journal.delete("examples", {"id": number})
        journal.delete("aspects", {"id": aspect})


def read_example(connection: Connection, project: int, example: int) -> Example:
    row = owned_row(connection, examples, project, example)
    own = tuple(labels_of(connection, example))
    of_it = select(polarities.c.aspect_id, polarities.c.polarity).order_by(polarities.c.id)
    told = connection.execute(of_it.where(polarities.c.project_id == project, polarities.c.identity == row.identity))
    said = {one.aspect_id: one.polarity for one in told}
    return Example(row.id, row.text, row.identity, row.sentence_id, row.created, own, said)


def put_example(
    connection: Connection, project: int, text: str, own: Sequence[int], sentence: int | None = None,
    limits: Limits = LIMITS, said: Mapping[int, str] | None = None,
) -> int:  # fmt: skip
    """Make a sentence an example of exactly these aspects, with the polarities that are `said`, by aspect."""
    names = ", ".join(owned_row(connection, aspects, project, aspect).name for aspect in own) or "none of these"
    with change(connection, project, f"label {shortened(text, 40)} as {names}") as journal:
        number = _put_example(journal, project, text, own, sentence)
        for aspect, polarity in (said or {}).items():
            owned_row(connection, aspects, project, aspect)
            set_polarity(journal, project, text, aspect, polarity)
        _refuse_too_many_examples(connection, project, limits)
    return number


def put_examples(
    connection: Connection, project: int, given: Sequence[tuple[str, Sequence[int], int]], limits: Limits = LIMITS
) -> int:
    """Make sentences, each with its aspects and its id, examples of exactly these, as one change; how many became one.

    What a person has said of some of them meanwhile stays.
    """
    for aspect in {aspect for _, own, _ in given for aspect in own}:
        owned_row(connection, aspects, project, aspect)
    new = {identity_of(text): (text, own, number) for text, own, number in given}
    new = {key: one for key, one in new.items() if example_of(connection, project, one[0]) is None}
    with change(connection, project, f"confirm {len(new):,} sentence{'s' * (len(new) != 1)}") as journal:
        for text, own, sentence in new.values():
            _put_example(journal, project, text, own, sentence)
        _refuse_too_many_examples(connection, project, limits)
    return len(new)


def refuse_unseen(
    connection: Connection, project: int, text: str, seen: Sequence[int] | None, wanted: Sequence[int] | None
) -> None:
    """Unless a sentence is an example of exactly the aspects `seen` (None: no example), or already as it is wanted."""
    row = example_of(connection, project, text)
    now = None if row is None else set(labels_of(connection, row.id))
    if now not in (None if seen is None else set(seen), None if wanted is None else set(wanted)):
        own = [owned_row(connection, aspects, project, number).name for number in sorted(now or ())]
        said = "took it back as an example" if now is None else f"said: {', '.join(own) or 'none of these'}"
        raise RevisionConflictError(f"Someone else changed {shortened(text, 60)} meanwhile and {said}.")


def remove_example(connection: Connection, project: int, example: int) -> None:
    row = owned_row(connection, examples, project, example)
    with change(connection, project, f"forget the example {shortened(row.text, 40)}") as journal:
        journal.delete("example_aspects", {"example_id": example})
        journal.delete("examples", {"id": example})


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


def set_sentiment(connection: Connection, project: int, on: bool) -> None:
    """Whether sentiment is on."""
    what = "tell what is thought of each aspect" if on else "no longer tell what is thought of each aspect"
    with change(connection, project, what) as journal:
        journal.update("projects", {"id": project}, {"sentiment": on})


def set_model(connection: Connection, project: int, model: str | None) -> None:
    """By its name; None: the English one."""
    with change(connection, project, f"read with the {model or 'English'} model") as journal:
        journal.update("projects", {"id": project}, {"model": model})


def set_thresholds(connection: Connection, project: int, tuned: Mapping[int, float], what: str) -> None:
    """Thresholds of several aspects, as one change."""
    with change(connection, project, what) as journal:
        for aspect, threshold in tuned.items():
            journal.update("aspects", {"id": aspect}, {"threshold": threshold})


def replace_definition(
    connection: Connection, project: int, what: str, new: Sequence[NewAspect],
    labelled: Iterable[tuple[str, Sequence[str]]], threshold: float | None,
    said: Mapping[str, Mapping[str, str]] | None = None,
) -> None:  # fmt: skip
    """Replace all aspects, examples, polarities (by text and aspect) and the threshold, as one change."""
    with change(connection, project, what) as journal:
        for row in connection.execute(select(examples.c.id).where(examples.c.project_id == project)).all():
            journal.delete("example_aspects", {"example_id": row.id})
        journal.delete("examples", {"project_id": project})
        journal.delete("aspects", {"project_id": project})
        journal.update("projects", {"id": project}, {"threshold": threshold})
        numbers = fill_definition(journal, project, new, labelled)
        polar = [PolarityLabel(text, numbers[n], p) for text, own in (said or {}).items() for n, p in own.items()]
        fill_polarities(journal, project, polar)


def set_polarity(journal: Journal, project: int, text: str, aspect: int, polarity: str | None) -> None:
    """As part of a larger change; None takes back what was said."""
    key = {"project_id": project, "identity": identity_of(text), "aspect_id": aspect}
    number = journal.connection.scalar(select(polarities.c.id).filter_by(**key))
    if polarity is None:
        journal.delete("polarities", key)
    elif number is not None:
        journal.update("polarities", {"id": number}, {"polarity": polarity})
    else:
        journal.insert("polarities", {**key, "text": text, "polarity": polarity, "created": now()})


def fill_polarities(journal: Journal, project: int, given: Iterable[PolarityLabel]) -> None:
    """Of a project without any; of two that are given for the same sentence and aspect, the first."""
    known = set()
    for text, aspect, polarity in given:
        if (key := (identity_of(text), aspect)) not in known:
            known.add(key)
            row = {"project_id": project, "identity": key[0], "text": text, "aspect_id": aspect}
            journal.insert("polarities", {**row, "polarity": polarity, "created": now()})


def fill_definition(
    journal: Journal, project: int, new: Sequence[NewAspect], labelled: Iterable[tuple[str, Sequence[str]]]
) -> dict[str, int]:
    """Aspects and examples of a project without any; the ids of the aspects by name."""
    numbers = {aspect.name: insert_aspect(journal, project, aspect) for aspect in new}
    for text, names in labelled:
        _put_example(journal, project, text, [numbers[name] for name in names], None)
    return numbers


def identity_of(text: str) -> str:
    """A hash that is equal for texts that are the same sentence."""
    return hashlib.sha256(text_identity(text).encode()).hexdigest()


def insert_aspect(journal: Journal, project: int, new: NewAspect) -> int:
    """As part of a larger change."""
    used = list(journal.connection.scalars(select(aspects.c.colour).where(aspects.c.project_id == project)))
    colour = min(range(COLOURS), key=lambda c: (used.count(c), c)) if new.colour is None else new.colour
    return journal.insert(
        "aspects",
        {"project_id": project, "name": new.name, "description": new.description, "threshold": new.threshold,
         "colour": colour, "group": new.group},
    )  # fmt: skip


def _put_example(journal: Journal, project: int, text: str, own: Sequence[int], sentence: int | None) -> int:
    connection = journal.connection
    row = example_of(connection, project, text)
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
    before = labels_of(connection, number)
    for aspect in before:
        if aspect not in own:
            journal.delete("example_aspects", {"example_id": number, "aspect_id": aspect})
    for aspect in dict.fromkeys(own):
        if aspect not in before:
            journal.insert("example_aspects", {"example_id": number, "aspect_id": aspect})
            rejected = {"project_id": project, "identity": identity_of(text), "aspect_id": aspect}
            journal.delete("rejections", rejected)  # its newest word counts
    return number


def example_of(connection: Connection, project: int, text: str) -> Any:
    same = examples.c.identity == identity_of(text)
    return connection.execute(select(examples).where(examples.c.project_id == project, same)).one_or_none()


def labels_of(connection: Connection, example: int) -> list[int]:
    own = select(example_aspects.c.aspect_id).where(example_aspects.c.example_id == example)
    return list(connection.scalars(own.order_by(example_aspects.c.aspect_id)))


def refuse_new(connection: Connection, project: int, name: str, limits: Limits) -> None:
    """One more aspect, if its name is taken or there are too many."""
    refuse_taken(connection, project, name)
    if _count(connection, aspects, project) >= limits.aspects:
        raise TooManyError(f"expected at most {limits.aspects} aspects in a project, found one more.")


def refuse_taken(connection: Connection, project: int, name: str, own: Collection[int] = ()) -> None:
    """By an aspect that is not `own`, in whatever case, spaces or Unicode form."""
    rows = connection.execute(select(aspects.c.id, aspects.c.name).where(aspects.c.project_id == project))
    same = [row.name for row in rows if row.id not in own and name_identity(row.name) == name_identity(name)]
    if same:
        raise NameTakenError(
            f"There is an aspect {shortened(same[0])} already. Choose another name than {shortened(name)}."
        )


def name_identity(name: str) -> str:
    """Equal for names that people take for the same."""
    folded = unicodedata.normalize("NFKC", name).casefold()
    return " ".join(unicodedata.normalize("NFKC", folded).split())


def _refuse_too_many_examples(connection: Connection, project: int, limits: Limits) -> None:
    if (count := _count(connection, examples, project)) > limits.examples:
        raise TooManyError(f"expected at most {limits.examples:,} examples in a project, found {count:,}.")


def _count(connection: Connection, table: Any, project: int) -> int:
    return connection.scalar(select(func.count()).select_from(table).where(table.c.project_id == project)) or 0

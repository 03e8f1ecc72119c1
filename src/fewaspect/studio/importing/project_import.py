"""Projects and detectors from archives, and the sample project, into the database, within the limits."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import count
from typing import TYPE_CHECKING

from fewaspect.core.errors import DataError
from fewaspect.data.labels import check_texts
from fewaspect.data.sample_set import load_sample, load_showcase
from fewaspect.studio.importing.archive_size import definition_size, too_much_said
from fewaspect.studio.importing.archives import ArchivedAnswer, ArchivedProject, ArchivedReview
from fewaspect.studio.limits import Limits
from fewaspect.studio.problems import TooManyError
from fewaspect.studio.store.answers import put_answer
from fewaspect.studio.store.definition import (
    NewAspect,
    PolarityLabel,
    Rejection,
    fill_definition,
    fill_polarities,
    name_identity,
    replace_definition,
)
from fewaspect.studio.store.journal import Journal
from fewaspect.studio.store.projects import create_project, free_name, list_projects
from fewaspect.studio.store.regrouping import LONGEST_DESCRIPTION
from fewaspect.studio.store.rejections import fill_rejections
from fewaspect.studio.store.reviews import NewReview, add_reviews
from fewaspect.studio.store.schema import audit_answers, kept_labels
from fewaspect.studio.store.skipping import skip_text
from fewaspect.text.splitting import sentence_spans

if TYPE_CHECKING:
    from sqlalchemy import Connection, Table

    from fewaspect.detector.persistence import SavedDetector
    from fewaspect.studio.studio import Studio

SAMPLE = "Sample: hotel and restaurant reviews"
_UNSTORABLE = re.compile("[\0\ud800-\udfff]")
Labelled = Sequence[tuple[str, Sequence[str]]]  # texts with the names of their aspects


def import_project(studio: Studio, archived: ArchivedProject, reviews: Sequence[ArchivedReview]) -> int:
    """A new project, under another name if its own is taken; aspects of the same name get numbers."""
    aspects = [NewAspect(a.name, a.description, a.threshold, _clean(a.group), a.colour) for a in archived.aspects]
    aspects, labelled, names = _cleaned(aspects, [(e.text, e.aspects) for e in archived.examples], studio.limits)
    if len(reviews) > studio.limits.sentences:  # the project may have had more than one import
        raise TooManyError(f"expected at most {studio.limits.sentences:,} reviews, found {len(reviews):,}.")
    texts = check_texts([_clean(review.text) for review in reviews])
    if any(len(text) > studio.limits.text_chars for text in texts):
        raise DataError(f"expected reviews of at most {studio.limits.text_chars:,} characters, found a longer one.")
    spans, *_ = studio.engine.model_named(archived.model).split_sentences(texts)
    new = [NewReview(t, review.date, review.fields, s) for t, review, s in zip(texts, reviews, spans, strict=True)]
    with studio.database.write() as connection:
        name = free_name(connection, _clean(archived.name))
        project = create_project(
            connection, name, archived.threshold, archived.target_precision, archived.sentiment, archived.model
        )
        journal = Journal(connection)
        numbers = fill_definition(journal, project, aspects, labelled)
        ids = {name: numbers[own] for name, own in names.items()}
        add_reviews(connection, project, new, studio.limits, name="the project file")
        for table, answers in ((audit_answers, archived.answers), (kept_labels, archived.kept)):
            _add_answers(connection, table, project, answers, ids)
        for text in archived.skipped:
            skip_text(journal, project, _clean(text))
        said = [(_clean(p.text), ids.get(_clean(p.aspect)), p.polarity) for p in archived.polarities]
        fill_polarities(journal, project, _known(said))
        wrong = [(_clean(r.text), ids.get(_clean(r.aspect))) for r in archived.rejections]
        fill_rejections(journal, project, (Rejection(text, own) for text, own in wrong if own is not None))
        if (size := definition_size(connection, project)) > studio.limits.definition_chars:
            raise too_much_said(studio.limits.definition_chars, size)
    return project


def _known(said: Iterable[tuple[str, int | None, str]]) -> Iterator[PolarityLabel]:
    """Those of aspects that there are."""
    return (PolarityLabel(text, aspect, polarity) for text, aspect, polarity in said if aspect is not None)


def _add_answers(
    connection: Connection, table: Table, project: int, answers: Sequence[ArchivedAnswer], ids: Mapping[str, int]
) -> None:
    for answer in answers:
        own, asked = ([ids[_clean(n)] for n in names if _clean(n) in ids] for names in (answer.aspects, answer.asked))
        put_answer(connection, table, project, _clean(answer.text), own, asked)


def import_detector(studio: Studio, project: int, saved: SavedDetector) -> None:
    """Replace the definition by that of a saved detector; a threshold for all aspects becomes that of the project."""
    examples, given = saved.examples, saved.parameters["threshold"]
    own = {**saved.tuned, **given} if isinstance(given, dict) else saved.tuned if given is None else {}
    aspects = [NewAspect(name, examples.descriptions.get(name, ""), own.get(name)) for name in examples.names]
    by_text = [(text, [n for n in examples.names if n in labels]) for text, labels in examples.sentences.items()]
    aspects, labelled, names = _cleaned(aspects, by_text, studio.limits)
    threshold = None if given is None or isinstance(given, dict) else float(given)
    polarities = examples.polarities.items()
    said = {_clean(text): {names[_clean(n)]: p for n, p in own.items()} for text, own in polarities}
    _check_texts(said, "polarities", studio.limits)
    with studio.write(project) as connection:
        replace_definition(connection, project, "load a saved detector", aspects, labelled, threshold, said)


def add_sample_project(studio: Studio) -> None:
    """Which the first start creates: only into a database without projects; it cannot be undone."""
    showcase, splits = load_showcase(), load_sample()
    texts = [review.text for review in showcase.reviews]
    for part in ("test", "validation", "train"):
        texts += splits[part].texts
    labelled = [(text, [name]) for name, own in showcase.examples.items() for text in own]
    with studio.database.write() as connection:
        if list_projects(connection):
            return
        project = create_project(connection, SAMPLE)
        fill_definition(Journal(connection), project, [NewAspect(name) for name in showcase.examples], labelled)
        new = [NewReview(text, None, {}, sentence_spans(text)) for text in dict.fromkeys(texts)]
        add_reviews(connection, project, new, studio.limits, name="the sample")


def _cleaned(
    aspects: Sequence[NewAspect], labelled: Labelled, limits: Limits
) -> tuple[list[NewAspect], Labelled, dict[str, str]]:
    """As they can be stored, within the limits, and with names that differ; which name stands for which."""
    aspects = [replace(a, name=_clean(a.name), description=_clean(a.description)) for a in aspects]
    labelled = [(_clean(text), [_clean(name) for name in names]) for text, names in labelled]
    if any(len(aspect.description) > LONGEST_DESCRIPTION for aspect in aspects):
        raise DataError(
            f"aspects: expected descriptions of at most {LONGEST_DESCRIPTION:,} characters, found a longer one."
        )
    _check([aspect.name for aspect in aspects], labelled, limits)
    names = _told_apart([aspect.name for aspect in aspects])
    labelled = [(text, [names[name] for name in own]) for text, own in labelled]
    return [replace(aspect, name=names[aspect.name]) for aspect in aspects], labelled, names


def _told_apart(names: Sequence[str]) -> dict[str, str]:
    """Of names that people take for the same, such as noise and Noise, each but the first with a number."""
    found: dict[str, str] = {}
    taken: set[str] = set()
    for name in names:
        numbered = (name if n == 1 else f"{name[:90]} ({n})" for n in count(1))
        found[name] = next(own for own in numbered if name_identity(own) not in taken)
        taken.add(name_identity(found[name]))
    return found


def _check(names: Sequence[str], labelled: Labelled, limits: Limits) -> None:
    if len(set(names)) < len(names) or any(not 1 <= len(name) <= 100 for name in names):
        raise DataError("aspects: expected names of 1 to 100 characters, each once, found others.")
    if len(names) > limits.aspects or len(labelled) > limits.examples:
        raise TooManyError(
            f"expected at most {limits.aspects} aspects and {limits.examples:,} examples, "
            f"found {len(names)} and {len(labelled):,}."
        )
    if unknown := {name for _, labels in labelled for name in labels} - set(names):
        raise DataError(f'examples: expected names of aspects, found "{min(unknown)}".')
    _check_texts((text for text, _ in labelled), "examples", limits)


def _check_texts(texts: Iterable[str], where: str, limits: Limits) -> None:
    if any(not 1 <= len(text) <= limits.text_chars for text in texts):
        raise DataError(f"{where}: expected texts of 1 to {limits.text_chars:,} characters, found another.")


def _clean(text: str) -> str:
    """PostgreSQL cannot store a NUL, and UTF-8 no half of a pair of surrogates."""
    return _UNSTORABLE.sub("\ufffd", text)

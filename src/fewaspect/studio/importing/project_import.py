"""Projects and detectors from files into the store, within the limits."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from fewaspect.core.errors import DataError
from fewaspect.data.labels import check_texts
from fewaspect.detector.predictions import split
from fewaspect.studio.importing.archives import ProjectInFile, ReviewInFile
from fewaspect.studio.limits import Limits
from fewaspect.studio.problems import TooManyError
from fewaspect.studio.store.definition import NewAspect, fill_definition, replace_definition
from fewaspect.studio.store.journal import Journal
from fewaspect.studio.store.projects import create_project, free_name, project_row
from fewaspect.studio.store.reviews import NewReview, add_reviews

if TYPE_CHECKING:
    from fewaspect.detector.persistence import Definition as Saved
    from fewaspect.studio.studio import Studio

Labelled = Sequence[tuple[str, Sequence[str]]]


def take_project(studio: Studio, about: ProjectInFile, reviews: Sequence[ReviewInFile]) -> int:
    """A new project, under a new name if its own is taken."""
    aspects = [NewAspect(_clean(a.name), _clean(a.description), a.threshold) for a in about.aspects]
    labelled = [(_clean(e.text), [_clean(name) for name in e.aspects]) for e in about.examples]
    _check(aspects, labelled, studio.limits)
    if len(reviews) > studio.limits.sentences:  # more than one import may have brought them
        raise TooManyError(f"expected at most {studio.limits.sentences:,} reviews, found {len(reviews):,}.")
    texts = check_texts([_clean(review.text) for review in reviews])
    if any(len(text) > studio.limits.text_chars for text in texts):
        raise DataError(f"expected reviews of at most {studio.limits.text_chars:,} characters, found a longer one.")
    spans, *_ = split(studio.engine.model, texts)
    new = [
        NewReview(text, review.date, review.fields, own)
        for text, review, own in zip(texts, reviews, spans, strict=True)
    ]
    with studio.database.write() as connection:
        project = create_project(connection, free_name(connection, _clean(about.name)), about.threshold)
        fill_definition(Journal(connection), project, aspects, labelled)
        add_reviews(connection, project, new, studio.limits)
    return project


def take_model(studio: Studio, project: int, saved: Saved) -> None:
    """What the detector was told; a threshold for all of its aspects becomes the project's."""
    examples, given = saved.examples, saved.parameters["threshold"]
    own = {**saved.tuned, **given} if isinstance(given, dict) else saved.tuned if given is None else {}
    aspects = [NewAspect(name, examples.descriptions.get(name, ""), own.get(name)) for name in examples.names]
    labelled = [(text, [n for n in examples.names if n in carried]) for text, carried in examples.sentences.items()]
    aspects = [NewAspect(_clean(a.name), _clean(a.description), a.threshold) for a in aspects]
    labelled = [(_clean(text), [_clean(name) for name in names]) for text, names in labelled]
    _check(aspects, labelled, studio.limits)
    threshold = None if given is None or isinstance(given, dict) else float(given)
    with studio.database.write() as connection:
        project_row(connection, project)
        replace_definition(connection, project, "take the aspects of a saved detector", aspects, labelled, threshold)


def _check(aspects: Sequence[NewAspect], labelled: Labelled, limits: Limits) -> None:
    names = [aspect.name for aspect in aspects]
    if len(set(names)) < len(names) or any(not name.strip() or len(name) > 100 for name in names):
        raise DataError("aspects: expected names of 1 to 100 characters, each once, found others.")
    if len(names) > limits.aspects or len(labelled) > limits.examples:
        raise TooManyError(
            f"expected at most {limits.aspects} aspects and {limits.examples:,} examples, "
            f"found {len(names)} and {len(labelled):,}."
        )
    for text, own in labelled:
        if unknown := set(own) - set(names):
            raise DataError(f'examples: expected names of aspects, found "{sorted(unknown)[0]}".')
        if not text.strip() or len(text) > limits.text_chars:
            raise DataError(f"examples: expected texts of 1 to {limits.text_chars:,} characters, found another.")


def _clean(text: str) -> str:
    return text.replace("\0", "\ufffd")

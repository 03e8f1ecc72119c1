"""Imported sentences: page by page, explained, corrected."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from fastapi import APIRouter, Query
from pydantic import Field

from fewaspect.studio.api.examples import AspectLabels
from fewaspect.studio.api.fields import (
    MAX_ID,
    AspectId,
    AspectIds,
    CurrentStudio,
    Id,
    Period,
    Polarity,
    ProjectId,
    RequestBody,
    ResponseBody,
    Where,
    example,
)
from fewaspect.studio.api.problem_details import errors
from fewaspect.studio.engine.presenters import present
from fewaspect.studio.engine.sentence_query import SentenceQuery
from fewaspect.studio.engine.snapshot import Snapshot
from fewaspect.studio.store.definition import (
    example_of,
    put_example,
    put_examples,
    refuse_unseen,
    remove_example,
)
from fewaspect.studio.store.projects import owned_row
from fewaspect.studio.store.rejections import reject_aspect, restore_aspect
from fewaspect.studio.store.schema import reviews, sentences
from fewaspect.studio.store.skipping import offer_sentence, skip_sentence
from fewaspect.studio.studio import Studio

router = APIRouter(prefix="/projects/{project}/sentences", tags=["sentences"])
Revision = Annotated[
    int | None,
    Query(
        ge=0, le=MAX_ID,
        description="The oldest that is accepted: for two seconds after a change the revision before it may answer. "
        "Without it, the newest answers.",
    ),
]  # fmt: skip
SENTENCE = {
    "id": 17, "review_id": 9, "position": 0, "text": "The garage was full.", "date": "2024-03-31", "aspects": [3],
    "scores": {"3": 0.93, "4": 0.02}, "words": [{"start": 4, "end": 10, "aspect": 3, "weight": 1.0}],
    "reason": "parking 0.93 >= 0.50", "example_id": None, "confirmed": False, "rejected": [4], "look": [],
    "foreign": False,
    "sentiment": {"3": {"polarity": "negative", "negative": 0.9, "neutral": 0.06, "positive": 0.04, "own": False}},
}  # fmt: skip


SeenQuery = Annotated[
    str | None,
    Query(pattern=r"^([1-9][0-9]{0,8}(,[1-9][0-9]{0,8})*)?$", description="Ids of the aspects it was an example of."),
]


class Correction(AspectLabels):
    """All aspects of a sentence; []: none of these. `seen`: the aspects that it was an example of when the person
    decided, null if it was none. Left out, whatever others have said meanwhile is replaced."""

    model_config = example(aspects=[], seen=None)
    seen: AspectIds | None = None


class RejectionRequest(RequestBody):
    """`seen`: as in a correction."""

    model_config = example(seen=None)
    seen: AspectIds | None = None


class DecidingWord(ResponseBody):
    """A deciding word of an aspect; `start` and `end` count code points of the text."""

    start: int
    end: int
    aspect: int
    weight: float


class SentimentResponse(ResponseBody):
    """What a sentence thinks of an aspect, with probabilities; `own`: a person has said it."""

    polarity: Polarity
    negative: float
    neutral: float
    positive: float
    own: bool


class SentenceResponse(ResponseBody):
    """A sentence with its decision and the reason; `confirmed`: it is an example, so its aspects are the user's.

    `rejected`: aspects that a person said it is not about, while it is no example.
    `look`: those of its aspects that need a look, the others being accepted; null where no precision is asked for.
    `sentiment`: what it thinks of each of its aspects, by id; null where the project does not tell it.
    `foreign`: it seems to be in a language that the model does not read.
    """

    model_config = example(**SENTENCE)
    id: int
    review_id: int
    position: int
    text: str
    date: str | None
    aspects: list[int]
    scores: dict[str, float]
    words: list[DecidingWord]
    reason: str
    example_id: int | None
    confirmed: bool
    rejected: list[int]
    look: list[int] | None
    sentiment: dict[str, SentimentResponse] | None
    foreign: bool


class SentencePage(ResponseBody):
    """`position`: of the sentence to locate, among all that are listed; null: it is not listed."""

    total: int
    position: int | None
    revision: int
    scored: float
    sentences: list[SentenceResponse]


class NearestExample(ResponseBody):
    """An example and its cosine similarity to the sentence."""

    text: str
    similarity: float
    example_id: int | None


class SourceReview(ResponseBody):
    """The review of a sentence."""

    id: int
    text: str
    fields: dict[str, Any]


class SentenceDetail(SentenceResponse):
    nearest: dict[str, list[NearestExample]]
    review: SourceReview
    thresholds: dict[str, float]


class ConfirmedAnswer(RequestBody):
    """A sentence with all its aspects."""

    id: Id
    aspects: AspectIds


class ConfirmRequest(RequestBody):
    """Answers that are right, as they were shown."""

    model_config = example(sentences=[{"id": 1, "aspects": []}])
    sentences: Annotated[list[ConfirmedAnswer], Field(min_length=1, max_length=200)]


class Confirmed(ResponseBody):
    """How many sentences became examples."""

    confirmed: int


@router.get("", response_model=SentencePage, responses=errors(404))
def list_some(
    studio: CurrentStudio,
    project: ProjectId,
    offset: Annotated[int, Query(ge=0, le=MAX_ID)] = 0,
    limit: Annotated[int, Query(ge=1, le=200)] = 50,
    aspect: Annotated[int | None, Query(ge=1, le=MAX_ID)] = None,
    show: Literal["all", "none", "uncertain", "look", "examples"] = "all",
    q: Annotated[str, Query(max_length=200, description="Words that must all occur.")] = "",
    order: Literal["file", "uncertain", "certain"] = "file",
    co_aspect: Annotated[
        int | None, Query(alias="together", ge=1, le=MAX_ID, description="Another aspect of the same sentence.")
    ] = None,
    period: Period = "",
    where: Where = (),
    sentiment: Annotated[Polarity | None, Query(description="What it thinks of the aspect, or of any.")] = None,
    group: Annotated[str, Query(max_length=100, description="Any aspect of this group.")] = "",
    like: Annotated[
        int | None, Query(ge=1, le=MAX_ID, description="A sentence: those most like it come first, whatever the order.")
    ] = None,
    locate: Annotated[int | None, Query(ge=1, le=MAX_ID, description="A sentence whose position is asked for.")] = None,
    revision: Revision = None,
) -> Any:
    """A page of sentences, scored at one revision: the newest, unless an earlier one is accepted."""
    query = SentenceQuery(aspect, show, q, order, co_aspect, period, tuple(where), sentiment, group, like)
    with studio.engine.foreground():
        snapshot = studio.engine.snapshot(project, revision)
        at_most = 0.99 if query.is_provisional(snapshot) else 1.0  # what comes meanwhile is not on the page
        total, found = query.page(snapshot, offset, limit)
        position = None if locate is None else query.position(snapshot, locate)
    return {
        "total": total,
        "position": position,
        "revision": snapshot.revision,
        "scored": min(at_most, snapshot.scored if sentiment is None else snapshot.sentiment_scored),
        "sentences": found,
    }


@router.put("/confirmed", response_model=Confirmed, responses=errors(404))
def confirm(studio: CurrentStudio, project: ProjectId, answers: ConfirmRequest) -> Any:
    """Make sentences examples of the aspects that are given with each, as one change; those that are, stay."""
    with studio.write(project) as connection:
        rows = [
            (owned_row(connection, sentences, project, one.id).text, one.aspects, one.id) for one in answers.sentences
        ]
        confirmed = put_examples(connection, project, rows, studio.limits)
    return {"confirmed": confirmed}


@router.get("/{sentence}", response_model=SentenceDetail, responses=errors(404))
def get(studio: CurrentStudio, project: ProjectId, sentence: Id, revision: Revision = None) -> Any:
    """One sentence with the nearest examples and its review."""
    with studio.engine.foreground():
        snapshot = studio.engine.snapshot(project, revision)
        row = snapshot.sentences.row_of(sentence)
        found, nearest = present(snapshot, [row])[0], _nearest(snapshot, row)
    with studio.database.read() as connection:
        review = owned_row(connection, reviews, project, found["review_id"])
    thresholds = dict(zip(map(str, snapshot.aspect_ids), snapshot.thresholds.tolist(), strict=True))
    source = {"id": review.id, "text": review.text, "fields": review.fields}
    return {**found, "nearest": nearest, "review": source, "thresholds": thresholds}


@router.put("/{sentence}/aspects", response_model=SentenceResponse, responses=errors(404, 409))
def correct(studio: CurrentStudio, project: ProjectId, sentence: Id, correction: Correction) -> Any:
    """Make it an example of exactly these aspects; refused if it is not as it was `seen`."""
    with studio.write(project) as connection:
        text = owned_row(connection, sentences, project, sentence).text
        if "seen" in correction.model_fields_set:
            refuse_unseen(connection, project, text, correction.seen, correction.aspects)
        put_example(connection, project, text, correction.aspects, sentence, studio.limits)
    return corrected_sentence(studio, project, sentence)


@router.delete("/{sentence}/aspects", response_model=SentenceResponse, responses=errors(404, 409))
def release(studio: CurrentStudio, project: ProjectId, sentence: Id, seen: SeenQuery = None) -> Any:
    """Remove it from the examples, if it is one; refused if it is one of other aspects than it was `seen` with."""
    with studio.write(project) as connection:
        text = owned_row(connection, sentences, project, sentence).text
        if seen is not None:
            refuse_unseen(connection, project, text, [int(number) for number in seen.split(",") if number], None)
        if (example := example_of(connection, project, text)) is not None:
            remove_example(connection, project, example.id)
    return corrected_sentence(studio, project, sentence)


@router.put("/{sentence}/rejected/{aspect}", response_model=SentenceResponse, responses=errors(404, 409))
def reject(
    studio: CurrentStudio, project: ProjectId, sentence: Id, aspect: AspectId, said: RejectionRequest | None = None
) -> Any:
    """Say that it is not about this aspect, and nothing about the others: it becomes no example. One of this aspect is
    one of its others only, and without others none any more."""
    with studio.write(project) as connection:
        text = owned_row(connection, sentences, project, sentence).text
        if said is not None and "seen" in said.model_fields_set:
            left = [number for number in said.seen or () if number != aspect]
            refuse_unseen(connection, project, text, said.seen, left if left or said.seen == [] else None)
        reject_aspect(connection, project, text, aspect)
    return corrected_sentence(studio, project, sentence)


@router.delete("/{sentence}/rejected/{aspect}", response_model=SentenceResponse, responses=errors(404))
def restore(studio: CurrentStudio, project: ProjectId, sentence: Id, aspect: AspectId) -> Any:
    """Leave it to the detector again."""
    with studio.write(project) as connection:
        text = owned_row(connection, sentences, project, sentence).text
        restore_aspect(connection, project, text, aspect)
    return corrected_sentence(studio, project, sentence)


@router.put("/{sentence}/skipped", status_code=204, responses=errors(404))
def skip(studio: CurrentStudio, project: ProjectId, sentence: Id) -> None:
    """Do not offer it for labelling any more."""
    with studio.write(project) as connection:
        skip_sentence(connection, project, owned_row(connection, sentences, project, sentence).text)


@router.delete("/{sentence}/skipped", status_code=204, responses=errors(404))
def unskip(studio: CurrentStudio, project: ProjectId, sentence: Id) -> None:
    """Offer it again, if it was skipped."""
    with studio.write(project) as connection:
        offer_sentence(connection, project, owned_row(connection, sentences, project, sentence).text)


def corrected_sentence(studio: Studio, project: int, sentence: int) -> dict[str, Any]:
    """As it is now."""
    with studio.engine.foreground():
        snapshot = studio.engine.snapshot(project)
        return present(snapshot, [snapshot.sentences.row_of(sentence)])[0]


def _nearest(snapshot: Snapshot, row: int) -> dict[str, list[dict[str, Any]]]:
    if snapshot.detector is None:
        return {}
    numbers = {example.text: example.id for example in snapshot.definition.examples}
    (analysis,) = snapshot.detector.analyze_many([snapshot.sentences.texts[row]], words=False, nearest=True)
    return {
        str(snapshot.id_by_name[name]): [
            {"text": one.text, "similarity": one.similarity, "example_id": numbers.get(one.text)} for one in near
        ]
        for name, near in analysis.nearest.items()
    }

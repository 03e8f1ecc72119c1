"""Imported sentences: page by page, explained, corrected."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from fastapi import APIRouter, Query

from fewaspect.studio.api.examples import AspectLabels
from fewaspect.studio.api.fields import MAX_ID, CurrentStudio, Id, ProjectId, ResponseBody, example
from fewaspect.studio.api.problem_details import errors
from fewaspect.studio.engine.presenters import present
from fewaspect.studio.engine.sentence_query import SentenceQuery
from fewaspect.studio.engine.snapshot import Snapshot
from fewaspect.studio.store.definition import offer_sentence, put_example, remove_example, skip_sentence
from fewaspect.studio.store.projects import owned_row
from fewaspect.studio.store.schema import reviews, sentences
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
    "reason": "parking 0.93 >= 0.50", "example_id": None, "confirmed": False, "look": [],
}  # fmt: skip


class DecidingWord(ResponseBody):
    """A deciding word of an aspect; `start` and `end` count code points of the text."""

    start: int
    end: int
    aspect: int
    weight: float


class SentenceResponse(ResponseBody):
    """A sentence with its decision and the reason; `confirmed`: it is an example, so its aspects are the user's.

    `look`: those of its aspects that need a look, the others being accepted; null where no precision is asked for.
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
    look: list[int] | None


class SentencePage(ResponseBody):
    total: int
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


@router.get("", response_model=SentencePage, responses=errors(404))
def list_some(
    studio: CurrentStudio,
    project: ProjectId,
    offset: Annotated[int, Query(ge=0, le=MAX_ID)] = 0,
    limit: Annotated[int, Query(ge=1, le=200)] = 50,
    aspect: Annotated[int | None, Query(ge=1, le=MAX_ID)] = None,
    show: Literal["all", "none", "uncertain", "look", "examples"] = "all",
    q: Annotated[str, Query(max_length=200, description="Words that must all occur.")] = "",
    order: Literal["file", "uncertain"] = "file",
    co_aspect: Annotated[
        int | None, Query(alias="together", ge=1, le=MAX_ID, description="Another aspect of the same sentence.")
    ] = None,
    period: Annotated[str, Query(pattern=r"^(\d{4}(-\d{2}){0,2})?$", description="How its date begins.")] = "",
    revision: Revision = None,
) -> Any:
    """A page of sentences, scored at one revision: the newest, unless an earlier one is accepted."""
    query = SentenceQuery(aspect, show, q, order, co_aspect, period)
    with studio.engine.foreground():
        snapshot = studio.engine.snapshot(project, revision)
        total, found = query.page(snapshot, offset, limit)
    return {"total": total, "revision": snapshot.revision, "scored": snapshot.scored, "sentences": found}


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


@router.put("/{sentence}/aspects", response_model=SentenceResponse, responses=errors(404))
def correct(studio: CurrentStudio, project: ProjectId, sentence: Id, correction: AspectLabels) -> Any:
    """Make it an example of exactly these aspects."""
    with studio.write(project) as connection:
        text = owned_row(connection, sentences, project, sentence).text
        put_example(connection, project, text, correction.aspects, sentence, studio.limits)
    return _one(studio, project, sentence)


@router.delete("/{sentence}/aspects", response_model=SentenceResponse, responses=errors(404))
def release(studio: CurrentStudio, project: ProjectId, sentence: Id) -> Any:
    """Remove it from the examples, if it is one."""
    snapshot = studio.engine.snapshot(project)
    example = snapshot.confirmed.get(snapshot.sentences.row_of(sentence))
    if example is not None:
        with studio.write(project) as connection:
            remove_example(connection, project, example.id)
    return _one(studio, project, sentence)


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


def _one(studio: Studio, project: int, sentence: int) -> dict[str, Any]:
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

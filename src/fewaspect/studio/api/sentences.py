"""Imported sentences: shown page by page, explained, corrected."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from fastapi import APIRouter, Query

from fewaspect.studio.api.fields import LARGEST, Answer, AspectIds, Given, Id, InStudio, ProjectId, example, given
from fewaspect.studio.api.problem_details import answers
from fewaspect.studio.engine.presenters import present
from fewaspect.studio.engine.sentence_query import SentenceQuery
from fewaspect.studio.engine.snapshot import Snapshot
from fewaspect.studio.store.definition import put_example, remove_example
from fewaspect.studio.store.projects import project_row
from fewaspect.studio.store.rows import row_of
from fewaspect.studio.store.tables import reviews, sentences
from fewaspect.studio.studio import Studio

router = APIRouter(prefix="/projects/{project}/sentences", tags=["sentences"])
Revision = Annotated[
    int | None,
    Query(
        ge=0, le=LARGEST,
        description="The oldest that will do: for two seconds after a change the state before may then answer. "
        "Without it, the present one answers.",
    ),
]  # fmt: skip
SENTENCE = {
    "id": 17, "review_id": 9, "position": 0, "text": "The garage was full.", "date": "2024-03-31", "aspects": [3],
    "scores": {"3": 0.93, "4": 0.02}, "words": [{"start": 4, "end": 10, "aspect": 3, "weight": 1.0}],
    "reason": "parking 0.93 >= 0.50", "example_id": None, "confirmed": False,
}  # fmt: skip


class Word(Answer):
    """A deciding word of an aspect; places count code points of the text."""

    start: int
    end: int
    aspect: int
    weight: float


class SentenceAnswer(Answer):
    """A sentence with what is decided of it and why; `confirmed`: the user said it."""

    model_config = example(**SENTENCE)
    id: int
    review_id: int
    position: int
    text: str
    date: str | None
    aspects: list[int]
    scores: dict[str, float]
    words: list[Word]
    reason: str
    example_id: int | None
    confirmed: bool


class SentencePage(Answer):
    total: int
    revision: int
    scored: float
    sentences: list[SentenceAnswer]


class Near(Answer):
    """An example and its cosine with the sentence."""

    text: str
    similarity: float
    example_id: int | None


class Source(Answer):
    """The review a sentence is from."""

    id: int
    text: str
    fields: dict[str, Any]


class SentenceDetail(SentenceAnswer):
    nearest: dict[str, list[Near]]
    review: Source
    thresholds: dict[str, float]


class Correction(Given):
    """The aspects it has; []: none of these."""

    model_config = given(aspects=[])
    aspects: AspectIds


@router.get("", response_model=SentencePage, responses=answers(404))
def list_some(
    studio: InStudio,
    project: ProjectId,
    offset: Annotated[int, Query(ge=0, le=LARGEST)] = 0,
    limit: Annotated[int, Query(ge=1, le=200)] = 50,
    aspect: Annotated[int | None, Query(ge=1, le=LARGEST)] = None,
    show: Literal["all", "none", "uncertain", "examples"] = "all",
    q: Annotated[str, Query(max_length=200, description="Words that must all occur.")] = "",
    order: Literal["file", "uncertain"] = "file",
    co_aspect: Annotated[
        int | None, Query(alias="together", ge=1, le=LARGEST, description="Another aspect of the same sentence.")
    ] = None,
    period: Annotated[str, Query(pattern=r"^(\d{4}(-\d{2}){0,2})?$", description="How its date begins.")] = "",
    revision: Revision = None,
) -> Any:
    """One page; what is on it is scored at one revision, the present one unless an earlier one will do."""
    query = SentenceQuery(aspect, show, q, order, co_aspect, period)
    with studio.engine.foreground():
        snapshot = studio.engine.snapshot(project, revision)
        total, found = query.page(snapshot, offset, limit)
    return {"total": total, "revision": snapshot.revision, "scored": snapshot.scores.scored, "sentences": found}


@router.get("/{sentence}", response_model=SentenceDetail, responses=answers(404))
def get(studio: InStudio, project: ProjectId, sentence: Id, revision: Revision = None) -> Any:
    """One sentence with the nearest examples and the review it is from."""
    with studio.engine.foreground():
        snapshot = studio.engine.snapshot(project, revision)
        row = snapshot.sentences.row_of(sentence)
        found, nearest = present(snapshot, [row])[0], _nearest(snapshot, row)
    with studio.database.read() as connection:
        review = row_of(connection, reviews, project, found["review_id"])
    thresholds = dict(zip(map(str, snapshot.aspect_ids), snapshot.thresholds.tolist(), strict=True))
    source = {"id": review.id, "text": review.text, "fields": review.fields}
    return {**found, "nearest": nearest, "review": source, "thresholds": thresholds}


@router.put("/{sentence}/aspects", response_model=SentenceAnswer, responses=answers(404))
def correct(studio: InStudio, project: ProjectId, sentence: Id, said: Correction) -> Any:
    """It becomes an example of exactly these aspects."""
    with studio.database.write() as connection:
        project_row(connection, project)
        text = row_of(connection, sentences, project, sentence).text
        put_example(connection, project, text, said.aspects, sentence, studio.limits)
    return _one(studio, project, sentence)


@router.delete("/{sentence}/aspects", response_model=SentenceAnswer, responses=answers(404))
def release(studio: InStudio, project: ProjectId, sentence: Id) -> Any:
    """It is no example any more; if it was none, nothing changes."""
    snapshot = studio.engine.snapshot(project)
    example = snapshot.confirmed.get(snapshot.sentences.row_of(sentence))
    if example is not None:
        with studio.database.write() as connection:
            project_row(connection, project)
            remove_example(connection, project, example.id)
    return _one(studio, project, sentence)


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

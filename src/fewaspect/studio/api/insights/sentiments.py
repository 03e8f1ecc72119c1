"""What the sentences think of their aspects: counted, and corrected by a person."""

from __future__ import annotations

from typing import Any, Literal

from fastapi import APIRouter

from fewaspect.studio.api.fields import (
    AspectId,
    CurrentStudio,
    Id,
    Polarity,
    ProjectId,
    RequestBody,
    ResponseBody,
    Where,
    example,
)
from fewaspect.studio.api.insights.comparisons import Unit
from fewaspect.studio.api.problem_details import errors
from fewaspect.studio.api.sentences import SentenceResponse, corrected_sentence
from fewaspect.studio.engine.sentiment.sentiment_counts import sentiment_counts
from fewaspect.studio.store.polarity_labels import put_polarity
from fewaspect.studio.store.projects import owned_row
from fewaspect.studio.store.schema import sentences

router = APIRouter(prefix="/projects/{project}", tags=["sentiment"])


class PolarityRequest(RequestBody):
    model_config = example(polarity="negative")
    polarity: Polarity


class TypicalSentence(ResponseBody):
    id: int
    text: str


class MeanRating(ResponseBody):
    """null where no such review has a rating."""

    mean: float | None
    reviews: int


class RatingColumn(MeanRating):
    """The column of the file that holds ratings, and its mean over all reviews."""

    column: str


class AspectOpinion(ResponseBody):
    """Sentences by what they think of the aspect; typical ones; and the ratings of the reviews that are negative, or
    positive, about it, where the file has a column of ratings."""

    id: int
    negative: int
    neutral: int
    positive: int
    mixed: int
    typical: dict[Literal["negative", "positive"], list[TypicalSentence]]
    ratings: dict[Literal["negative", "positive"], MeanRating]


class OpinionPeriod(ResponseBody):
    """`counts`: of each aspect its negative, neutral, positive and mixed sentences; `period`: first and last day."""

    label: str
    period: str
    counts: dict[str, list[int]]


class Opinions(ResponseBody):
    """By what is scored and read so far; `on`: whether sentiment is on in the project."""

    revision: int
    scored: float
    on: bool
    aspects: list[AspectOpinion]
    unit: Unit
    periods: list[OpinionPeriod]
    rating: RatingColumn | None


@router.get("/sentiment", response_model=Opinions, responses=errors(404))
def opinions(studio: CurrentStudio, project: ProjectId, unit: Unit | None = None, where: Where = ()) -> Any:
    """What the sentences think of each aspect: in all, over time, and against a rating."""
    return sentiment_counts(studio.engine.snapshot(project), unit, where)


@router.put(
    "/sentences/{sentence}/polarities/{aspect}", response_model=SentenceResponse, responses=errors(404)
)  # fmt: skip
def say(studio: CurrentStudio, project: ProjectId, sentence: Id, aspect: AspectId, said: PolarityRequest) -> Any:
    """Say what a sentence thinks of an aspect; the model learns from it."""
    return _put(studio, project, sentence, aspect, said.polarity)


@router.delete("/sentences/{sentence}/polarities/{aspect}", response_model=SentenceResponse, responses=errors(404))
def take_back(studio: CurrentStudio, project: ProjectId, sentence: Id, aspect: AspectId) -> Any:
    """Leave it to the model again."""
    return _put(studio, project, sentence, aspect, None)


def _put(studio: CurrentStudio, project: int, sentence: int, aspect: int, polarity: str | None) -> dict[str, Any]:
    with studio.write(project) as connection:
        text = owned_row(connection, sentences, project, sentence).text
        put_polarity(connection, project, text, aspect, polarity)
    return corrected_sentence(studio, project, sentence)

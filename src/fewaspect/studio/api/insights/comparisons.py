"""The columns of the reviews as segments: counted, over time, two of them compared."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Query

from fewaspect.studio.api.fields import Condition, CurrentStudio, ProjectId, ResponseBody, Where, example
from fewaspect.studio.api.problem_details import errors
from fewaspect.studio.engine.insights.segments import column_list, compare_segments, period_counts, segment_counts

router = APIRouter(prefix="/projects/{project}", tags=["insights"])
Unit = Literal["day", "week", "month", "quarter", "year"]


class SegmentResponse(ResponseBody):
    """Reviews for which all the conditions hold."""

    label: str
    where: list[str]
    reviews: int


class ColumnResponse(ResponseBody):
    """A column that reviews were imported with; `values`: how many different ones it has."""

    model_config = example(
        name="country", kind="label", values=2, least=None, greatest=None,
        segments=[{"label": "Spain", "where": ["country=Spain"], "reviews": 310}],
    )  # fmt: skip
    name: str
    kind: Literal["label", "number", "date"]
    values: int
    least: str | None
    greatest: str | None
    segments: list[SegmentResponse]


class ColumnList(ResponseBody):
    columns: list[ColumnResponse]


class AspectShare(ResponseBody):
    """Reviews with the aspect in at least one sentence; their share of all, with its 95 % interval.

    `negative`: those with a sentence that is negative about it; null without sentiment (or not yet).
    """

    id: int
    reviews: int
    share: float
    low: float
    high: float
    negative: int | None


class ReviewCounts(ResponseBody):
    """`none`: reviews without any of the aspects."""

    reviews: int
    sentences: int
    none: int
    aspects: list[AspectShare]


class SegmentCounts(ReviewCounts):
    label: str
    where: list[str]


class ColumnCounts(ResponseBody):
    """By the scores so far; `told`: the same, below 1 until sentiment is read too."""

    revision: int
    scored: float
    told: float
    column: str
    segments: list[SegmentCounts]


class PeriodCounts(ReviewCounts):
    """`period`: its first and last day, as the list of sentences takes it."""

    label: str
    period: str


class CountsOverTime(ResponseBody):
    """By the scores so far; `told`: the same, below 1 until sentiment is read too; `unit`: the one in use."""

    revision: int
    scored: float
    told: float
    unit: Unit
    where: list[str]
    periods: list[PeriodCounts]


class ComparedSegment(ReviewCounts):
    where: list[str]


class ShareDifference(ResponseBody):
    """The share in the one segment less that in the other, with its 95 % interval (Newcombe).

    `verdict`: "more than chance" if that holds however many aspects are compared (Holm); `clear_alone`: if it would
    hold were this the only aspect.
    """

    difference: float
    low: float
    high: float
    verdict: Literal["more than chance", "could be chance", "no reviews"]
    clear_alone: bool


class AspectDifference(ShareDifference):
    """Of the reviews that mention the aspect; `complaints`: of those that complain of it among these."""

    id: int
    complaints: ShareDifference | None


class Comparison(ResponseBody):
    """By the scores so far; `told`: the same, below 1 until sentiment is read too; `compared`: how many aspects."""

    revision: int
    scored: float
    told: float
    compared: int
    one: ComparedSegment
    other: ComparedSegment
    aspects: list[AspectDifference]


@router.get("/columns", response_model=ColumnList, responses=errors(404))
def columns(studio: CurrentStudio, project: ProjectId) -> Any:
    """The columns that the reviews can be filtered by, each with at most a dozen segments and one for the rest."""
    return {"columns": column_list(studio.engine.snapshot(project))}


@router.get("/segments", response_model=ColumnCounts, responses=errors(404))
def segments(
    studio: CurrentStudio,
    project: ProjectId,
    column: Annotated[str, Query(min_length=1, max_length=400, examples=["country"])],
    where: Where = (),
) -> Any:
    """Reviews with each aspect, by the segments of a column."""
    return segment_counts(studio.engine.snapshot(project), column, where)


@router.get("/periods", response_model=CountsOverTime, responses=errors(404))
def periods(studio: CurrentStudio, project: ProjectId, unit: Unit | None = None, where: Where = ()) -> Any:
    """Reviews with each aspect by period; without a unit, by one that suits the span of the dates."""
    return period_counts(studio.engine.snapshot(project), unit, where)


@router.get("/comparison", response_model=Comparison, responses=errors(404))
def comparison(
    studio: CurrentStudio,
    project: ProjectId,
    one: Annotated[Sequence[Condition], Query(min_length=1, max_length=40, examples=[["country=Spain"]])],
    other: Annotated[
        Sequence[Condition], Query(max_length=40, description="Conditions; without them, all other reviews.")
    ] = (),
    where: Where = (),
) -> Any:
    """Two segments side by side: each aspect's share of the reviews, and whether they differ by more than chance."""
    return compare_segments(studio.engine.snapshot(project), one, other, where)

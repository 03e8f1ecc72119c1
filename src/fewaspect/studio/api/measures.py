"""Tuning of thresholds, evaluation on labelled texts, and the dashboard."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Request
from fastapi.concurrency import run_in_threadpool
from pydantic import Field, ValidationError
from starlette.datastructures import UploadFile

from fewaspect.core.errors import DataError, FewAspectError
from fewaspect.studio.api.fields import (
    LIMITS,
    CurrentStudio,
    ProjectId,
    RequestBody,
    ResponseBody,
    Text,
    Where,
    example,
)
from fewaspect.studio.api.imports import kept
from fewaspect.studio.api.problem_details import RefusedError, errors
from fewaspect.studio.api.projects import EmptyBody
from fewaspect.studio.engine.curves import evaluate_texts
from fewaspect.studio.engine.insights.segments import dashboard_counts
from fewaspect.studio.importing.budget import Budget
from fewaspect.studio.importing.labelled_file import read_labelled
from fewaspect.studio.problems import RevisionConflictError
from fewaspect.studio.store.definition import set_thresholds
from fewaspect.studio.store.projects import project_row
from fewaspect.studio.studio import Studio

router = APIRouter(prefix="/projects/{project}", tags=["measures"])


class LabelledTexts(RequestBody):
    """Texts and the names of their aspects; names that are no aspects of the project are counted separately."""

    model_config = example(texts=["The garage was full.", "We went on Monday."], labels=[["parking"], []])
    texts: Annotated[list[Text], Field(min_length=1, max_length=LIMITS.import_rows)]
    labels: list[list[str]]


_FILE = {"type": "object", "required": ["file"], "properties": {"file": {"type": "string", "format": "binary"}}}
BODY = {
    "required": True,
    "content": {
        "application/json": {"schema": LabelledTexts.model_json_schema()},
        "multipart/form-data": {"schema": _FILE},
    },
}


class TunedAspect(ResponseBody):
    """`texts`: examples of the aspect; without one, its threshold stays."""

    id: int
    name: str
    threshold_before: float
    threshold: float
    f1_before: float
    f1: float
    texts: int


class TuningResponse(ResponseBody):
    aspects: list[TunedAspect]


class ConfusionMatrix(ResponseBody):
    tp: int
    fp: int
    fn: int
    tn: int


class CurvePoint(ResponseBody):
    """What a threshold would give; `precision` is null where nothing reaches it."""

    threshold: float
    precision: float | None
    recall: float


class AspectMetrics(ResponseBody):
    """null where no text decides the value."""

    id: int
    name: str
    precision: float | None
    recall: float | None
    f1: float | None
    average_precision: float | None
    support: int
    confusion: ConfusionMatrix
    curve: list[CurvePoint]
    threshold: float


class Mistake(ResponseBody):
    """A text with ids of aspects that were found but are `wrong`, and of those `missed`."""

    text: str
    wrong: list[int]
    missed: list[int]


class EvaluationResponse(ResponseBody):
    """`without_texts`: names of aspects that no text carries, which macro-F1 leaves out; `mistakes`: the first 1,000
    texts with a wrong answer."""

    texts: int
    macro_f1: float | None
    micro_f1: float | None
    mean_average_precision: float | None
    right_empties: float | None
    calibration_error: float | None
    unknown_aspects: dict[str, int]
    without_texts: list[str]
    aspects: list[AspectMetrics]
    mistakes: list[Mistake]


class AspectCount(ResponseBody):
    """Sentences, and reviews with at least one of them."""

    id: int
    count: int
    reviews: int


class GroupCount(ResponseBody):
    """Sentences with any aspect of the group, and reviews with at least one of them."""

    group: str
    count: int
    reviews: int


class PeriodCounts(ResponseBody):
    """Sentences of a month, and those with each aspect, by its id."""

    period: str
    total: int
    counts: dict[str, int]


class Dashboard(ResponseBody):
    """Counts of sentences and reviews by the scores so far; `together`: [aspect, aspect, sentences]."""

    revision: int
    scored: float
    sentences: int
    none: int
    reviews: int
    reviews_none: int
    aspects: list[AspectCount]
    together: list[tuple[int, int, int]]
    groups: list[GroupCount]
    over_time: list[PeriodCounts] = Field(description="By month; `periods` has other units.")


@router.post("/tune", response_model=TuningResponse, responses=errors(404, 409))
def tune(studio: CurrentStudio, project: ProjectId, nothing: EmptyBody | None = None) -> Any:
    """Set each threshold where the leave-one-out F1 of its aspect on the examples is best; one change."""
    with studio.engine.foreground():
        snapshot = studio.engine.learned_snapshot(project)
        detector = studio.engine.fit(snapshot.definition, snapshot.detector)  # tuning changes it
        if detector is None:
            raise DataError("tune: expected a project with aspects, found none.")
        before, tuned = detector.thresholds_, detector.tune()
    ids = snapshot.id_by_name
    found = {ids[name]: row.threshold for name, row in tuned.items() if row.texts}
    with studio.database.write() as connection:
        if project_row(connection, project).revision != snapshot.revision:
            raise RevisionConflictError("expected the project as when tuning began, found it changed. Tune again.")
        set_thresholds(connection, project, found, "tune the thresholds")
    return {
        "aspects": [
            {"id": ids[name], "name": name, "threshold_before": before[name], "threshold": row.threshold,
             "f1_before": row.f1_before, "f1": row.f1, "texts": row.texts}
            for name, row in tuned.items()
        ]
    }  # fmt: skip


@router.post("/evaluate", response_model=EvaluationResponse, responses=errors(404), openapi_extra={"requestBody": BODY})
async def evaluate(studio: CurrentStudio, project: ProjectId, request: Request) -> Any:
    """Metrics on labelled texts: JSON, or a CSV or JSONL file with the columns text and labels."""
    if request.headers.get("content-type", "").lower().startswith("multipart/form-data"):
        async with request.form(max_files=1, max_fields=10) as form:
            file = form.get("file")
            if not isinstance(file, UploadFile):
                raise RefusedError(422, "file: expected a file of labelled texts, found none.", "file")
            texts, labels = await run_in_threadpool(_from_file, studio, project, file)
    else:
        texts, labels = await run_in_threadpool(_from_json, await request.body())
    return await run_in_threadpool(_evaluate, studio, project, texts, labels)


@router.get("/dashboard", response_model=Dashboard, responses=errors(404))
def dashboard(studio: CurrentStudio, project: ProjectId, where: Where = ()) -> Any:
    """Counts of each aspect and of pairs of aspects."""
    return dashboard_counts(studio.engine.snapshot(project), where)


def _evaluate(studio: Studio, project: int, texts: list[str], labels: list[list[str]]) -> dict[str, Any]:
    with studio.engine.foreground():
        return evaluate_texts(studio.engine.learned_snapshot(project), texts, labels)


def _from_json(body: bytes) -> tuple[list[str], list[list[str]]]:
    try:
        labelled = LabelledTexts.model_validate_json(body)
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(map(str, first["loc"]))
        status = 400 if first["type"] == "json_invalid" else 422
        raise RefusedError(status, f"{place or 'body'}: {first['msg']}.", place or None) from None
    return labelled.texts, labelled.labels


def _from_file(studio: Studio, project: int, file: UploadFile) -> tuple[list[str], list[list[str]]]:
    names = [aspect.name for aspect in studio.engine.snapshot(project).definition.aspects]
    upload = kept(studio, file.file, file.filename)
    try:
        sentences = read_labelled(upload, Budget(studio.limits.preview_seconds, studio.jobs.stopping), names)
    except FewAspectError as error:
        raise upload.as_user_error(error) from error
    finally:
        upload.remove()
    if len(sentences) > studio.limits.import_rows:
        raise DataError(f"expected at most {studio.limits.import_rows:,} labelled texts, found more.")
    return [sentence.text for sentence in sentences], [list(sentence.aspects) for sentence in sentences]

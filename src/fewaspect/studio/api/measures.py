"""Tuning thresholds, measuring on labelled texts, and the project in numbers."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Request
from fastapi.concurrency import run_in_threadpool
from pydantic import Field, ValidationError
from starlette.datastructures import UploadFile

from fewaspect.core.errors import DataError, FewAspectError
from fewaspect.studio.api.fields import LIMITS, Answer, Given, InStudio, ProjectId, Text, given
from fewaspect.studio.api.problem_details import RefusedError, answers
from fewaspect.studio.api.projects import Nothing
from fewaspect.studio.engine.curves import evaluate_texts
from fewaspect.studio.engine.dashboard import dashboard_counts
from fewaspect.studio.importing.uploads import keep_upload
from fewaspect.studio.problems import RevisionConflictError
from fewaspect.studio.store.definition import set_thresholds
from fewaspect.studio.store.projects import project_row
from fewaspect.studio.studio import Studio

router = APIRouter(prefix="/projects/{project}", tags=["measures"])


class Labelled(Given):
    """Texts, and the names of the aspects that each has; a name that is no aspect of the project is counted apart."""

    model_config = given(texts=["The garage was full.", "We went on Monday."], labels=[["parking"], []])
    texts: Annotated[list[Text], Field(min_length=1, max_length=LIMITS.import_rows)]
    labels: list[list[str]]


class TunedAspect(Answer):
    """`texts`: examples that carry it; without one, its threshold stays."""

    id: int
    name: str
    threshold_before: float
    threshold: float
    f1_before: float
    f1: float
    texts: int


class TunedAnswer(Answer):
    aspects: list[TunedAspect]


class Confusion(Answer):
    tp: int
    fp: int
    fn: int
    tn: int


class Point(Answer):
    threshold: float
    precision: float
    recall: float


class MeasuredAspect(Answer):
    """null where there is nothing to measure."""

    id: int
    name: str
    precision: float | None
    recall: float | None
    f1: float | None
    average_precision: float | None
    support: int
    confusion: Confusion
    curve: list[Point]
    threshold: float


class MeasuredAnswer(Answer):
    texts: int
    macro_f1: float | None
    micro_f1: float | None
    mean_average_precision: float | None
    right_empties: float | None
    calibration_error: float | None
    unknown_aspects: dict[str, int]
    aspects: list[MeasuredAspect]


class Count(Answer):
    id: int
    count: int


class Period(Answer):
    period: str
    total: int
    counts: dict[str, int]


class Dashboard(Answer):
    """Counts of sentences, as far as they are scored; `together`: [aspect, aspect, count]."""

    revision: int
    scored: float
    sentences: int
    none: int
    aspects: list[Count]
    together: list[tuple[int, int, int]]
    over_time: list[Period]


@router.post("/tune", response_model=TunedAnswer, responses=answers(404, 409))
def tune(studio: InStudio, project: ProjectId, nothing: Nothing | None = None) -> Any:
    """Each aspect's threshold where its F1 is best, each example read as if it had not been given; one change."""
    with studio.engine.foreground():
        snapshot = studio.engine.snapshot(project)
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


@router.post(
    "/evaluate",
    response_model=MeasuredAnswer,
    responses=answers(404),
    openapi_extra={
        "requestBody": {
            "required": True,
            "content": {
                "application/json": {"schema": Labelled.model_json_schema()},
                "multipart/form-data": {
                    "schema": {
                        "type": "object",
                        "required": ["file"],
                        "properties": {"file": {"type": "string", "format": "binary"}},
                    }
                },
            },
        }
    },
)
async def evaluate(studio: InStudio, project: ProjectId, request: Request) -> Any:
    """Scores on texts with known aspects: JSON, or a CSV or JSONL file with the columns text and labels."""
    if request.headers.get("content-type", "").startswith("multipart/form-data"):
        async with request.form(max_files=1, max_fields=10) as form:
            file = form.get("file")
            if not isinstance(file, UploadFile):
                raise RefusedError(422, "file: expected a file of labelled texts, found none.", "file")
            texts, labels = await run_in_threadpool(_from_file, studio, file)
    else:
        texts, labels = _from_json(await request.body())
    return await run_in_threadpool(_evaluate, studio, project, texts, labels)


@router.get("/dashboard", response_model=Dashboard, responses=answers(404))
def dashboard(studio: InStudio, project: ProjectId) -> Any:
    """How often each aspect, which together, and when."""
    return dashboard_counts(studio.engine.snapshot(project))


def _evaluate(studio: Studio, project: int, texts: list[str], labels: list[list[str]]) -> dict[str, Any]:
    with studio.engine.foreground():
        return evaluate_texts(studio.engine.snapshot(project), texts, labels)


def _from_json(body: bytes) -> tuple[list[str], list[list[str]]]:
    try:
        given = Labelled.model_validate_json(body)
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(map(str, first["loc"]))
        status = 400 if first["type"] == "json_invalid" else 422
        raise RefusedError(status, f"{place or 'body'}: {first['msg']}.", place or None) from None
    return given.texts, given.labels


def _from_file(studio: Studio, file: UploadFile) -> tuple[list[str], list[list[str]]]:
    from fewaspect.data.formats import read_sentences

    upload = keep_upload(file.file, file.filename, studio.limits.unpacked_bytes)
    try:
        sentences = read_sentences(upload.path)
    except FewAspectError as error:
        raise upload.told(error) from error
    finally:
        upload.remove()
    if len(sentences.texts) > studio.limits.import_rows:
        raise DataError(f"expected at most {studio.limits.import_rows:,} labelled texts, found more.")
    return list(sentences.texts), [list(sentence.aspects) for sentence in sentences]

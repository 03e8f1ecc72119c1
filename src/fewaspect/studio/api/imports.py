"""Reviews from files, with a preview and progress events."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from typing import Annotated, Any

from fastapi import APIRouter, File, Form, Request, UploadFile
from fastapi.concurrency import run_in_threadpool
from fastapi.responses import StreamingResponse

from fewaspect.core.errors import FewAspectError
from fewaspect.studio.api.fields import CurrentStudio, Id, ProjectId, ResponseBody, example
from fewaspect.studio.api.problem_details import errors
from fewaspect.studio.importing.budget import Budget
from fewaspect.studio.importing.import_job import import_reviews
from fewaspect.studio.importing.jobs import Job
from fewaspect.studio.importing.preview import preview
from fewaspect.studio.importing.uploads import Upload, keep_upload
from fewaspect.studio.store.projects import project_row
from fewaspect.studio.store.reviews import remove_reviews
from fewaspect.studio.studio import Studio

router = APIRouter(prefix="/projects/{project}", tags=["imports"])
POLL = 0.1  # seconds
KEEP_ALIVE = 15  # seconds without progress after which a comment is sent
Reviews = Annotated[UploadFile, File(description="txt (a review per line), csv, tsv, jsonl or parquet.")]
Column = Annotated[str | None, Form(max_length=300, description="By default it is guessed.")]


class ColumnResponse(ResponseBody):
    """`kind`: text, label, date, number, other or empty."""

    name: str
    samples: list[str]
    kind: str


class Preview(ResponseBody):
    model_config = example(
        format="csv", columns=[{"name": "text", "samples": ["The garage was full."], "kind": "text"}],
        text_column="text", date_column=None, rows=[{"text": "The garage was full."}],
    )  # fmt: skip
    format: str
    columns: list[ColumnResponse]
    text_column: str
    date_column: str | None
    rows: list[dict[str, str]]


class JobStarted(ResponseBody):
    """The id of a job, for its events."""

    model_config = example(job=1)
    job: int


@router.post("/imports/preview", response_model=Preview, responses=errors(404))
async def preview_file(studio: CurrentStudio, project: ProjectId, file: Reviews) -> Any:
    """Columns, guesses and the first rows; nothing is stored."""
    async with studio.previews:  # few at a time, so that threads are left for other requests
        return await run_in_threadpool(_preview, studio, project, file)


@router.post("/imports", status_code=202, response_model=JobStarted, responses=errors(404))
def start(
    studio: CurrentStudio, project: ProjectId, file: Reviews, text_column: Column = None, date_column: Column = None
) -> Any:
    """Append the reviews of a file to those of the project; all of them or, if one is faulty, none."""
    upload = _uploaded(studio, project, file)

    def work(job: Job) -> None:
        import_reviews(studio, project, upload, text_column or None, date_column or None, job)

    return {"job": studio.jobs.start(project, work).id}


@router.get(
    "/jobs/{job}/events",
    response_class=StreamingResponse,
    responses={200: {"content": {"text/event-stream": {"schema": {"type": "object"}}}}, **errors(404)},
)
async def events(studio: CurrentStudio, project: ProjectId, job: Id, request: Request) -> StreamingResponse:
    """Progress as server-sent events; the last one is `done` or `failed`."""
    return StreamingResponse(_events(studio, studio.jobs.get(project, job), request), media_type="text/event-stream")


@router.delete("/reviews", status_code=204, responses=errors(404))
def clear(studio: CurrentStudio, project: ProjectId) -> None:
    """Remove all imported reviews; examples from them stay."""
    with studio.database.write() as connection:
        remove_reviews(connection, project)


def _preview(studio: Studio, project: int, file: UploadFile) -> dict[str, Any]:
    upload = _uploaded(studio, project, file)
    try:
        return preview(upload, Budget(studio.limits.preview_seconds, studio.jobs.stopping))
    except FewAspectError as error:
        raise upload.told(error) from error
    finally:
        upload.remove()


def _uploaded(studio: Studio, project: int, file: UploadFile) -> Upload:
    with studio.database.read() as connection:
        project_row(connection, project)
    return keep_upload(file.file, file.filename, studio.limits.unpacked_bytes)


async def _events(studio: Studio, job: Job, request: Request) -> AsyncIterator[str]:
    sent: dict[str, Any] = {}
    quiet = 0.0
    while True:
        finished, now = job.finished, job.progress()  # in this order: else the last progress may be missed
        if now != sent:
            yield _event("progress", now)
            sent, quiet = now, 0.0
        if finished:
            yield _event("failed", {"detail": job.failed}) if job.failed else _event("done", now)
            return
        if studio.jobs.stopping.is_set() or await request.is_disconnected():
            return
        if quiet >= KEEP_ALIVE:
            yield ": still there\n\n"
            quiet = 0.0
        await asyncio.sleep(POLL)
        quiet += POLL


def _event(name: str, data: dict[str, Any]) -> str:
    return f"event: {name}\ndata: {json.dumps(data)}\n\n"

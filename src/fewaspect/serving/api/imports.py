"""Reviews from files, with a preview before and progress meanwhile."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from typing import Annotated, Any

from fastapi import APIRouter, File, Form, Request, UploadFile
from fastapi.concurrency import run_in_threadpool
from fastapi.responses import StreamingResponse

from fewaspect.errors import FewAspectError
from fewaspect.serving.api.fields import Answer, Id, InStudio, ProjectId, example
from fewaspect.serving.api.problems import answers
from fewaspect.serving.budget import Budget
from fewaspect.serving.importing import import_reviews
from fewaspect.serving.jobs import Job
from fewaspect.serving.previewing import preview
from fewaspect.serving.store.projects import project_row
from fewaspect.serving.store.reviews import remove_reviews
from fewaspect.serving.studio import Studio
from fewaspect.serving.uploads import keep_upload

router = APIRouter(prefix="/projects/{project}", tags=["imports"])
POLL = 0.1  # seconds
QUIET = 15  # seconds without news after which the connection is kept alive
Reviews = Annotated[UploadFile, File(description="txt (a review per line), csv, tsv, jsonl or parquet.")]
ColumnName = Annotated[str | None, Form(max_length=300, description="If it is not the one that is guessed.")]


class ColumnAnswer(Answer):
    """`kind`: text, label, date, number, other or empty."""

    name: str
    samples: list[str]
    kind: str


class Preview(Answer):
    model_config = example(
        format="csv", columns=[{"name": "text", "samples": ["The garage was full."], "kind": "text"}],
        text_column="text", date_column=None, rows=[{"text": "The garage was full."}],
    )  # fmt: skip
    format: str
    columns: list[ColumnAnswer]
    text_column: str
    date_column: str | None
    rows: list[dict[str, str]]


class Started(Answer):
    """A job, whose events tell how far it is."""

    model_config = example(job=1)
    job: int


@router.post("/imports/preview", response_model=Preview, responses=answers(404))
async def look(studio: InStudio, project: ProjectId, file: Reviews) -> Any:
    """Columns, guesses and the first rows; nothing is kept."""
    async with studio.previewing:  # so that they leave threads to the others
        return await run_in_threadpool(_look, studio, project, file)


@router.post("/imports", status_code=202, response_model=Started, responses=answers(404))
def start(
    studio: InStudio, project: ProjectId, file: Reviews, text_column: ColumnName = None, date_column: ColumnName = None
) -> Any:
    """Reads the file behind the reviews that are there; all of it or, if anything is wrong, nothing."""
    with studio.database.read() as connection:
        project_row(connection, project)
    upload = keep_upload(file.file, file.filename, studio.limits.unpacked_bytes)

    def work(job: Job) -> None:
        import_reviews(studio, project, upload, text_column or None, date_column or None, job)

    return {"job": studio.jobs.start(project, work).id}


@router.get(
    "/jobs/{job}/events",
    response_class=StreamingResponse,
    responses={200: {"content": {"text/event-stream": {"schema": {"type": "object"}}}}, **answers(404)},
)
async def events(studio: InStudio, project: ProjectId, job: Id, request: Request) -> StreamingResponse:
    """Progress as it comes; the last event is `done` or `failed`."""
    return StreamingResponse(_events(studio, studio.jobs.get(project, job), request), media_type="text/event-stream")


@router.delete("/reviews", status_code=204, responses=answers(404))
def clear(studio: InStudio, project: ProjectId) -> None:
    """All imported reviews; examples that came from them stay."""
    with studio.database.write() as connection:
        remove_reviews(connection, project)


def _look(studio: Studio, project: int, file: UploadFile) -> dict[str, Any]:
    with studio.database.read() as connection:
        project_row(connection, project)
    upload = keep_upload(file.file, file.filename, studio.limits.unpacked_bytes)
    try:
        return preview(upload, Budget(studio.limits.preview_seconds, studio.jobs.stopping))
    except FewAspectError as error:
        raise upload.told(error) from error
    finally:
        upload.remove()


async def _events(studio: Studio, job: Job, request: Request) -> AsyncIterator[str]:
    told: dict[str, Any] = {}
    quiet = 0.0
    while True:
        finished, now = job.finished, job.progress()  # in this order: what is told last is the end
        if now != told:
            yield _event("progress", now)
            told, quiet = now, 0.0
        if finished:
            yield _event("failed", {"detail": job.failed}) if job.failed else _event("done", now)
            return
        if studio.jobs.stopping.is_set() or await request.is_disconnected():
            return
        if quiet >= QUIET:
            yield ": still there\n\n"
            quiet = 0.0
        await asyncio.sleep(POLL)
        quiet += POLL


def _event(name: str, data: dict[str, Any]) -> str:
    return f"event: {name}\ndata: {json.dumps(data)}\n\n"

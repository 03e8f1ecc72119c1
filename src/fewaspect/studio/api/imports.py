"""Reviews from files, with a preview and progress events."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from typing import Annotated, Any, BinaryIO, Literal

from fastapi import APIRouter, File, Form, Query, Request, UploadFile
from fastapi.concurrency import run_in_threadpool
from fastapi.responses import StreamingResponse
from pydantic import Field

from fewaspect.core.errors import FewAspectError
from fewaspect.reviews.readers.text_format import parse_delimiter
from fewaspect.studio.api.fields import CurrentStudio, Id, ProjectId, ResponseBody, example
from fewaspect.studio.api.problem_details import errors
from fewaspect.studio.importing.budget import Budget
from fewaspect.studio.importing.dates import DateOrder
from fewaspect.studio.importing.import_job import ReviewColumnNames, import_reviews
from fewaspect.studio.importing.jobs import INTERNAL, Job
from fewaspect.studio.importing.preview import preview
from fewaspect.studio.importing.uploads import AS_DETECTED, NO_CELLS, Reading, Upload, keep_upload
from fewaspect.studio.plain_words import FAILED, plain_words
from fewaspect.studio.problems import BusyError
from fewaspect.studio.store.import_records import Duplicates, list_imports, remove_import, remove_reviews, same_file
from fewaspect.studio.store.projects import project_row
from fewaspect.studio.store.reviews import ids_by_text, same_text
from fewaspect.studio.studio import Studio

router = APIRouter(prefix="/projects/{project}", tags=["imports"])
POLL = 0.1  # seconds
KEEP_ALIVE = 15  # seconds without progress after which a comment is sent
Reviews = Annotated[UploadFile, File(description="txt (a review per line), csv, tsv, xlsx, jsonl or parquet.")]
Column = Annotated[str | None, Form(max_length=300, description="By default it is guessed.")]
Encoding = Annotated[
    str | None, Form(max_length=40, description="Of text; by default it is detected.", examples=["cp1252"])
]
Separator = Annotated[
    Literal["comma", "semicolon", "tab", "pipe", "none"] | None,
    Form(description="Of a table; none: each line is a review. By default it is detected."),
]
SheetName = Annotated[str | None, Form(max_length=100, description="Of a workbook; by default the first with rows.")]
Labels = Annotated[
    Literal["keep", "remove"], Query(description="What becomes of the examples made of the removed sentences.")
]


class ColumnResponse(ResponseBody):
    """`kind`: text, label, date, number, other or empty; `date_order`: the one that dates such as 03/04/2025 would be
    read in, where nothing in the column tells it."""

    name: str
    samples: list[str]
    kind: str
    date_order: DateOrder | None


class SameFile(ResponseBody):
    name: str
    created: str


class ImportEntry(ResponseBody):
    """`labels`: examples that were made of its sentences."""

    id: int
    name: str
    created: str
    reviews: int
    labels: int


class ImportList(ResponseBody):
    model_config = example(
        imports=[{"id": 1, "name": "hotel.xlsx", "created": "2025-05-01T10:00:00Z", "reviews": 5000, "labels": 12}]
    )
    imports: list[ImportEntry]


class Preview(ResponseBody):
    model_config = example(
        format="csv",
        columns=[{"name": "text", "samples": ["The garage was full."], "kind": "text", "date_order": None}],
        text_column="text", date_column=None, rows=[{"text": "The garage was full."}], encoding="utf-8",
        delimiter="comma", sheet=None, sheets=[], duplicates=0, repeated=0, same_file=None,
    )  # fmt: skip
    format: str
    encoding: str | None = Field(description="As detected, or as said.")
    delimiter: str | None
    sheet: str | None
    sheets: list[str]
    duplicates: int | None = Field(description="Rows whose text the project has; null if a row is faulty.")
    repeated: int | None = Field(description="Other rows whose text an earlier row has; null if not counted.")
    same_file: SameFile | None = Field(description="An earlier import of the same content.")
    columns: list[ColumnResponse]
    text_column: str
    date_column: str | None
    rows: list[dict[str, str]]


class JobStarted(ResponseBody):
    """The id of a job, for its events."""

    model_config = example(job=1)
    job: int


@router.post("/imports/preview", response_model=Preview, responses=errors(404))
async def preview_file(
    studio: CurrentStudio, project: ProjectId, file: Reviews, text_column: Column = None, encoding: Encoding = None,
    delimiter: Separator = None, sheet: SheetName = None,
) -> Any:  # fmt: skip
    """How it is read, columns, guesses, the first rows and what of it is there already; nothing is stored."""
    reading = _reading(encoding, delimiter, sheet)
    async with studio.previews:  # few at a time, so that threads are left for other requests
        return await run_in_threadpool(_preview, studio, project, file, reading, text_column or None)


@router.post("/imports", status_code=202, response_model=JobStarted, responses=errors(404))
def start(
    studio: CurrentStudio, project: ProjectId, file: Reviews, text_column: Column = None, date_column: Column = None,
    encoding: Encoding = None, delimiter: Separator = None, sheet: SheetName = None,
    date_order: Annotated[
        DateOrder | None, Form(description="Where nothing in the date column tells it; by default month first.")
    ] = None,
    duplicates: Annotated[
        Duplicates, Form(description="Rows whose text the project, or an earlier row of the file, has.")
    ] = "add",
) -> Any:  # fmt: skip
    """Append the reviews of a file to those of the project; all of them or, if one is faulty, none."""
    upload = _uploaded(studio, project, file, _reading(encoding, delimiter, sheet))

    def work(job: Job) -> None:
        columns = ReviewColumnNames(text_column or None, date_column or None, date_order)
        import_reviews(studio, project, upload, columns, duplicates, job)

    return {"job": studio.jobs.start(project, work).id}


@router.get("/imports", response_model=ImportList, responses=errors(404))
def listed(studio: CurrentStudio, project: ProjectId) -> Any:
    """The imports whose reviews the project has."""
    with studio.database.read() as connection:
        return {"imports": list_imports(connection, project)}


@router.delete("/imports/{number}", status_code=204, responses=errors(404))
def remove(studio: CurrentStudio, project: ProjectId, number: Id, labels: Labels = "keep") -> None:
    """Remove the reviews of one import, which can be undone."""
    with studio.write(project) as connection:
        remove_import(connection, project, number, studio.limits, labels=labels == "remove")


@router.get(
    "/jobs/{job}/events",
    response_class=StreamingResponse,
    responses={200: {"content": {"text/event-stream": {"schema": {"type": "object"}}}}, **errors(404)},
)
async def events(studio: CurrentStudio, project: ProjectId, job: Id, request: Request) -> StreamingResponse:
    """Progress as server-sent events; the last one is `done` or `failed`."""
    found = studio.jobs.get(project, job)
    if studio.streams >= studio.limits.streams:
        raise BusyError(f"expected at most {studio.limits.streams} streams of progress at a time, found more.")
    return StreamingResponse(_counted(studio, _events(studio, found, request)), media_type="text/event-stream")


@router.delete("/reviews", status_code=204, responses=errors(404))
def clear(studio: CurrentStudio, project: ProjectId, labels: Labels = "keep") -> None:
    """Remove all imported reviews, which can be undone."""
    with studio.write(project) as connection:
        remove_reviews(connection, project, labels=labels == "remove")


def _reading(encoding: str | None, delimiter: str | None, sheet: str | None) -> Reading:
    separator = delimiter if delimiter == NO_CELLS else parse_delimiter(delimiter or None)
    return Reading(encoding or None, separator, sheet or None)


def _preview(studio: Studio, project: int, file: UploadFile, reading: Reading, text: str | None) -> dict[str, Any]:
    upload = _uploaded(studio, project, file, reading)
    try:
        with studio.database.read() as connection:
            there = ids_by_text(connection, project)
            same = same_file(connection, project, upload.digest)
        budget = Budget(studio.limits.preview_seconds, studio.jobs.stopping)
        found = preview(upload, budget, text, (lambda own: same_text(own) in there) if there else None)
        return {**found, "same_file": same and {"name": same.name, "created": same.created}}
    except FewAspectError as error:
        raise upload.as_user_error(error) from error
    finally:
        upload.remove()


def _uploaded(studio: Studio, project: int, file: UploadFile, reading: Reading) -> Upload:
    with studio.database.read() as connection:
        project_row(connection, project)
    return kept(studio, file.file, file.filename, reading)


def kept(studio: Studio, file: BinaryIO, name: str | None, reading: Reading = AS_DETECTED) -> Upload:
    """Among the temporary files of the studio, unless those that wait there fill it."""
    studio.temporary.refuse_beyond(studio.limits.waiting_bytes)
    return keep_upload(file, name, studio.limits.unpacked_bytes, reading, studio.temporary.path)


async def _counted(studio: Studio, stream: AsyncIterator[str]) -> AsyncIterator[str]:
    studio.streams += 1
    try:
        async for event in stream:
            yield event
    finally:
        studio.streams -= 1


async def _events(studio: Studio, job: Job, request: Request) -> AsyncIterator[str]:
    sent: dict[str, Any] = {}
    quiet = 0.0
    while True:
        finished, now = job.finished, job.progress()  # in this order: else the last progress may be missed
        if now != sent:
            yield _event("progress", now)
            sent, quiet = now, 0.0
        if finished:
            yield _event("failed", _failure(job.failed)) if job.failed else _event("done", now)
            return
        if studio.jobs.stopping.is_set() or await request.is_disconnected():
            return
        if quiet >= KEEP_ALIVE:
            yield ": still there\n\n"
            quiet = 0.0
        await asyncio.sleep(POLL)
        quiet += POLL


def _failure(detail: str) -> dict[str, str]:
    return {"detail": detail, "plain": FAILED if detail == INTERNAL else plain_words(422, detail)}


def _event(name: str, data: dict[str, Any]) -> str:
    return f"event: {name}\ndata: {json.dumps(data)}\n\n"

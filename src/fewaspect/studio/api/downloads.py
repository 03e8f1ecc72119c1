"""Files out and in: projects, saved detectors, results; and the code that makes the same detector."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any, Literal

from fastapi import APIRouter, File, UploadFile
from fastapi.responses import FileResponse
from starlette.background import BackgroundTask

from fewaspect.core.errors import DataError
from fewaspect.studio.api.fields import Answer, InStudio, ProjectId, example
from fewaspect.studio.api.problem_details import answers
from fewaspect.studio.api.projects import ProjectAnswer, project_answer
from fewaspect.studio.engine.result_file import write_results
from fewaspect.studio.importing.archives import read_model, read_project, write_model, write_project
from fewaspect.studio.importing.project_import import take_model, take_project
from fewaspect.studio.snippet import snippet
from fewaspect.studio.store.definition import read_definition
from fewaspect.studio.store.projects import project_row
from fewaspect.studio.store.reviews import read_reviews
from fewaspect.studio.studio import Studio

router = APIRouter(tags=["files"])
TYPES = {"zip": "application/zip", "csv": "text/csv", "parquet": "application/vnd.apache.parquet"}
Archive = Annotated[UploadFile, File(description="A zip file that the studio wrote.")]


class Snippet(Answer):
    model_config = example(python="from fewaspect import AspectDetector\n...")
    python: str


def _file(*kinds: str) -> dict[int | str, dict[str, Any]]:
    content = {TYPES[kind]: {"schema": {"type": "string", "format": "binary"}} for kind in kinds}
    return {200: {"description": "The file.", "content": content}, **answers(404)}


@router.get("/projects/{project}/export", response_class=FileResponse, responses=_file("zip"))
def export(studio: InStudio, project: ProjectId) -> FileResponse:
    """Aspects, examples, thresholds and reviews as a zip file."""

    def write(path: Path) -> None:
        with studio.database.read() as connection:
            name = project_row(connection, project).name
            reviews = read_reviews(connection, project)
            write_project(path, name, read_definition(connection, project), reviews)

    return _download(studio, project, write, "zip", "project")


@router.post("/projects/import", status_code=201, response_model=ProjectAnswer, responses=answers())
def take(studio: InStudio, file: Archive) -> Any:
    """A project that was exported, as a new one."""
    about, reviews = read_project(file.file, studio.limits.unpacked_bytes)
    return project_answer(studio, take_project(studio, about, reviews))


@router.get("/projects/{project}/model", response_class=FileResponse, responses=_file("zip"))
def model(studio: InStudio, project: ProjectId) -> FileResponse:
    """The detector as a zip file of the folder that `AspectDetector.load` reads."""
    detector = studio.engine.snapshot(project).detector
    if detector is None:
        raise DataError("model: expected a project with aspects, found none.")
    return _download(studio, project, lambda path: write_model(path, detector), "zip", "detector")


@router.post("/projects/{project}/model", response_model=ProjectAnswer, responses=answers(404))
def put_model(studio: InStudio, project: ProjectId, file: Archive) -> Any:
    """Aspects, examples and thresholds of a saved detector in place of the project's, as one change."""
    saved = read_model(file.file, studio.limits.unpacked_bytes)
    take_model(studio, project, saved)
    return project_answer(studio, project)


@router.get("/projects/{project}/results", response_class=FileResponse, responses=_file("csv", "parquet"))
def results(studio: InStudio, project: ProjectId, format: Literal["csv", "parquet"] = "csv") -> FileResponse:
    """A row for each sentence; in CSV, cells that a spreadsheet would run are made harmless."""
    snapshot = studio.engine.scored_snapshot(project)
    with studio.database.read() as connection:
        reviews = list(read_reviews(connection, project))
    return _download(studio, project, lambda path: write_results(snapshot, reviews, path, format), format, "results")


@router.get("/projects/{project}/snippet", response_model=Snippet, responses=answers(404))
def code(studio: InStudio, project: ProjectId) -> Any:
    """Python that makes the same detector."""
    with studio.database.read() as connection:
        return {"python": snippet(read_definition(connection, project))}


def _download(studio: Studio, project: int, write: Callable[[Path], None], kind: str, what: str) -> FileResponse:
    """A file that is gone when it is sent."""
    with studio.database.read() as connection:
        name = re.sub(r"[^\w-]+", "-", project_row(connection, project).name, flags=re.ASCII).strip("-") or "project"
    with tempfile.NamedTemporaryFile(prefix="fewaspect-", suffix=f".{kind}", delete=False) as file:
        path = Path(file.name)
    try:
        write(path)
    except BaseException:
        path.unlink(missing_ok=True)
        raise
    gone = BackgroundTask(path.unlink, missing_ok=True)
    return FileResponse(path, media_type=TYPES[kind], filename=f"{name[:60]}-{what}.{kind}", background=gone)

"""Files: projects and saved detectors out and in, results out; and Python code for the same detector."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path
from pprint import pformat
from typing import Annotated, Any, Literal

from fastapi import APIRouter, File, UploadFile
from fastapi.responses import FileResponse
from starlette.types import Receive, Scope, Send

from fewaspect.core.errors import DataError
from fewaspect.reviews.formats import OutputFormat, RowUnit
from fewaspect.reviews.readers.text_format import NAMES
from fewaspect.studio.api.fields import CurrentStudio, ProjectId, ResponseBody, example
from fewaspect.studio.api.problem_details import errors
from fewaspect.studio.api.projects import ProjectResponse, project_response
from fewaspect.studio.engine.result_file import write_results
from fewaspect.studio.importing.archives import read_detector, read_project, write_detector, write_project
from fewaspect.studio.importing.project_import import import_detector, import_project
from fewaspect.studio.store.answers import read_answers
from fewaspect.studio.store.definition import Definition, identity_of, read_definition
from fewaspect.studio.store.projects import project_row
from fewaspect.studio.store.reviews import read_reviews
from fewaspect.studio.store.schema import audit_answers, kept_labels
from fewaspect.studio.studio import Studio

router = APIRouter(tags=["files"])
TYPES = {
    "zip": "application/zip", "csv": "text/csv", "parquet": "application/vnd.apache.parquet",
    "xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
}  # fmt: skip
Archive = Annotated[UploadFile, File(description="A zip file that the studio wrote.")]


class Snippet(ResponseBody):
    model_config = example(python="from fewaspect import AspectDetector\n...")
    python: str


def _file(*kinds: str) -> dict[int | str, dict[str, Any]]:
    content = {TYPES[kind]: {"schema": {"type": "string", "format": "binary"}} for kind in kinds}
    return {200: {"description": "The file.", "content": content}, **errors(404)}


@router.get("/projects/{project}/export", response_class=FileResponse, responses=_file("zip"))
def export(studio: CurrentStudio, project: ProjectId) -> FileResponse:
    """Aspects, examples, thresholds, reviews, skipped sentences and the answers of an audit as a zip file."""

    def write(path: Path) -> None:
        with studio.database.read() as connection:
            name = project_row(connection, project).name
            reviews = read_reviews(connection, project)
            answers, kept = (read_answers(connection, table, project) for table in (audit_answers, kept_labels))
            write_project(path, name, read_definition(connection, project), reviews, answers, kept)

    return _download(studio, project, write, "zip", "project")


@router.post("/projects/import", status_code=201, response_model=ProjectResponse, responses=errors())
def import_archive(studio: CurrentStudio, file: Archive) -> Any:
    """Import an exported project as a new one."""
    archived, reviews = read_project(file.file, studio.limits.unpacked_project_bytes, studio.limits)
    return project_response(studio, import_project(studio, archived, reviews))


@router.get("/projects/{project}/model", response_class=FileResponse, responses=_file("zip"))
def model(studio: CurrentStudio, project: ProjectId) -> FileResponse:
    """The saved detector, a folder for `AspectDetector.load`, as a zip file."""
    with studio.engine.foreground():
        detector = studio.engine.promised_snapshot(project).detector
    if detector is None:
        raise DataError("model: expected a project with aspects, found none.")
    return _download(studio, project, lambda path: write_detector(path, detector), "zip", "detector")


@router.post("/projects/{project}/model", response_model=ProjectResponse, responses=errors(404))
def put_model(studio: CurrentStudio, project: ProjectId, file: Archive) -> Any:
    """Replace aspects, examples and thresholds by those of a saved detector, as one change."""
    saved = read_detector(file.file, studio.limits.unpacked_bytes)
    import_detector(studio, project, saved)
    return project_response(studio, project)


@router.get("/projects/{project}/results", response_class=FileResponse, responses=_file("csv", "xlsx", "parquet"))
def results(
    studio: CurrentStudio, project: ProjectId, format: Literal["csv", "xlsx", "parquet"] = "csv",
    rows: Literal["sentence", "review"] = "sentence", delimiter: Literal["comma", "semicolon"] = "comma",
) -> FileResponse:  # fmt: skip
    """A row for each sentence or review. CSV is for spreadsheets: it begins with a byte order mark, and cells that
    would be run as formulas are escaped; with semicolons between the cells, decimals have a comma."""
    snapshot = studio.engine.told_snapshot(project)
    with studio.database.read() as connection:
        reviews = list(read_reviews(connection, project))

    def write(path: Path) -> None:
        write_results(snapshot, reviews, path, OutputFormat(format), RowUnit(rows), NAMES[delimiter])

    return _download(studio, project, write, format, "results")


@router.get("/projects/{project}/snippet", response_model=Snippet, responses=errors(404))
def code(studio: CurrentStudio, project: ProjectId) -> Any:
    """Python code that fits the same detector."""
    with studio.database.read() as connection:
        return {"python": snippet(read_definition(connection, project))}


def snippet(definition: Definition) -> str:
    """Python code that fits the detector: texts, labels, names, descriptions and thresholds as literals."""
    if not definition.aspects:
        raise DataError("snippet: expected a project with aspects, found none.")
    names = {aspect.id: aspect.name for aspect in definition.aspects}
    described = {aspect.name: aspect.description for aspect in definition.aspects if aspect.description}
    labelled = [(one.text, [names[a] for a in one.aspects]) for one in definition.examples]
    said, more = _said(definition, names)
    thresholds = definition.thresholds()
    created = f"AspectDetector(threshold={_literal(thresholds, 4)})" if thresholds else "AspectDetector()"
    polar, fitted = "", "names=names, descriptions=descriptions"
    if any(said):
        polar, fitted = f"polarities = {_literal(said)}  # of the examples\n", f"{fitted}, polarities=polarities"
    if more:
        polar += (
            f"# The detector that can be downloaded has {more:,} more polarities, of sentences that are no examples.\n"
        )
    return f"""\
from fewaspect import AspectDetector

names = {_literal(list(names.values()))}
descriptions = {_literal(described)}
examples = {_literal(labelled)}  # texts with their aspects; []: none of these
{polar}
detector = {created}
# With unlabelled=REVIEWS it learns from reviews too, as the studio does from 100 imported sentences on.
detector.fit([text for text, _ in examples], [labels for _, labels in examples], {fitted})
print(detector.predict(["Write a review here."]))
"""


def _said(definition: Definition, names: Mapping[int, str]) -> tuple[list[dict[str, str]], int]:
    """The polarities of each example by aspect, as `fit` takes them; and how many are of other sentences."""
    found: dict[str, dict[str, str]] = {}
    for text, aspect, polarity in definition.polarities:
        found.setdefault(identity_of(text), {})[names[aspect]] = polarity
    own = [
        {name: p for name, p in found.get(one.identity, {}).items() if name in {names[a] for a in one.aspects}}
        for one in definition.examples
    ]
    return own, len(definition.polarities) - sum(map(len, own))


def _download(studio: Studio, project: int, write: Callable[[Path], None], kind: str, what: str) -> FileResponse:
    """A temporary file, removed once it is sent."""
    with studio.database.read() as connection:
        name = re.sub(r"[^\w-]+", "-", project_row(connection, project).name, flags=re.ASCII).strip("-") or "project"
    with tempfile.NamedTemporaryFile(dir=studio.temporary.path, suffix=f".{kind}", delete=False) as file:
        path = Path(file.name)
    try:
        write(path)
    except BaseException:
        path.unlink(missing_ok=True)
        raise
    return TemporaryFileResponse(path, media_type=TYPES[kind], filename=f"{name[:60]}-{what}.{kind}")


class TemporaryFileResponse(FileResponse):
    """Removes its file once it is sent, in whole, in ranges, or not at all."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            await super().__call__(scope, receive, send)
        finally:
            Path(self.path).unlink(missing_ok=True)


def _literal(value: object, indent: int = 0) -> str:
    return pformat(value, width=116, sort_dicts=False).replace("\n", "\n" + " " * indent)

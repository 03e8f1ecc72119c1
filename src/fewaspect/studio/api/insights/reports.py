"""The report of a project as a page in one file."""

from __future__ import annotations

from typing import Annotated, Literal, get_args

from fastapi import APIRouter
from fastapi.responses import HTMLResponse
from pydantic import Field, StringConstraints

from fewaspect.studio.api.fields import AspectIds, Condition, CurrentStudio, OneToTen, ProjectId, RequestBody, example
from fewaspect.studio.api.insights.comparisons import Unit
from fewaspect.studio.api.problem_details import errors
from fewaspect.studio.engine.insights.studio_report import ReportChoices, studio_report
from fewaspect.studio.store.projects import project_row

router = APIRouter(prefix="/projects/{project}", tags=["insights"])
Conditions = Annotated[list[Condition], Field(max_length=40)]
Chart = Literal["often", "opinions", "segments", "comparison", "periods", "together", "words", "without"]
PAGE = {"description": "The page.", "content": {"text/html": {"schema": {"type": "string"}}}}


class ReportRequest(RequestBody):
    """What the report shows; without a title it is the project's name, without aspects it has all."""

    model_config = example(
        title="Hotels, spring", notes="Parking is the talk of Spain.", by="country", one=["country=Spain"],
        other=["country=France"], unit="month",
    )  # fmt: skip
    title: Annotated[str, StringConstraints(strip_whitespace=True, max_length=200)] = ""
    notes: Annotated[str, StringConstraints(max_length=5000)] = ""
    aspects: AspectIds = Field(default_factory=list)
    charts: Annotated[list[Chart], Field(max_length=20)] = Field(default_factory=lambda: list(get_args(Chart)))
    where: Conditions = Field(default_factory=list)
    by: Annotated[str, StringConstraints(max_length=400)] | None = None
    one: Conditions = Field(default_factory=list)
    other: Conditions = Field(default_factory=list)
    unit: Unit | None = None
    sentences: OneToTen = 4


@router.post("/report", response_class=HTMLResponse, responses={200: PAGE, **errors(404)})
def report(studio: CurrentStudio, project: ProjectId, choices: ReportRequest) -> HTMLResponse:
    """The page of `fewaspect report` with these choices, of all sentences scored; it needs nothing from outside."""
    with studio.database.read() as connection:
        name = project_row(connection, project).name
    snapshot = studio.engine.told_snapshot(project)
    values = choices.model_dump()
    page = studio_report(snapshot, ReportChoices(**{**values, "title": choices.title or name}))
    return HTMLResponse(page, headers={"Content-Disposition": 'attachment; filename="report.html"'})

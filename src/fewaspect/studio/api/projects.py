"""Projects: created, listed, renamed, deleted; undo and redo."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from fastapi import APIRouter
from pydantic import Field

from fewaspect.detector.explain import DEFAULT_THRESHOLD
from fewaspect.studio.api.aspects import AspectResponse, aspect_responses
from fewaspect.studio.api.fields import (
    CurrentStudio,
    Name,
    OptionalName,
    Probability,
    ProjectId,
    RequestBody,
    ResponseBody,
    example,
    without_default,
)
from fewaspect.studio.api.problem_details import errors
from fewaspect.studio.engine.insights.unread_reviews import unread_reviews
from fewaspect.studio.engine.promises import promise_state
from fewaspect.studio.store.definition import set_model, set_sentiment, set_target_precision, set_threshold
from fewaspect.studio.store.journal import next_in_words, redo, undo
from fewaspect.studio.store.projects import (
    counted_project,
    create_project,
    list_projects,
    remove_project,
    rename_project,
)
from fewaspect.studio.studio import Studio

router = APIRouter(tags=["projects"])
ModelName = Literal["multilingual"]


class ProjectRequest(RequestBody):
    """A project by name. `model`: what reads its reviews; null: the English model."""

    model_config = example(name="Hotel reviews, spring", model=None)
    name: Name
    model: ModelName | None = None


class ProjectUpdate(RequestBody):
    """Fields that are left out stay; a threshold of null is the default of the detector.

    `target_precision`: the share of the accepted answers that must be right; null: all answers alike. `sentiment`:
    whether sentiment is on.
    `model`: what reads the reviews; null: the English model. All sentences are read again.
    """

    model_config = example(threshold=0.4, target_precision=0.9, sentiment=True)
    name: OptionalName = ""
    threshold: Probability | None = None
    target_precision: Annotated[float, Field(ge=0.5, le=0.99)] | None = None
    sentiment: Annotated[bool, Field(json_schema_extra=without_default)] = True
    model: ModelName | None = None


class EmptyBody(RequestBody):
    """No fields."""


class ProjectSummary(ResponseBody):
    """A project with its counts."""

    model_config = example(
        id=1, name="Hotel reviews", created="2026-01-31T12:00:00Z", aspects=6, examples=30, reviews=640,
        sentences=700, revision=37,
    )  # fmt: skip
    id: int
    name: str
    created: str
    aspects: int
    examples: int
    reviews: int
    sentences: int
    revision: int


class ProjectList(ResponseBody):
    projects: list[ProjectSummary]


class PromiseResponse(ResponseBody):
    """What is promised of the accepted answers, by the examples; `ready`: worked out for the newest revision.

    If it cannot be `promised`, `more` says about how many more labels it takes, null: labels would hardly help. Of the
    `answers` in the sentences so many are `accepted`; `look`: sentences with others, which nobody has confirmed.
    """

    precision: float
    confidence: float
    ready: bool
    promised: bool
    labels: int
    more: int | None
    answers: int
    accepted: int
    look: int


class ReviewsInLanguage(ResponseBody):
    language: str
    reviews: int


class UnreadReviews(ResponseBody):
    """Reviews in languages that the project's model does not read, of so many `looked_at`; `model`: one that reads
    them, null where there is none."""

    languages: list[ReviewsInLanguage]
    looked_at: int
    model: ModelName | None


class ProjectResponse(ResponseBody):
    """A project at its newest revision; `scored`: the share of its sentences that are scored at this revision;
    `importing`: the job that imports reviews now."""

    id: int
    name: str
    model: str | None
    created: str
    aspects: list[AspectResponse]
    examples: int
    reviews: int
    sentences: int
    revision: int
    threshold: float
    threshold_set: float | None
    scored: float
    can_undo: str | None
    can_redo: str | None
    dated: bool
    promise: PromiseResponse | None
    sentiment: bool
    importing: int | None
    unread: UnreadReviews | None


class UndoResponse(ResponseBody):
    """`did`: the change that was undone or redone, in words."""

    did: str
    project: ProjectResponse


def project_response(studio: Studio, project: int) -> dict[str, Any]:
    snapshot = studio.engine.snapshot(project)
    threshold = snapshot.definition.threshold
    with studio.database.read() as connection:
        row = counted_project(connection, project)
        can_undo, can_redo = next_in_words(connection, project)
    return {
        **row, "aspects": aspect_responses(snapshot), "revision": snapshot.revision,
        "threshold": DEFAULT_THRESHOLD if threshold is None else threshold, "threshold_set": threshold,
        "scored": snapshot.scored, "can_undo": can_undo, "can_redo": can_redo,
        "dated": any(snapshot.sentences.dates), "promise": promise_state(snapshot),
        "sentiment": snapshot.definition.sentiment, "unread": unread_reviews(snapshot.sentences, row["model"]),
        "importing": studio.jobs.running(project),
    }  # fmt: skip


@router.get("/projects", responses=errors())
def list_all(studio: CurrentStudio) -> ProjectList:
    """All projects."""
    with studio.database.read() as connection:
        return ProjectList.model_validate({"projects": list_projects(connection)})


@router.post("/projects", status_code=201, response_model=ProjectResponse, responses=errors(409))
def create(studio: CurrentStudio, new: ProjectRequest) -> Any:
    """An empty project."""
    studio.engine.model_named(new.model)  # refused if it is not installed
    with studio.database.write() as connection:
        number = create_project(connection, new.name, model=new.model)
    return project_response(studio, number)


@router.get("/projects/{project}", response_model=ProjectResponse, responses=errors(404))
def get(studio: CurrentStudio, project: ProjectId) -> Any:
    """One project with its aspects."""
    return project_response(studio, project)


@router.patch("/projects/{project}", response_model=ProjectResponse, responses=errors(404, 409))
def patch(studio: CurrentStudio, project: ProjectId, changed: ProjectUpdate) -> Any:
    """Rename it, set the threshold of aspects without their own, or say how many accepted answers must be right."""
    studio.engine.model_named(changed.model)  # refused if it is not installed
    with studio.write(project) as connection:
        if "model" in changed.model_fields_set:
            set_model(connection, project, changed.model)
        if "name" in changed.model_fields_set:
            rename_project(connection, project, changed.name)
        if "threshold" in changed.model_fields_set:
            set_threshold(connection, project, changed.threshold)
        if "target_precision" in changed.model_fields_set:
            set_target_precision(connection, project, changed.target_precision)
        if "sentiment" in changed.model_fields_set:
            set_sentiment(connection, project, changed.sentiment)
    return project_response(studio, project)


@router.delete("/projects/{project}", status_code=204, responses=errors(404))
def delete(studio: CurrentStudio, project: ProjectId) -> None:
    """Delete it with its aspects, examples and reviews; this cannot be undone."""
    with studio.database.write() as connection:
        remove_project(connection, project)
    studio.engine.forget(project)


@router.post("/projects/{project}/undo", response_model=UndoResponse, responses=errors(404, 409))
def undo_last(studio: CurrentStudio, project: ProjectId, nothing: EmptyBody | None = None) -> Any:
    """Undo the last change of aspects, examples or thresholds."""
    with studio.write(project) as connection:
        did = undo(connection, project)
    return {"did": did, "project": project_response(studio, project)}


@router.post("/projects/{project}/redo", response_model=UndoResponse, responses=errors(404, 409))
def redo_last(studio: CurrentStudio, project: ProjectId, nothing: EmptyBody | None = None) -> Any:
    """Redo the change that was undone last."""
    with studio.write(project) as connection:
        did = redo(connection, project)
    return {"did": did, "project": project_response(studio, project)}

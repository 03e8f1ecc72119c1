"""Projects: made, listed, renamed, deleted; undo and redo."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter

from fewaspect.studio.api.aspects import AspectAnswer, aspects_of
from fewaspect.studio.api.fields import (
    Answer,
    Given,
    InStudio,
    MaybeName,
    Name,
    Probability,
    ProjectId,
    example,
    given,
)
from fewaspect.studio.api.problem_details import answers
from fewaspect.studio.store.definition import set_threshold
from fewaspect.studio.store.journal import next_in_words, redo, undo
from fewaspect.studio.store.projects import (
    counted_project,
    create_project,
    list_projects,
    project_row,
    remove_project,
    rename_project,
)
from fewaspect.studio.studio import Studio

router = APIRouter(tags=["projects"])


class NewProject(Given):
    """A project by name."""

    model_config = given(name="Hotel reviews, spring")
    name: Name


class ChangedProject(Given):
    """What is left out stays; a threshold of null is the detector's own."""

    model_config = given(threshold=0.4)
    name: MaybeName = ""
    threshold: Probability | None = None


class Nothing(Given):
    """No fields."""


class ProjectInList(Answer):
    """A project and how much it has."""

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


class ProjectList(Answer):
    projects: list[ProjectInList]


class ProjectAnswer(Answer):
    """A project as it is now; `scored` is the share of its sentences that are scored at this revision."""

    id: int
    name: str
    created: str
    aspects: list[AspectAnswer]
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


class Done(Answer):
    """What was undone or done again, in words."""

    did: str
    project: ProjectAnswer


def project_answer(studio: Studio, project: int) -> dict[str, Any]:
    snapshot = studio.engine.snapshot(project)
    with studio.database.read() as connection:
        row = counted_project(connection, project)
        can_undo, can_redo = next_in_words(connection, project)
    return {
        **row, "aspects": aspects_of(snapshot),
        "revision": snapshot.revision, "threshold": snapshot.threshold, "threshold_set": snapshot.definition.threshold,
        "scored": snapshot.scores.scored, "can_undo": can_undo, "can_redo": can_redo,
        "dated": any(snapshot.sentences.dates),
    }  # fmt: skip


@router.get("/projects", responses=answers())
def list_all(studio: InStudio) -> ProjectList:
    """All projects."""
    with studio.database.read() as connection:
        return ProjectList.model_validate({"projects": list_projects(connection)})


@router.post("/projects", status_code=201, response_model=ProjectAnswer, responses=answers(409))
def create(studio: InStudio, new: NewProject) -> Any:
    """A project without anything in it."""
    with studio.database.write() as connection:
        number = create_project(connection, new.name)
    return project_answer(studio, number)


@router.get("/projects/{project}", response_model=ProjectAnswer, responses=answers(404))
def get(studio: InStudio, project: ProjectId) -> Any:
    """One project with its aspects."""
    return project_answer(studio, project)


@router.patch("/projects/{project}", response_model=ProjectAnswer, responses=answers(404, 409))
def patch(studio: InStudio, project: ProjectId, changed: ChangedProject) -> Any:
    """Rename it, or set the threshold of all aspects that have none of their own."""
    with studio.database.write() as connection:
        project_row(connection, project)
        if "name" in changed.model_fields_set:
            rename_project(connection, project, changed.name)
        if "threshold" in changed.model_fields_set:
            set_threshold(connection, project, changed.threshold)
    return project_answer(studio, project)


@router.delete("/projects/{project}", status_code=204, responses=answers(404))
def delete(studio: InStudio, project: ProjectId) -> None:
    """With all that is in it; this cannot be undone."""
    with studio.database.write() as connection:
        remove_project(connection, project)
    studio.engine.forget(project)


@router.post("/projects/{project}/undo", response_model=Done, responses=answers(404, 409))
def undo_last(studio: InStudio, project: ProjectId, nothing: Nothing | None = None) -> Any:
    """Take back the last change of aspects, examples or thresholds."""
    with studio.database.write() as connection:
        project_row(connection, project)
        did = undo(connection, project)
    return {"did": did, "project": project_answer(studio, project)}


@router.post("/projects/{project}/redo", response_model=Done, responses=answers(404, 409))
def redo_last(studio: InStudio, project: ProjectId, nothing: Nothing | None = None) -> Any:
    """Do again what was undone last."""
    with studio.database.write() as connection:
        project_row(connection, project)
        did = redo(connection, project)
    return {"did": did, "project": project_answer(studio, project)}

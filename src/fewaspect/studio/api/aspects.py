"""The aspects of a project."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter
from pydantic import Field

from fewaspect.studio.api.fields import (
    Answer,
    Description,
    Given,
    Id,
    InStudio,
    MaybeDescription,
    MaybeName,
    Name,
    Probability,
    ProjectId,
    Sentence,
    example,
    given,
)
from fewaspect.studio.api.problem_details import answers
from fewaspect.studio.engine.snapshot import Snapshot
from fewaspect.studio.store.definition import NewAspect, add_aspect, change_aspect, remove_aspect
from fewaspect.studio.store.projects import project_row
from fewaspect.studio.studio import Studio

router = APIRouter(prefix="/projects/{project}/aspects", tags=["aspects"])


class GivenAspect(Given):
    """A name is enough; a description and examples make it better."""

    model_config = given(name="parking", description="garage, valet", examples=["no valet"])
    name: Name
    description: Description = ""
    examples: Annotated[list[Sentence], Field(max_length=200, default_factory=list)]


class ChangedAspect(Given):
    """What is left out stays; a threshold of null is the project's."""

    model_config = given(threshold=0.6)
    name: MaybeName = ""
    description: MaybeDescription = ""
    threshold: Probability | None = None


class AspectAnswer(Answer):
    """`found`: sentences that have it, as far as they are scored."""

    model_config = example(
        id=3, name="parking", description="garage, valet", threshold=None, colour=2, examples=5, found=41
    )
    id: int
    name: str
    description: str
    threshold: float | None
    colour: int
    examples: int
    found: int


def aspects_of(snapshot: Snapshot) -> list[dict[str, Any]]:
    found = snapshot.decided().sum(axis=0).tolist()
    shots = [number for given in snapshot.definition.examples for number in given.aspects]
    return [
        {"id": a.id, "name": a.name, "description": a.description, "threshold": a.threshold, "colour": a.colour,
         "examples": shots.count(a.id), "found": count}
        for a, count in zip(snapshot.definition.aspects, found, strict=True)
    ]  # fmt: skip


@router.post("", status_code=201, response_model=AspectAnswer, responses=answers(404, 409))
def add(studio: InStudio, project: ProjectId, new: GivenAspect) -> Any:
    """One more aspect."""
    with studio.database.write() as connection:
        project_row(connection, project)
        made = NewAspect(new.name, new.description)
        number = add_aspect(connection, project, made, new.examples, studio.limits)
    return _one(studio, project, number)


@router.patch("/{aspect}", response_model=AspectAnswer, responses=answers(404, 409))
def patch(studio: InStudio, project: ProjectId, aspect: Id, changed: ChangedAspect) -> Any:
    """Rename it, describe it, set its threshold."""
    values = changed.model_dump(exclude_unset=True)
    with studio.database.write() as connection:
        project_row(connection, project)
        change_aspect(connection, project, aspect, values)
    return _one(studio, project, aspect)


@router.delete("/{aspect}", status_code=204, responses=answers(404))
def delete(studio: InStudio, project: ProjectId, aspect: Id) -> None:
    """Examples that stood for it alone go with it."""
    with studio.database.write() as connection:
        project_row(connection, project)
        remove_aspect(connection, project, aspect)


def _one(studio: Studio, project: int, aspect: int) -> dict[str, Any]:
    return next(own for own in aspects_of(studio.engine.snapshot(project)) if own["id"] == aspect)

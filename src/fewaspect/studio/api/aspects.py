"""The aspects of a project."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter
from pydantic import Field

from fewaspect.studio.api.fields import (
    CurrentStudio,
    Description,
    Id,
    Name,
    OptionalDescription,
    OptionalName,
    Probability,
    ProjectId,
    RequestBody,
    ResponseBody,
    Sentence,
    example,
)
from fewaspect.studio.api.problem_details import errors
from fewaspect.studio.engine.snapshot import Snapshot
from fewaspect.studio.store.definition import NewAspect, add_aspect, change_aspect, remove_aspect
from fewaspect.studio.studio import Studio

router = APIRouter(prefix="/projects/{project}/aspects", tags=["aspects"])


class AspectRequest(RequestBody):
    """A name is enough; a description and examples improve it."""

    model_config = example(name="parking", description="garage, valet", examples=["no valet"])
    name: Name
    description: Description = ""
    examples: Annotated[list[Sentence], Field(max_length=200, default_factory=list)]


class AspectUpdate(RequestBody):
    """Fields that are left out stay; with a threshold of null that of the project applies."""

    model_config = example(threshold=0.6)
    name: OptionalName = ""
    description: OptionalDescription = ""
    threshold: Probability | None = None


class AspectResponse(ResponseBody):
    """`found`: number of sentences with the aspect, by the scores so far."""

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


def aspect_responses(snapshot: Snapshot) -> list[dict[str, Any]]:
    found = snapshot.decided().sum(axis=0).tolist()
    shots = [number for example in snapshot.definition.examples for number in example.aspects]
    return [
        {"id": a.id, "name": a.name, "description": a.description, "threshold": a.threshold, "colour": a.colour,
         "examples": shots.count(a.id), "found": count}
        for a, count in zip(snapshot.definition.aspects, found, strict=True)
    ]  # fmt: skip


@router.post("", status_code=201, response_model=AspectResponse, responses=errors(404, 409))
def add(studio: CurrentStudio, project: ProjectId, new: AspectRequest) -> Any:
    """Add an aspect."""
    with studio.write(project) as connection:
        aspect = NewAspect(new.name, new.description)
        number = add_aspect(connection, project, aspect, new.examples, studio.limits)
    return _one(studio, project, number)


@router.patch("/{aspect}", response_model=AspectResponse, responses=errors(404, 409))
def patch(studio: CurrentStudio, project: ProjectId, aspect: Id, changed: AspectUpdate) -> Any:
    """Rename it, describe it, set its threshold."""
    values = changed.model_dump(exclude_unset=True)
    with studio.write(project) as connection:
        change_aspect(connection, project, aspect, values)
    return _one(studio, project, aspect)


@router.delete("/{aspect}", status_code=204, responses=errors(404))
def delete(studio: CurrentStudio, project: ProjectId, aspect: Id) -> None:
    """Remove it, and examples of no other aspect with it."""
    with studio.write(project) as connection:
        remove_aspect(connection, project, aspect)


def _one(studio: Studio, project: int, aspect: int) -> dict[str, Any]:
    return next(one for one in aspect_responses(studio.engine.snapshot(project)) if one["id"] == aspect)

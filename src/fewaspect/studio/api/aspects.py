"""The aspects of a project."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any

from fastapi import APIRouter, Query
from pydantic import Field

from fewaspect.detector.explain import DEFAULT_THRESHOLD
from fewaspect.studio.api.fields import (
    LIMITS,
    MAX_ID,
    CurrentStudio,
    Description,
    GroupName,
    Id,
    Name,
    OptionalColour,
    OptionalDescription,
    OptionalGroup,
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
from fewaspect.studio.engine.splitting_proposal import propose_split
from fewaspect.studio.store.definition import (
    NewAspect,
    add_aspect,
    add_aspects,
    change_aspect,
    counted_aspect,
    remove_aspect,
)
from fewaspect.studio.store.projects import owned_row, project_row
from fewaspect.studio.store.regrouping import group_aspects, merge_aspects, split_aspect
from fewaspect.studio.store.schema import aspects
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
    group: OptionalGroup = ""
    colour: OptionalColour = 0


class AspectBatch(RequestBody):
    """Several aspects at once."""

    model_config = example(aspects=[{"name": "wifi"}, {"name": "pool", "description": "swimming, water"}])
    aspects: Annotated[list[AspectRequest], Field(min_length=1, max_length=LIMITS.aspects)]


class GroupRequest(RequestBody):
    """Aspects by id and the group that they belong to; "": to none."""

    model_config = example(group="Room", aspects=[1])
    group: GroupName
    aspects: Annotated[list[Id], Field(min_length=1, max_length=LIMITS.aspects)]


class MergeRequest(RequestBody):
    """The other aspect becomes part of this one. Without a name and a description: its name, and both descriptions."""

    model_config = example(other=2, name="food and drink")
    other: Id
    name: OptionalName = ""
    description: OptionalDescription = ""


class SplitRequest(RequestBody):
    """A new aspect, and which examples go to it, by id."""

    model_config = example(name="drinks", examples=[1])
    name: Name
    description: Description = ""
    examples: Annotated[list[Id], Field(min_length=1, max_length=LIMITS.examples)]


class AspectResponse(ResponseBody):
    """`found`: number of sentences with the aspect, by the scores so far."""

    model_config = example(
        id=3, name="parking", description="garage, valet", threshold=None, colour=2, group="", examples=5, found=41
    )
    id: int
    name: str
    description: str
    threshold: float | None
    colour: int
    group: str
    examples: int
    found: int


class AspectList(ResponseBody):
    aspects: list[AspectResponse]


class ExampleToMove(ResponseBody):
    """`moved`: whether it is proposed for the new aspect."""

    id: int
    text: str
    moved: bool


class SplitProposal(ResponseBody):
    examples: list[ExampleToMove]


def aspect_responses(snapshot: Snapshot) -> list[dict[str, Any]]:
    found = snapshot.decided().sum(axis=0).tolist()
    shots = [number for example in snapshot.definition.examples for number in example.aspects]
    return [
        {"id": a.id, "name": a.name, "description": a.description, "threshold": a.threshold, "colour": a.colour,
         "group": a.group, "examples": shots.count(a.id), "found": count}
        for a, count in zip(snapshot.definition.aspects, found, strict=True)
    ]  # fmt: skip


@router.post("", status_code=201, response_model=AspectResponse, responses=errors(404, 409))
def add(studio: CurrentStudio, project: ProjectId, new: AspectRequest) -> Any:
    """Add an aspect."""
    with studio.write(project) as connection:
        aspect = NewAspect(new.name, new.description)
        number = add_aspect(connection, project, aspect, new.examples, studio.limits)
        stored = counted_aspect(connection, project, number)
    return _one(studio, project, stored)


@router.post("/batch", status_code=201, response_model=AspectList, responses=errors(404, 409))
def add_several(studio: CurrentStudio, project: ProjectId, new: AspectBatch) -> Any:
    """Add several aspects as one change: all of them or none."""
    with studio.write(project) as connection:
        several = [(NewAspect(one.name, one.description), one.examples) for one in new.aspects]
        numbers = add_aspects(connection, project, several, studio.limits)
        stored = [counted_aspect(connection, project, number) for number in numbers]
    return _those(studio, project, stored)


@router.put("/group", response_model=AspectList, responses=errors(404))
def group(studio: CurrentStudio, project: ProjectId, wanted: GroupRequest) -> Any:
    """Put aspects into a group, or take them out of theirs, as one change."""
    with studio.write(project) as connection:
        group_aspects(connection, project, wanted.aspects, wanted.group)
        stored = [counted_aspect(connection, project, number) for number in dict.fromkeys(wanted.aspects)]
    return _those(studio, project, stored)


@router.post("/{aspect}/merge", response_model=AspectResponse, responses=errors(404, 409))
def merge(studio: CurrentStudio, project: ProjectId, aspect: Id, merged: MergeRequest) -> Any:
    """Make another aspect part of this one, with its examples and the answers about it, as one change.

    If one of the two has a threshold, the merged aspect has the mean of both by their numbers of examples.
    """
    given = merged.model_dump(exclude_unset=True, include={"name", "description"})
    with studio.write(project) as connection:
        default = project_row(connection, project).threshold
        default = DEFAULT_THRESHOLD if default is None else default
        merge_aspects(connection, project, aspect, merged.other, default, **given)
        stored = counted_aspect(connection, project, aspect)
    return _one(studio, project, stored)


@router.get("/{aspect}/split", response_model=SplitProposal, responses=errors(404))
def proposal(
    studio: CurrentStudio,
    project: ProjectId,
    aspect: Id,
    like: Annotated[
        list[Annotated[int, Field(ge=1, le=MAX_ID)]],
        Query(max_length=LIMITS.examples, description="Examples that are to go to the new aspect, by id."),
    ] = [],  # noqa: B006  FastAPI copies it
) -> Any:
    """All examples of the aspect, and which of them might be another one: those that are alike."""
    with studio.database.read() as connection:
        owned_row(connection, aspects, project, aspect)
    with studio.engine.foreground():
        found = propose_split(studio.engine.snapshot(project), aspect, set(like))
    return {"examples": [{"id": own.id, "text": own.text, "moved": moved} for own, moved in found]}


@router.post("/{aspect}/split", status_code=201, response_model=AspectResponse, responses=errors(404, 409))
def split(studio: CurrentStudio, project: ProjectId, aspect: Id, wanted: SplitRequest) -> Any:
    """Make some of its examples those of a new aspect, as one change; it has the same threshold and group."""
    with studio.write(project) as connection:
        new = NewAspect(wanted.name, wanted.description)
        number = split_aspect(connection, project, aspect, new, wanted.examples, studio.limits)
        stored = counted_aspect(connection, project, number)
    return _one(studio, project, stored)


@router.patch("/{aspect}", response_model=AspectResponse, responses=errors(404, 409))
def patch(studio: CurrentStudio, project: ProjectId, aspect: Id, changed: AspectUpdate) -> Any:
    """Rename it, describe it, set its threshold, its group or its colour."""
    values = changed.model_dump(exclude_unset=True)
    with studio.write(project) as connection:
        change_aspect(connection, project, aspect, values)
        stored = counted_aspect(connection, project, aspect)
    return _one(studio, project, stored)


@router.delete("/{aspect}", status_code=204, responses=errors(404))
def delete(studio: CurrentStudio, project: ProjectId, aspect: Id) -> None:
    """Remove it, and examples of no other aspect with it."""
    with studio.write(project) as connection:
        remove_aspect(connection, project, aspect)


def _one(studio: Studio, project: int, stored: dict[str, Any]) -> dict[str, Any]:
    return _those(studio, project, [stored])["aspects"][0]


def _those(studio: Studio, project: int, stored: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """As they were stored; another client may have undone that since."""
    snapshot = studio.engine.snapshot(project)
    found = dict(zip(snapshot.aspect_ids, snapshot.decided().sum(axis=0).tolist(), strict=True))
    return {"aspects": [{**one, "found": found.get(one["id"], 0)} for one in stored]}

"""Examples: sentences with the aspects that the user gave them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import Annotated, Any

from fastapi import APIRouter, Query
from pydantic import Field, StringConstraints

from fewaspect.studio.api.fields import (
    MAX_ID,
    AspectIds,
    CurrentStudio,
    Id,
    Polarity,
    ProjectId,
    RequestBody,
    ResponseBody,
    Sentence,
    example,
)
from fewaspect.studio.api.problem_details import errors
from fewaspect.studio.limits import LIMITS
from fewaspect.studio.store.definition import put_example, read_definition, read_example, remove_example
from fewaspect.studio.store.projects import owned_row
from fewaspect.studio.store.schema import examples, sentences

router = APIRouter(prefix="/projects/{project}/examples", tags=["examples"])


Polarities = Annotated[
    dict[Annotated[str, StringConstraints(pattern=r"^[1-9][0-9]{0,8}$")], Polarity],
    Field(
        max_length=LIMITS.aspects,
        description="What it thinks of aspects, by their ids.",
        json_schema_extra={"additionalProperties": False},
    ),
]


class ExampleRequest(RequestBody):
    """A sentence with all its aspects; the same sentence again replaces them, and the polarities that are given."""

    model_config = example(text="The garage was full.", aspects=[], polarities={})
    text: Sentence
    aspects: AspectIds
    sentence_id: Id | None = None
    polarities: Polarities = Field(default_factory=dict)


class AspectLabels(RequestBody):
    """All aspects of a sentence; []: none of these."""

    model_config = example(aspects=[])
    aspects: AspectIds


class ExampleChange(AspectLabels):
    """Its aspects, and the polarities that are given."""

    model_config = example(aspects=[], polarities={})
    polarities: Polarities = Field(default_factory=dict)


class ExampleResponse(ResponseBody):
    model_config = example(
        id=12, text="The garage was full.", aspects=[3], polarities={"3": "negative"}, sentence_id=None,
        created="2026-01-31T12:00:00Z",
    )  # fmt: skip
    id: int
    text: str
    aspects: list[int]
    polarities: dict[int, Polarity]
    sentence_id: int | None
    created: str


class ExampleList(ResponseBody):
    total: int
    examples: list[ExampleResponse]


@router.get("", response_model=ExampleList, responses=errors(404))
def list_some(
    studio: CurrentStudio,
    project: ProjectId,
    aspect: Annotated[str | None, Query(pattern=r"^(none|[1-9][0-9]{0,9})$", examples=["none"])] = None,
    offset: Annotated[int, Query(ge=0, le=MAX_ID)] = 0,
    limit: Annotated[int, Query(ge=1, le=1000)] = 100,
) -> Any:
    """The examples of one aspect, of none, or all."""
    with studio.database.read() as connection:
        found = read_definition(connection, project).examples
    if aspect == "none":
        found = tuple(one for one in found if not one.aspects)
    elif aspect is not None:
        found = tuple(one for one in found if int(aspect) in one.aspects)
    return {"total": len(found), "examples": [asdict(one) for one in found[offset : offset + limit]]}


@router.post("", status_code=201, response_model=ExampleResponse, responses=errors(404))
def put(studio: CurrentStudio, project: ProjectId, new: ExampleRequest) -> Any:
    """Make a sentence an example of exactly these aspects."""
    with studio.write(project) as connection:
        if new.sentence_id is not None:
            owned_row(connection, sentences, project, new.sentence_id)
        said = _by_number(new.polarities)
        number = put_example(connection, project, new.text, new.aspects, new.sentence_id, studio.limits, said)
        return asdict(read_example(connection, project, number))


@router.patch("/{example_id}", response_model=ExampleResponse, responses=errors(404))
def patch(studio: CurrentStudio, project: ProjectId, example_id: Id, changed: ExampleChange) -> Any:
    """Other aspects, or polarities, of the same sentence."""
    with studio.write(project) as connection:
        text = owned_row(connection, examples, project, example_id).text
        put_example(connection, project, text, changed.aspects, None, studio.limits, _by_number(changed.polarities))
        return asdict(read_example(connection, project, example_id))


@router.delete("/{example_id}", status_code=204, responses=errors(404))
def delete(studio: CurrentStudio, project: ProjectId, example_id: Id) -> None:
    """Remove it from the examples."""
    with studio.write(project) as connection:
        remove_example(connection, project, example_id)


def _by_number(polarities: Mapping[str, str]) -> dict[int, str]:
    return {int(aspect): polarity for aspect, polarity in polarities.items()}

"""Sentences whose aspects the user has said."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Query

from fewaspect.studio.api.fields import (
    LARGEST,
    Answer,
    AspectIds,
    Given,
    Id,
    InStudio,
    ProjectId,
    Sentence,
    example,
    given,
)
from fewaspect.studio.api.problem_details import answers
from fewaspect.studio.store.definition import (
    Example,
    put_example,
    read_definition,
    remove_example,
)
from fewaspect.studio.store.projects import project_row
from fewaspect.studio.store.rows import row_of
from fewaspect.studio.store.tables import examples, sentences
from fewaspect.studio.studio import Studio

router = APIRouter(prefix="/projects/{project}/examples", tags=["examples"])


class GivenExample(Given):
    """A sentence and all aspects it stands for; the same sentence again replaces them."""

    model_config = given(text="The garage was full.", aspects=[])
    text: Sentence
    aspects: AspectIds
    sentence_id: Id | None = None


class ChangedExample(Given):
    """All aspects it stands for."""

    model_config = given(aspects=[])
    aspects: AspectIds


class ExampleAnswer(Answer):
    model_config = example(
        id=12, text="The garage was full.", aspects=[3], sentence_id=None, created="2026-01-31T12:00:00Z"
    )
    id: int
    text: str
    aspects: list[int]
    sentence_id: int | None
    created: str


class ExampleList(Answer):
    total: int
    examples: list[ExampleAnswer]


@router.get("", response_model=ExampleList, responses=answers(404))
def list_some(
    studio: InStudio,
    project: ProjectId,
    aspect: Annotated[str | None, Query(pattern=r"^(none|[1-9][0-9]{0,9})$", examples=["none"])] = None,
    offset: Annotated[int, Query(ge=0, le=LARGEST)] = 0,
    limit: Annotated[int, Query(ge=1, le=1000)] = 100,
) -> Any:
    """Those of one aspect, of none, or all."""
    with studio.database.read() as connection:
        given = read_definition(connection, project).examples
    if aspect == "none":
        given = tuple(one for one in given if not one.aspects)
    elif aspect is not None:
        given = tuple(one for one in given if int(aspect) in one.aspects)
    return {"total": len(given), "examples": [_answer(one) for one in given[offset : offset + limit]]}


@router.post("", status_code=201, response_model=ExampleAnswer, responses=answers(404))
def put(studio: InStudio, project: ProjectId, new: GivenExample) -> Any:
    """A sentence that stands for exactly these aspects."""
    with studio.database.write() as connection:
        project_row(connection, project)
        if new.sentence_id is not None:
            row_of(connection, sentences, project, new.sentence_id)
        number = put_example(connection, project, new.text, new.aspects, new.sentence_id, studio.limits)
    return _one(studio, project, number)


@router.patch("/{example_id}", response_model=ExampleAnswer, responses=answers(404))
def patch(studio: InStudio, project: ProjectId, example_id: Id, changed: ChangedExample) -> Any:
    """Other aspects for the same sentence."""
    with studio.database.write() as connection:
        project_row(connection, project)
        text = row_of(connection, examples, project, example_id).text
        put_example(connection, project, text, changed.aspects, None, studio.limits)
    return _one(studio, project, example_id)


@router.delete("/{example_id}", status_code=204, responses=answers(404))
def delete(studio: InStudio, project: ProjectId, example_id: Id) -> None:
    """It is no example any more."""
    with studio.database.write() as connection:
        project_row(connection, project)
        remove_example(connection, project, example_id)


def _one(studio: Studio, project: int, number: int) -> dict[str, Any]:
    with studio.database.read() as connection:
        return next(_answer(one) for one in read_definition(connection, project).examples if one.id == number)


def _answer(given: Example) -> dict[str, Any]:
    return {
        "id": given.id, "text": given.text, "aspects": list(given.aspects), "sentence_id": given.sentence_id,
        "created": given.created,
    }  # fmt: skip

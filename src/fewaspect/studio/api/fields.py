"""Types that the bodies of requests and responses share."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any, Literal

from fastapi import Depends, Path, Query, Request
from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, StringConstraints

from fewaspect.studio.engine.insights.conditions import PATTERN
from fewaspect.studio.limits import LIMITS
from fewaspect.studio.store.definition import COLOURS
from fewaspect.studio.studio import Studio

MAX_ID = 2**31 - 1  # the largest integer of the databases


def _storable(text: str) -> str:
    """PostgreSQL cannot hold a NUL."""
    return text.replace("\0", "\ufffd")


def _integer(value: object) -> object:
    """To JSON, 3.0 is an integer."""
    return int(value) if isinstance(value, float) and value.is_integer() else value


def without_default(schema: dict[str, Any]) -> None:
    """For a field that may be left out but not be null."""
    schema.pop("default", None)


class RequestBody(BaseModel):
    """Exactly these fields, of exactly these types."""

    model_config = ConfigDict(strict=True, extra="forbid")


class ResponseBody(BaseModel):
    """As JSON."""


Id = Annotated[int, Field(ge=1, le=MAX_ID), BeforeValidator(_integer)]
OneToTen = Annotated[int, Field(ge=1, le=10), BeforeValidator(_integer)]
AspectId = Annotated[int, Path(ge=1, le=MAX_ID, description="Id of an aspect.", examples=[1])]
ProjectId = Annotated[int, Path(ge=1, le=MAX_ID, description="Id of a project.", examples=[1])]
Probability = Annotated[float, Field(ge=0, le=1)]
Name = Annotated[
    str,
    StringConstraints(strip_whitespace=True, min_length=1, max_length=100, pattern=r"\S"),
    AfterValidator(_storable),
]
Description = Annotated[str, StringConstraints(strip_whitespace=True, max_length=2000), AfterValidator(_storable)]
GroupName = Annotated[str, StringConstraints(strip_whitespace=True, max_length=100), AfterValidator(_storable)]
OptionalName = Annotated[Name, Field(json_schema_extra=without_default)]
OptionalDescription = Annotated[Description, Field(json_schema_extra=without_default)]
OptionalGroup = Annotated[GroupName, Field(json_schema_extra=without_default)]
OptionalColour = Annotated[int, Field(ge=0, lt=COLOURS, json_schema_extra=without_default), BeforeValidator(_integer)]
Sentence = Annotated[
    str,
    StringConstraints(strip_whitespace=True, min_length=1, max_length=LIMITS.text_chars, pattern=r"\S"),
    AfterValidator(_storable),
]
Text = Annotated[str, StringConstraints(max_length=LIMITS.text_chars), AfterValidator(_storable)]
AspectIds = Annotated[list[Id], Field(max_length=LIMITS.aspects, description="Ids of aspects; []: none of these.")]
Polarity = Literal["negative", "neutral", "positive", "mixed"]
Condition = Annotated[str, StringConstraints(pattern=PATTERN, max_length=400)]
Where = Annotated[
    Sequence[Condition],
    Query(
        max_length=40, examples=[["country=Spain", "rating>=4"]],
        description="Conditions on the columns of the review, all of which hold: column=value, column!=value, "
        "column>=number or date, column<=number or date. Without a value: where the column is empty. "
        "In the name of a column, % = < > ! are percent-encoded.",
    ),
]  # fmt: skip
Period = Annotated[
    str,
    Query(
        pattern=r"^(\d{4}(-\d{2}){0,2}|\d{4}-\d{2}-\d{2}\.\.\d{4}-\d{2}-\d{2})?$",
        description="How its date begins, or its first and last day.", examples=["2024-03", "2024-01-01..2024-03-31"],
    ),
]  # fmt: skip


async def _studio(request: Request) -> Studio:  # not async, it would take a thread of the pool
    return request.app.state.studio


CurrentStudio = Annotated[Studio, Depends(_studio)]


def example(**values: Any) -> ConfigDict:
    """An example of the body, for OpenAPI."""
    return ConfigDict(json_schema_extra={"examples": [values]})

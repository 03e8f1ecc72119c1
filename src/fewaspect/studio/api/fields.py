"""Types that the bodies of requests and responses share."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import Depends, Path, Request
from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, StringConstraints

from fewaspect.studio.limits import LIMITS
from fewaspect.studio.studio import Studio

MAX_ID = 2**31 - 1  # the largest integer of the databases


def _storable(text: str) -> str:
    """PostgreSQL cannot hold a NUL."""
    return text.replace("\0", "\ufffd")


def _integer(value: object) -> object:
    """To JSON, 3.0 is an integer."""
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _without_default(schema: dict[str, Any]) -> None:
    """For a field that may be left out but not be null."""
    schema.pop("default", None)


class RequestBody(BaseModel):
    """Exactly these fields, of exactly these types."""

    model_config = ConfigDict(strict=True, extra="forbid")


class ResponseBody(BaseModel):
    """As JSON."""


Id = Annotated[int, Field(ge=1, le=MAX_ID), BeforeValidator(_integer)]
ProjectId = Annotated[int, Path(ge=1, le=MAX_ID, description="Id of a project.", examples=[1])]
Probability = Annotated[float, Field(ge=0, le=1)]
Name = Annotated[
    str,
    StringConstraints(strip_whitespace=True, min_length=1, max_length=100, pattern=r"\S"),
    AfterValidator(_storable),
]
Description = Annotated[str, StringConstraints(strip_whitespace=True, max_length=2000), AfterValidator(_storable)]
OptionalName = Annotated[Name, Field(json_schema_extra=_without_default)]
OptionalDescription = Annotated[Description, Field(json_schema_extra=_without_default)]
Sentence = Annotated[
    str,
    StringConstraints(strip_whitespace=True, min_length=1, max_length=LIMITS.text_chars, pattern=r"\S"),
    AfterValidator(_storable),
]
Text = Annotated[str, StringConstraints(max_length=LIMITS.text_chars), AfterValidator(_storable)]
AspectIds = Annotated[list[Id], Field(max_length=LIMITS.aspects, description="Ids of aspects; []: none of these.")]


async def _studio(request: Request) -> Studio:  # not async, it would take a thread of the pool
    return request.app.state.studio


CurrentStudio = Annotated[Studio, Depends(_studio)]


def example(**values: Any) -> ConfigDict:
    """An example of the body, for OpenAPI."""
    return ConfigDict(json_schema_extra={"examples": [values]})

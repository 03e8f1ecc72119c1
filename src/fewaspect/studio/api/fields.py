"""Kinds of values that requests and answers share."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import Depends, Path, Request
from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, StringConstraints

from fewaspect.studio.limits import Limits
from fewaspect.studio.studio import Studio

LIMITS = Limits()
LARGEST = 2**31 - 1  # the databases' integers


def _storable(text: str) -> str:
    """PostgreSQL cannot hold a NUL."""
    return text.replace("\0", "\ufffd")


def _whole(value: object) -> object:
    """To JSON, 3.0 is a whole number."""
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _left_out(schema: dict[str, Any]) -> None:
    """A field that may be left out but not be null; what then stands in its place is nobody's business."""
    schema.pop("default", None)


class Given(BaseModel):
    """What a request brings: exactly these fields, of exactly these types."""

    model_config = ConfigDict(strict=True, extra="forbid")


class Answer(BaseModel):
    """What a request gets."""


Id = Annotated[int, Field(ge=1, le=LARGEST), BeforeValidator(_whole)]
ProjectId = Annotated[int, Path(ge=1, le=LARGEST, description="Id of a project.", examples=[1])]
Probability = Annotated[float, Field(ge=0, le=1)]
Name = Annotated[
    str,
    StringConstraints(strip_whitespace=True, min_length=1, max_length=100, pattern=r"\S"),
    AfterValidator(_storable),
]
Description = Annotated[str, StringConstraints(strip_whitespace=True, max_length=2000), AfterValidator(_storable)]
MaybeName = Annotated[Name, Field(json_schema_extra=_left_out)]
MaybeDescription = Annotated[Description, Field(json_schema_extra=_left_out)]
Sentence = Annotated[
    str,
    StringConstraints(strip_whitespace=True, min_length=1, max_length=LIMITS.text_chars, pattern=r"\S"),
    AfterValidator(_storable),
]
Text = Annotated[str, StringConstraints(max_length=LIMITS.text_chars), AfterValidator(_storable)]
AspectIds = Annotated[list[Id], Field(max_length=LIMITS.aspects, description="Ids of aspects; []: none of these.")]


async def _studio(request: Request) -> Studio:  # else a thread of its own would look it up
    return request.app.state.studio


InStudio = Annotated[Studio, Depends(_studio)]


def example(**values: Any) -> ConfigDict:
    """What an answer looks like, for OpenAPI."""
    return ConfigDict(json_schema_extra={"examples": [values]})


def given(**values: Any) -> ConfigDict:
    """What a request looks like."""
    return ConfigDict(strict=True, extra="forbid", json_schema_extra={"examples": [values]})

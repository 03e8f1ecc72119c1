"""What the page asks first, and what machines ask."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter, Request, Response
from prometheus_client import CONTENT_TYPE_LATEST

from fewaspect import __version__
from fewaspect.studio.api.fields import Answer, InStudio, example
from fewaspect.studio.api.problem_details import answers

router = APIRouter(tags=["status"])
outside = APIRouter(tags=["status"])


class LimitsAnswer(Answer):
    body_bytes: int
    text_chars: int
    import_rows: int
    examples: int
    aspects: int
    texts: int


class Status(Answer):
    """`backend` is null until the weights are loaded."""

    model_config = example(
        version="0.1.0", backend="onnx-int8", token_required=False,
        limits={"body_bytes": 67108864, "text_chars": 20000, "import_rows": 50000, "examples": 5000, "aspects": 100,
                "texts": 1000},
    )  # fmt: skip
    version: str
    backend: str | None
    token_required: bool
    limits: LimitsAnswer


class Health(Answer):
    model_config = example(status="ok")
    status: str


@router.get("/status", response_model=Status, responses=answers())
def status(studio: InStudio, request: Request) -> Any:
    """Version, what computes, and the limits."""
    limits = {name: getattr(studio.limits, name) for name in LimitsAnswer.model_fields}
    token_required, backend = bool(request.app.state.access.token), studio.engine.backend
    return {"version": __version__, "backend": backend, "token_required": token_required, "limits": limits}


@outside.get("/healthz")
def health(studio: InStudio) -> Health:
    """Answers while the process lives and the database can be read."""
    with studio.database.read() as connection:
        connection.exec_driver_sql("SELECT 1")
    return Health(status="ok")


@outside.get("/metrics", include_in_schema=False)
def metrics(studio: InStudio) -> Response:
    return Response(studio.metrics.text(), media_type=CONTENT_TYPE_LATEST)

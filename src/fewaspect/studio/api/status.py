"""Status for the page, health and metrics for monitoring."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter, Request, Response
from prometheus_client import CONTENT_TYPE_LATEST

from fewaspect import __version__
from fewaspect.studio.api.fields import CurrentStudio, ResponseBody, example
from fewaspect.studio.api.problem_details import errors

router = APIRouter(tags=["status"])
monitoring = APIRouter(tags=["status"])


class LimitsResponse(ResponseBody):
    body_bytes: int
    text_chars: int
    import_rows: int
    examples: int
    aspects: int
    texts: int


class Status(ResponseBody):
    """`backend` is null until the model is loaded."""

    model_config = example(
        version="0.1.0", backend="onnx-int8", token_required=False,
        limits={"body_bytes": 67108864, "text_chars": 20000, "import_rows": 50000, "examples": 5000, "aspects": 100,
                "texts": 1000},
    )  # fmt: skip
    version: str
    backend: str | None
    token_required: bool
    limits: LimitsResponse


class Health(ResponseBody):
    model_config = example(status="ok")
    status: str


@router.get("/status", response_model=Status, responses=errors())
def status(studio: CurrentStudio, request: Request) -> Any:
    """Version, backend and limits."""
    limits = {name: getattr(studio.limits, name) for name in LimitsResponse.model_fields}
    token_required, backend = bool(request.app.state.access.token), studio.engine.backend
    return {"version": __version__, "backend": backend, "token_required": token_required, "limits": limits}


@monitoring.get("/healthz")
def health(studio: CurrentStudio) -> Health:
    """Ok while the database can be read."""
    with studio.database.read() as connection:
        connection.exec_driver_sql("SELECT 1")
    return Health(status="ok")


@monitoring.get("/metrics", include_in_schema=False)
def metrics(studio: CurrentStudio) -> Response:
    return Response(studio.metrics.text(), media_type=CONTENT_TYPE_LATEST)

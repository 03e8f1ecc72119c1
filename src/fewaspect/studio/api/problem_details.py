"""Errors as problem+json (RFC 9457)."""

from __future__ import annotations

import logging
from http import HTTPStatus
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse, Response
from pydantic import BaseModel, ConfigDict, Field
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect

from fewaspect.core.errors import FewAspectError
from fewaspect.studio import problems
from fewaspect.studio.plain_words import invalid_value, plain_words
from fewaspect.studio.problems import NO_SPACE, storage_error

MEDIA = "application/problem+json"
STATUS = {
    problems.NotFoundError: 404, problems.NameTakenError: 409, problems.NothingToUndoError: 409,
    problems.RevisionConflictError: 409, problems.TooLargeError: 413, problems.UnsupportedError: 415,
    problems.BusyError: 503, problems.StorageError: 507,
}  # fmt: skip
CLIENT_CLOSED_REQUEST, RETRY_AFTER = 499, "5"
_log = logging.getLogger(__name__)


class Problem(BaseModel):
    """An error: what was expected and what was found."""

    model_config = ConfigDict(json_schema_extra={"examples": [{
        "type": "about:blank", "title": "Not Found", "status": 404,
        "detail": "expected a project, found none with the id 7.",
        "plain": "This project is not here any more; it may have been removed elsewhere. Reload the page.",
    }]})  # fmt: skip

    type: str = "about:blank"
    title: str
    status: int
    detail: str
    plain: str = Field(description="The detail for people who do not program.")
    field: str | None = Field(default=None, description="The field of the request that is at fault.")


class RefusedError(HTTPException):
    """Ends a request with a status, and the field of the request that is at fault."""

    def __init__(self, status: int, detail: str, field: str | None = None, headers: dict[str, str] | None = None):
        super().__init__(status, detail, headers)
        self.field = field


def errors(*statuses: int) -> dict[int | str, dict[str, Any]]:
    """For OpenAPI: these statuses, and those that any request may be answered with."""
    schema = {"schema": {"$ref": "#/components/schemas/Problem"}}
    return {
        status: {"description": HTTPStatus(status).phrase, "content": {MEDIA: schema}}
        for status in sorted({400, 401, 403, 413, 415, 422, 429, 503, 507, *statuses})
    }


def problem(
    status: int, detail: str, field: str | None = None, headers: dict[str, str] | None = None, plain: str | None = None
) -> JSONResponse:
    plain = plain or plain_words(status, detail)
    body = Problem(title=HTTPStatus(status).phrase, status=status, detail=detail, field=field, plain=plain)
    return JSONResponse(body.model_dump(exclude_none=True), status, headers, MEDIA)


def install_handlers(app: FastAPI) -> None:
    """Every error of the app becomes a problem."""

    @app.exception_handler(FewAspectError)
    async def known(_: Request, error: FewAspectError) -> JSONResponse:
        status = STATUS.get(type(error), 422)
        return problem(status, str(error), headers={"Retry-After": RETRY_AFTER} if status == 503 else None)

    @app.exception_handler(HTTPException)
    async def http(_: Request, error: HTTPException) -> JSONResponse:
        headers = dict(error.headers) if error.headers else None
        return problem(error.status_code, str(error.detail), getattr(error, "field", None), headers)

    @app.exception_handler(RequestValidationError)
    async def invalid(_: Request, error: RequestValidationError) -> JSONResponse:
        first = error.errors()[0]
        if first["type"] == "json_invalid":
            return problem(400, f"expected JSON, found an error: {first.get('ctx', {}).get('error', first['msg'])}.")
        place = [str(part) for part in first["loc"][1:]]
        field = ".".join(place) or str(first["loc"][0])
        return problem(
            422, f"{field}: {_lower(first['msg'])}{_found(first.get('input'))}.", field, plain=invalid_value(first)
        )

    @app.exception_handler(ClientDisconnect)
    async def gone(_: Request, error: ClientDisconnect) -> Response:
        return Response(status_code=CLIENT_CLOSED_REQUEST)  # which nobody reads, and the metrics count

    @app.exception_handler(OSError)
    async def unwritten(request: Request, error: OSError) -> Response:
        if error.errno in NO_SPACE:
            return await known(request, storage_error(error))
        return await unknown(request, error)

    @app.exception_handler(Exception)
    async def unknown(_: Request, error: Exception) -> JSONResponse:
        _log.error("request failed", exc_info=error)
        return problem(500, "expected an answer, found an internal error of the studio; see its log.")


def _lower(message: str) -> str:
    return message[:1].lower() + message[1:]


def _found(value: object) -> str:
    if isinstance(value, str | int | float | bool | None):
        shown = "nothing" if value is None else repr(value)
        return f", found {shown if len(shown) <= 60 else shown[:59] + '…'}".encode("utf-8", "replace").decode()
    return ""

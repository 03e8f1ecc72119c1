"""The web application: the API under /api/v1, the page at /, and the middleware."""

from __future__ import annotations

import threading
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi
from starlette.routing import Route
from starlette.staticfiles import StaticFiles

from fewaspect import __version__
from fewaspect.studio.allowed_methods import MethodsMiddleware
from fewaspect.studio.api import (
    aspects,
    detection,
    downloads,
    examples,
    imports,
    measures,
    projects,
    quality,
    sentences,
    status,
)
from fewaspect.studio.api.insights import comparisons, reports, sentiments
from fewaspect.studio.api.problem_details import Problem, install_handlers
from fewaspect.studio.api.security import AccessPolicy, SecurityMiddleware
from fewaspect.studio.importing.project_import import add_sample_project
from fewaspect.studio.monitoring import MetricsMiddleware
from fewaspect.studio.studio import Studio

PAGE = Path(__file__).parent / "page"
PREFIX = "/api/v1"
ROUTERS = tuple(
    part.router
    for part in (
        status, downloads, projects, aspects, examples, sentences, imports, detection, measures, quality, comparisons,
        sentiments, reports,
    )
)  # fmt: skip


def make_app(studio: Studio, access: AccessPolicy | None = None, *, warm: bool = False, sample: bool = True) -> FastAPI:
    """With `warm`, the model is loaded in the background; with `sample`, an empty database gets the sample project."""
    access = access or AccessPolicy()

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        warming = threading.Thread(target=studio.warm, name="warming", daemon=True)
        if warm:
            warming.start()
        yield
        if warming.ident:  # a thread inside a native library when Python ends would abort the process
            warming.join(10)
        studio.close()

    if sample:
        add_sample_project(studio)
    app = FastAPI(
        title="fewaspect studio", version=__version__, openapi_url=f"{PREFIX}/openapi.json", docs_url=None,
        redoc_url=None, lifespan=lifespan, description="Few-shot aspect detection: projects, examples, reviews.",
    )  # fmt: skip
    app.state.studio, app.state.access = studio, access
    install_handlers(app)
    for router in ROUTERS:
        app.include_router(router, prefix=PREFIX)
    app.include_router(status.monitoring)
    app.openapi = lambda: _openapi(app)  # type: ignore[method-assign]
    app.mount("/", StaticFiles(directory=PAGE, html=True), name="page")
    app.add_middleware(MethodsMiddleware, routes=_routes())
    app.add_middleware(MetricsMiddleware, metrics=studio.metrics)
    app.add_middleware(SecurityMiddleware, access=access, limits=studio.limits)
    return app


def _routes() -> Iterator[tuple[str, set[str]]]:
    """The path and the methods of every route."""
    yield f"{PREFIX}/openapi.json", {"GET"}
    for prefix, routers in ((PREFIX, ROUTERS), ("", (status.monitoring,))):
        for route in (route for router in routers for route in router.routes if isinstance(route, Route)):
            yield prefix + route.path, route.methods or set()


def _openapi(app: FastAPI) -> dict[str, Any]:
    """The OpenAPI description, with the schema of problems added."""
    if app.openapi_schema is None:
        schema = get_openapi(title=app.title, version=app.version, description=app.description, routes=app.routes)
        schema["components"]["schemas"]["Problem"] = Problem.model_json_schema()
        app.openapi_schema = schema
    return app.openapi_schema

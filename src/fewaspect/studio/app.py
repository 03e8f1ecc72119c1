"""The app: the API under /api/v1, the page at /, and what stands before both."""

from __future__ import annotations

import threading
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi
from starlette.staticfiles import StaticFiles

from fewaspect import __version__
from fewaspect.studio.api import (
    aspects,
    detecting,
    downloads,
    examples,
    imports,
    measures,
    projects,
    sentences,
    status,
)
from fewaspect.studio.api.problem_details import Problem, install
from fewaspect.studio.api.security import Access, Guard
from fewaspect.studio.monitoring import Measured
from fewaspect.studio.sample import add_sample
from fewaspect.studio.studio import Studio

PAGE = Path(__file__).parent / "page"
PREFIX = "/api/v1"
ROUTERS = tuple(
    part.router for part in (status, downloads, projects, aspects, examples, sentences, imports, detecting, measures)
)


def make_app(studio: Studio, access: Access | None = None, *, warm: bool = False, sample: bool = True) -> FastAPI:
    """With `warm`, the weights are loaded in the background; with `sample`, an empty database gets a project."""
    access = access or Access()

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        if warm:
            threading.Thread(target=studio.warm, name="warming", daemon=True).start()
        yield
        studio.close()

    if sample:
        add_sample(studio)
    app = FastAPI(
        title="fewaspect studio", version=__version__, openapi_url=f"{PREFIX}/openapi.json", docs_url=None,
        redoc_url=None, lifespan=lifespan, description="Few-shot aspect detection: projects, examples, reviews.",
    )  # fmt: skip
    app.state.studio, app.state.access = studio, access
    install(app)
    for router in ROUTERS:
        app.include_router(router, prefix=PREFIX)
    app.include_router(status.outside)
    app.openapi = lambda: _described(app)  # type: ignore[method-assign]
    app.mount("/", StaticFiles(directory=PAGE, html=True), name="page")
    app.add_middleware(Measured, metrics=studio.metrics)
    app.add_middleware(Guard, access=access, limits=studio.limits)
    return app


def _described(app: FastAPI) -> dict[str, Any]:
    """The OpenAPI description, with the schema of problems, to which every operation refers, among the others."""
    if app.openapi_schema is None:
        made = get_openapi(title=app.title, version=app.version, description=app.description, routes=app.routes)
        made["components"]["schemas"]["Problem"] = Problem.model_json_schema()
        app.openapi_schema = made
    return app.openapi_schema

"""Methods that a path does not have are answered in one place: 405, with all that it has."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

from starlette.routing import compile_path
from starlette.types import ASGIApp, Receive, Scope, Send

from fewaspect.studio.api.problem_details import problem

PAGE_METHODS = frozenset({"GET", "HEAD"})  # of everything that is no route of the API


class MethodsMiddleware:
    """A router by itself knows one route of a path at a time, and takes "import" for the number of a project."""

    def __init__(self, app: ASGIApp, routes: Iterable[tuple[str, Iterable[str]]]) -> None:
        self.app = app
        methods: dict[str, set[str]] = defaultdict(set)
        for path, own in routes:
            methods[path] |= {*own, *(PAGE_METHODS if "GET" in own else ())}
        literal_first = sorted(methods, key=lambda path: path.count("{"))
        self.paths = [(compile_path(path)[0], frozenset(methods[path])) for path in literal_first]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["method"] in (allowed := self._methods(scope["path"])):
            return await self.app(scope, receive, send)
        listed = ", ".join(sorted(allowed))
        refusal = problem(405, f"expected {listed}, found {scope['method'][:60]}.", headers={"Allow": listed})
        return await refusal(scope, receive, send)

    def _methods(self, path: str) -> frozenset[str]:
        return next((own for pattern, own in self.paths if pattern.match(path)), PAGE_METHODS)

"""Metrics for Prometheus."""

from __future__ import annotations

import time

from prometheus_client import CollectorRegistry, Counter, Histogram, generate_latest
from starlette.types import ASGIApp, Message, Receive, Scope, Send


class Metrics:
    """Counters of one studio, not of the process, in which tests start many."""

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        labels = ("method", "route", "status")
        self._requests = Counter("fewaspect_requests", "Requests answered.", labels, registry=self.registry)
        self._seconds = Histogram(
            "fewaspect_request_seconds", "Time to the end of an answer.", ("route",), registry=self.registry
        )
        self._batches = Counter("fewaspect_batches", "Calls of the detector for requests.", registry=self.registry)
        self._batched = Counter(
            "fewaspect_batched_requests", "Requests answered by these calls.", registry=self.registry
        )
        self._texts = Counter("fewaspect_texts", "Texts detected for requests.", registry=self.registry)

    def batch(self, requests: int, texts: int) -> None:
        self._batches.inc()
        self._batched.inc(requests)
        self._texts.inc(texts)

    def request(self, method: str, route: str, status: int, seconds: float) -> None:
        self._requests.labels(method, route, str(status)).inc()
        self._seconds.labels(route).observe(seconds)

    def text(self) -> bytes:
        return generate_latest(self.registry)


class MetricsMiddleware:
    """Counts requests by route, not by address, of which there is no end."""

    def __init__(self, app: ASGIApp, metrics: Metrics) -> None:
        self.app, self.metrics = app, metrics

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return await self.app(scope, receive, send)
        started, status = time.perf_counter(), 500

        async def watched(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
            await send(message)

        try:
            await self.app(scope, receive, watched)
        finally:
            route = getattr(scope.get("route"), "path", "other")
            self.metrics.request(scope["method"], route, status, time.perf_counter() - started)

"""Which requests are let through: host, origin, CSRF header, token, size and rate."""

from __future__ import annotations

import hmac
import time
from collections import OrderedDict
from dataclasses import dataclass
from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from fewaspect.studio.api.problem_details import RefusedError, problem
from fewaspect.studio.limits import Limits

LOOPBACK = frozenset({"127.0.0.1", "localhost", "::1"})
SAFE = frozenset({"GET", "HEAD"})
BODY_TYPES = ("application/json", "multipart/form-data")
HEADERS = {
    "Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
    "font-src 'self'; connect-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'none'; "
    "frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}


@dataclass(frozen=True)
class AccessPolicy:
    """The accepted values of the Host header (None: any, since a token is required), and the token."""

    hosts: frozenset[str] | None = LOOPBACK
    token: str | None = None


class SecurityMiddleware:
    """Before the app; refused requests do not reach it."""

    def __init__(self, app: ASGIApp, access: AccessPolicy, limits: Limits) -> None:
        self.app, self.access, self.limits = app, access, limits
        self.limiter = RateLimiter(limits.requests_per_second, limits.burst)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            if scope["type"] == "lifespan":
                await self.app(scope, receive, send)
            return  # there are no websockets
        secured = _with_headers(send, api=scope["path"].startswith("/api/"))
        if scope["method"] == "HEAD":  # as GET, without the body
            scope, secured = {**scope, "method": "GET"}, _without_body(secured)
        if refusal := self._refusal(scope):
            return await refusal(scope, receive, secured)
        await self.app(scope, self._bounded(scope, receive), secured)

    def _refusal(self, scope: Scope) -> Response | None:
        headers, path, token = Headers(scope=scope), scope["path"], self.access.token
        if refusal := self._foreign(headers):
            return refusal
        has_token = bool(token) and _is_token(headers.get("authorization", ""), token or "")
        client = scope["client"][0] if scope.get("client") else ""
        if wait := self.limiter.wait("the token" if has_token else client):  # whoever has none takes nobody's share
            seconds = str(int(wait) + 1)
            return problem(429, f"expected fewer requests, found too many; wait {seconds} s.", None,
                           {"Retry-After": seconds})  # fmt: skip
        guarded = path.startswith("/api/") or path == "/metrics"
        if token and guarded and not has_token:
            return problem(401, "Authorization: expected the token that was printed at the start, found another.",
                           None, {"WWW-Authenticate": "Bearer"})  # fmt: skip
        return None if scope["method"] in SAFE else self._refused_change(headers, path)

    def _foreign(self, headers: Headers) -> Response | None:
        """DNS rebinding and requests of other pages."""
        if self.access.hosts is not None and hostname(headers.get("host", "")) not in self.access.hosts:
            return problem(403, "Host: expected the address the studio was started with, found another.")
        origin = headers.get("origin")
        if origin is not None and address(origin) != headers.get("host"):
            return problem(403, "Origin: expected the studio's own page, found another.")
        return None

    def _refused_change(self, headers: Headers, path: str) -> Response | None:
        """Other pages cannot set the header X-Fewaspect."""
        if headers.get("x-fewaspect") != "studio":
            return problem(403, "X-Fewaspect: expected the header with the value studio, found none.", "X-Fewaspect")
        length = headers.get("content-length", "0")
        if not length.isdecimal():
            return problem(400, "Content-Length: expected an integer, found something else.")
        if int(length) > (most := self._most_bytes(path)):
            return problem(413, _too_large(most))
        has_body = int(length) > 0 or "transfer-encoding" in headers
        kind = _kind(headers)
        if has_body and kind not in BODY_TYPES:
            return problem(415, f"Content-Type: expected {' or '.join(BODY_TYPES)}, found {kind[:60] or 'none'}.")
        return None

    def _bounded(self, scope: Scope, receive: Receive) -> Receive:
        """Counts the bytes of the body, whatever its header says, and what JSON holds before it is parsed."""
        most = left = self._most_bytes(scope["path"])
        values = self.limits.json_values
        is_json = _kind(Headers(scope=scope)) == BODY_TYPES[0]

        async def counted() -> Message:
            nonlocal left, values
            message = await receive()
            body = message.get("body", b"")
            left -= len(body)
            values -= sum(map(body.count, (b",", b"[", b"{"))) if is_json else 0
            if left < 0:
                raise RefusedError(413, _too_large(most))
            if values < 0:
                raise RefusedError(413, f"expected at most {self.limits.json_values:,} values in JSON, found more.")
            return message

        return counted

    def _most_bytes(self, path: str) -> int:
        return self.limits.project_file_bytes if path.endswith("/projects/import") else self.limits.body_bytes


class RateLimiter:
    """A token bucket for each client."""

    def __init__(self, per_second: float, burst: int, clients: int = 10_000) -> None:
        self.per_second, self.burst, self.clients = per_second, burst, clients
        self._buckets: OrderedDict[str, tuple[float, float]] = OrderedDict()  # tokens left, and at what time

    def wait(self, client: str, now: float | None = None) -> float:
        """0 if the request may pass, which takes a token; else the seconds until it may."""
        now = time.monotonic() if now is None else now
        left, then = self._buckets.get(client, (float(self.burst), now))
        left = min(self.burst, left + (now - then) * self.per_second)
        passes = left >= 1
        self._buckets[client] = (left - passes, now)
        self._buckets.move_to_end(client)
        while len(self._buckets) > self.clients:
            self._buckets.popitem(last=False)
        return 0.0 if passes else (1 - left) / self.per_second


def address(origin: str) -> str:
    """Host and port of an origin; empty if it is none."""
    try:
        return urlsplit(origin).netloc
    except ValueError:
        return ""


def hostname(host: str) -> str:
    """Without the port: "[::1]:8765" is "::1"."""
    try:
        return (urlsplit(f"//{host}").hostname or "").lower()
    except ValueError:
        return ""


def _too_large(most: int) -> str:
    return f"expected at most {most >> 20} MB in a request, found more."


def _kind(headers: Headers) -> str:
    return headers.get("content-type", "").partition(";")[0].strip().lower()


def _is_token(given: str, token: str) -> bool:
    return hmac.compare_digest(given.encode(), f"Bearer {token}".encode())


def _without_body(send: Send) -> Send:
    async def bare(message: Message) -> None:
        await send({**message, "body": b""} if message["type"] == "http.response.body" else message)

    return bare


def _with_headers(send: Send, *, api: bool) -> Send:
    async def secured(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            for name, value in HEADERS.items():
                headers[name] = value
            if api:
                headers["Cache-Control"] = "no-store"
        await send(message)

    return secured

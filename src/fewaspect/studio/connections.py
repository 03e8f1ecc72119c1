"""Connections of clients: so many at a time, and none that is kept open by half a request."""

from __future__ import annotations

import asyncio
import time
from typing import Any

from uvicorn.protocols.http.h11_impl import H11Protocol

from fewaspect.studio.limits import LIMITS, Limits

RESERVED_FILES = 64  # descriptors for the database, files and threads
ACCEPTED_AT_ONCE = 128
BEFORE_CLOSED = 4  # times that asyncio accepts so many before one that is too many is closed
TIMED_OUT = b"HTTP/1.1 408 Request Timeout\r\nConnection: close\r\nContent-Length: 0\r\n\r\n"


def most_connections(limits: Limits) -> tuple[int, int]:
    """How many may be open, and how many of them are accepted at once."""
    try:
        import resource

        files, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    except ImportError:  # Windows
        return limits.connections, ACCEPTED_AT_ONCE
    if files == resource.RLIM_INFINITY:
        return limits.connections, ACCEPTED_AT_ONCE
    at_once = max(1, min(ACCEPTED_AT_ONCE, files // (4 * BEFORE_CLOSED)))
    return max(1, min(limits.connections, files - RESERVED_FILES - BEFORE_CLOSED * at_once)), at_once


class TimedProtocol(H11Protocol):
    """HTTP with a time for the head of a request, and a time and a rate for its body.

    Beyond the most connections, a new one takes the place of the one that has waited longest without a whole request;
    if all are being answered, it is refused.
    """

    limits: Limits = LIMITS
    most: int = LIMITS.connections

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self._began: float | None = None  # when the request began that has not arrived yet; None: none has begun
        self._heard = self._received = 0.0  # when data came last, and how many bytes of this request
        self._timer: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._begin()
        others = [c for c in self.connections if isinstance(c, TimedProtocol) and c is not self and c.is_open]
        if len(others) >= self.most:
            waiting = [other for other in others if other.waits]
            (min(waiting, key=lambda other: other._heard) if waiting else self).transport.abort()
        self._watch()

    def connection_lost(self, exc: Exception | None) -> None:
        super().connection_lost(exc)
        if self._timer:
            self._timer.cancel()

    def data_received(self, data: bytes) -> None:
        self._heard = time.monotonic()
        if self.answered and self._began is None:
            self._begin()
        self._received += len(data)
        super().data_received(data)

    def on_response_complete(self) -> None:
        self._began = None
        super().on_response_complete()

    @property
    def is_open(self) -> bool:
        return not self.transport.is_closing()

    @property
    def answered(self) -> bool:
        """Whether no request is being read or answered."""
        return self.cycle is None or self.cycle.response_complete

    @property
    def waits(self) -> bool:
        """Whether it waits for a request, or for the rest of one."""
        return self.answered or self.cycle.more_body

    def _begin(self) -> None:
        self._began = self._heard = time.monotonic()
        self._received = 0

    def _watch(self) -> None:
        """Once a second as long as it is open."""
        if not self.is_open:
            return
        if self._is_late(time.monotonic()):
            if self.cycle is None or not self.cycle.response_started:
                self.transport.write(TIMED_OUT)
            return self.transport.close()
        self._timer = self.loop.call_later(1, self._watch)

    def _is_late(self, now: float) -> bool:
        if self._began is None or not self.waits:
            return False
        if self.answered:
            return now - self._began > self.limits.head_seconds
        if self.flow.read_paused:  # the studio itself does not read on
            self._heard = now
        slow = now - self._began > self.limits.silence_seconds + self._received / self.limits.body_rate
        return slow or now - self._heard > self.limits.silence_seconds


def timed_protocol(limits: Limits, most: int) -> type[TimedProtocol]:
    return type("StudioProtocol", (TimedProtocol,), {"limits": limits, "most": most})

"""Work that ends with the client that asked for it."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Any, TypeVar

from fastapi import Request
from starlette.requests import ClientDisconnect

T = TypeVar("T")


async def unless_gone(request: Request, answer: Coroutine[Any, Any, T]) -> T:
    """The answer; it is cancelled when the client disconnects, whose request must have been read."""
    working, leaving = asyncio.create_task(answer), asyncio.create_task(_leaving(request))
    try:
        await asyncio.wait((working, leaving), return_when=asyncio.FIRST_COMPLETED)
        if working.done():
            return working.result()
        raise ClientDisconnect
    finally:
        working.cancel()
        leaving.cancel()


async def _leaving(request: Request) -> None:
    while (await request.receive())["type"] != "http.disconnect":
        pass

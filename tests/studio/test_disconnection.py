"""Work that ends with the client that asked for it."""

from __future__ import annotations

import asyncio

import pytest
from starlette.requests import ClientDisconnect, Request
from starlette.types import Message

from fewaspect.studio.disconnection import unless_gone


def request(*messages: str) -> Request:
    """Of a client that sends these, then nothing."""
    left = list(messages)

    async def receive() -> Message:
        if not left:
            await asyncio.sleep(60)
        return {"type": left.pop(0)}

    return Request({"type": "http"}, receive)


def test_the_answer_comes_while_the_client_is_there() -> None:
    assert asyncio.run(unless_gone(request("http.request"), asyncio.sleep(0.01, "answer"))) == "answer"


def test_an_error_is_passed_on() -> None:
    async def fails() -> None:
        raise ValueError("fault")

    with pytest.raises(ValueError, match="fault"):
        asyncio.run(unless_gone(request(), fails()))


def test_work_is_cancelled_when_the_client_has_gone() -> None:
    cancelled = []

    async def work() -> None:
        try:
            await asyncio.sleep(60)
        except asyncio.CancelledError:
            cancelled.append(True)
            raise

    async def asked() -> None:
        with pytest.raises(ClientDisconnect):
            await unless_gone(request("http.request", "http.disconnect"), work())
        await asyncio.sleep(0)

    asyncio.run(asked())
    assert cancelled

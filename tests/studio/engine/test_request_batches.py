"""Requests that arrive together share a call; each gets its own part."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any

import pytest

from fewaspect.studio.engine.request_batches import MAX_TEXTS, RequestBatcher


class Work:
    """Answers a text with itself in capitals, and keeps what it was called with."""

    def __init__(self) -> None:
        self.calls: list[list[str]] = []

    def __call__(self, texts: list[str]) -> tuple[str, Sequence[Any]]:
        self.calls.append(texts)
        if "fault" in texts:
            raise ValueError("fault")
        return "shared", [text.upper() for text in texts]


async def ask_all(batcher: RequestBatcher, work: Work, asked: list[tuple[str, list[str]]]) -> list[Any]:
    return await asyncio.gather(*(batcher.submit(key, texts, work) for key, texts in asked), return_exceptions=True)


def test_requests_that_arrive_together_share_one_call() -> None:
    work, batcher = Work(), RequestBatcher()
    found = asyncio.run(ask_all(batcher, work, [("a", [f"{n}x", f"{n}y"]) for n in range(20)]))
    assert len(work.calls) == 1
    assert found == [("shared", [f"{n}X", f"{n}Y"]) for n in range(20)]


def test_different_projects_do_not_share() -> None:
    work, batcher = Work(), RequestBatcher()
    assert asyncio.run(ask_all(batcher, work, [("a", ["x"]), ("b", ["y"])])) == [("shared", ["X"]), ("shared", ["Y"])]
    assert len(work.calls) == 2


def test_a_batch_does_not_grow_without_bound() -> None:
    work, batcher = Work(), RequestBatcher()
    asyncio.run(ask_all(batcher, work, [("a", ["x"] * (MAX_TEXTS // 2)) for _ in range(5)]))
    assert sorted(map(len, work.calls)) == [MAX_TEXTS // 2, MAX_TEXTS, MAX_TEXTS]


def test_an_error_reaches_everyone_in_the_batch_and_nobody_else() -> None:
    work, batcher = Work(), RequestBatcher()
    found = asyncio.run(ask_all(batcher, work, [("a", ["x"]), ("a", ["fault"]), ("b", ["y"])]))
    assert [type(one) for one in found] == [ValueError, ValueError, tuple]


def test_one_that_gives_up_does_not_disturb_the_others() -> None:
    async def both() -> Any:
        work, batcher = Work(), RequestBatcher()
        gone, stays = (asyncio.create_task(batcher.submit("a", [text], work)) for text in ("x", "y"))
        await asyncio.sleep(0)
        gone.cancel()
        with pytest.raises(asyncio.CancelledError):
            await gone
        return await stays

    assert asyncio.run(both()) == ("shared", ["Y"])

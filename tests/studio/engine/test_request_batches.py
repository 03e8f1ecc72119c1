"""Requests that arrive together share a call; each gets its own part, and a large one does not keep others waiting."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fewaspect.studio.engine.request_batches import MAX_CHARS, MAX_TEXTS, RequestBatcher


class Work:
    """Answers a text with itself in capitals, and keeps what it was called with."""

    def __init__(self) -> None:
        self.calls: list[list[str]] = []

    def __call__(self, texts: list[str]) -> Sequence[Any]:
        self.calls.append(texts)
        if "fault" in texts:
            raise ValueError("fault")
        return [text.upper() for text in texts]


async def ask_all(batcher: RequestBatcher, work: Work, asked: list[tuple[str, list[str]]]) -> list[Any]:
    return await asyncio.gather(*(batcher.submit(key, texts, work) for key, texts in asked), return_exceptions=True)


def test_requests_that_arrive_together_share_one_call() -> None:
    work, batcher = Work(), RequestBatcher()
    found = asyncio.run(ask_all(batcher, work, [("a", [f"{n}x", f"{n}y"]) for n in range(20)]))
    assert len(work.calls) == 1
    assert found == [[f"{n}X", f"{n}Y"] for n in range(20)]


def test_different_projects_do_not_share() -> None:
    work, batcher = Work(), RequestBatcher()
    assert asyncio.run(ask_all(batcher, work, [("a", ["x"]), ("b", ["y"])])) == [["X"], ["Y"]]
    assert len(work.calls) == 2


@given(
    st.lists(st.tuples(st.sampled_from("ab"), st.lists(st.sampled_from(["", "x", "yy", "z" * MAX_CHARS]), max_size=9)))
)
def test_each_gets_the_results_of_its_texts_in_order(asked: list[tuple[str, list[str]]]) -> None:
    found = asyncio.run(ask_all(RequestBatcher(delay=0), Work(), asked))
    assert found == [[text.upper() for text in texts] for _, texts in asked]


def test_a_call_does_not_grow_without_bound() -> None:
    work, batcher = Work(), RequestBatcher()
    asyncio.run(ask_all(batcher, work, [("a", ["x"] * MAX_TEXTS) for _ in range(3)]))
    assert [len(texts) for texts in work.calls] == [MAX_TEXTS] * 3
    work.calls.clear()
    asyncio.run(ask_all(RequestBatcher(), work, [("a", ["x" * 2000] * 20)]))
    assert [len(texts) for texts in work.calls] == [4] * 5


@pytest.mark.parametrize("key", ["large", "small"])
def test_a_large_request_does_not_keep_a_small_one_waiting(key: str) -> None:
    async def both() -> int:
        work, batcher = Work(), RequestBatcher()
        large = asyncio.create_task(batcher.submit("large", ["x" * MAX_CHARS] * 1000, work))
        while not work.calls:
            await asyncio.sleep(0)
        assert await batcher.submit(key, ["y"], work) == ["Y"]
        calls = len(work.calls)
        assert len(await large) == 1000
        assert max(len(call) for call in work.calls) <= 2
        return calls

    assert asyncio.run(both()) <= 4


def test_what_nobody_waits_for_any_more_is_not_detected() -> None:
    async def gone() -> int:
        work, batcher = Work(), RequestBatcher()
        large = asyncio.create_task(batcher.submit("a", ["x" * MAX_CHARS] * 1000, work))
        while not work.calls:
            await asyncio.sleep(0)
        large.cancel()
        assert await batcher.submit("a", ["y"], work) == ["Y"]
        await asyncio.sleep(0.05)
        return len(work.calls)

    assert asyncio.run(gone()) <= 3


def test_an_error_reaches_everyone_in_the_call_and_nobody_else() -> None:
    work, batcher = Work(), RequestBatcher()
    found = asyncio.run(ask_all(batcher, work, [("a", ["x"]), ("a", ["fault"]), ("b", ["y"])]))
    assert [type(one) for one in found] == [ValueError, ValueError, list]


def test_one_that_gives_up_does_not_disturb_the_others() -> None:
    async def both() -> Any:
        work, batcher = Work(), RequestBatcher()
        gone, stays = (asyncio.create_task(batcher.submit("a", [text], work)) for text in ("x", "y"))
        await asyncio.sleep(0)
        gone.cancel()
        with pytest.raises(asyncio.CancelledError):
            await gone
        return await stays

    assert asyncio.run(both()) == ["Y"]

"""Texts of many requests, detected turn by turn: small requests share a call and do not wait for a large one."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Callable, Hashable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from fewaspect.studio.monitoring import Metrics

DELAY = 0.005  # seconds in which requests that arrive together are collected
MAX_TEXTS = 256  # in one call
MAX_CHARS = 8_000  # in one call, but for a longer text: a fraction of a second

Work = Callable[[list[str]], Sequence[Any]]  # texts -> one result for each


class _Request:
    def __init__(self, texts: Sequence[str], work: Work) -> None:
        self.texts, self.work, self.results = list(texts), work, list[Any]()
        self.answer: asyncio.Future[list[Any]] = asyncio.get_running_loop().create_future()

    def add(self, results: Sequence[Any]) -> None:
        self.results += results
        if len(self.results) == len(self.texts) and not self.answer.done():
            self.answer.set_result(self.results)

    def fail(self, error: Exception) -> None:
        if not self.answer.done():
            self.answer.set_exception(error)


class RequestBatcher:
    """Requests with one key share calls of `work`; keys take turns, and within a key requests do, text by text."""

    def __init__(self, metrics: Metrics | None = None, delay: float = DELAY) -> None:
        self.delay, self.metrics = delay, metrics
        self._waiting: OrderedDict[Hashable, list[_Request]] = OrderedDict()  # the next key first
        self._pool = ThreadPoolExecutor(1, thread_name_prefix="detecting")  # the encoder has workers of its own
        self._turns: asyncio.Task[None] | None = None

    async def submit(self, key: Hashable, texts: Sequence[str], work: Work) -> list[Any]:
        """A result for each text; once the caller is cancelled, no more of its texts are detected."""
        if not texts:
            return []
        request = _Request(texts, work)
        self._waiting.setdefault(key, []).append(request)
        if self._turns is None or self._turns.done():
            self._turns = asyncio.create_task(self._take_turns())
        return await request.answer

    def stop(self) -> None:
        self._pool.shutdown(wait=False, cancel_futures=True)

    async def _take_turns(self) -> None:
        await asyncio.sleep(self.delay)
        while self._waiting:
            key, requests = self._waiting.popitem(last=False)
            served, later = _share([request for request in requests if not request.answer.done()])
            await self._serve(served)
            left = later + [request for request, _ in served if not request.answer.done()]
            if left := left + self._waiting.pop(key, []):
                self._waiting[key] = left

    async def _serve(self, served: Sequence[tuple[_Request, list[str]]]) -> None:
        texts = [text for _, own in served for text in own]
        if not texts:
            return
        if self.metrics:
            self.metrics.batch(len(served), len(texts))
        try:
            work = served[0][0].work
            results = iter(await asyncio.get_running_loop().run_in_executor(self._pool, work, texts))
            for request, own in served:
                request.add([next(results) for _ in own])
        except Exception as error:
            for request, _ in served:
                request.fail(error)


def _share(requests: Sequence[_Request]) -> tuple[list[tuple[_Request, list[str]]], list[_Request]]:
    """The texts of one call, from each request as many; and the requests that have none in it."""
    counts, chars = [0] * len(requests), 0
    open_requests = list(range(len(requests)))
    while open_requests and chars < MAX_CHARS and sum(counts) < MAX_TEXTS:
        number = open_requests.pop(0)
        texts, place = requests[number].texts, len(requests[number].results) + counts[number]
        counts[number], chars = counts[number] + 1, chars + len(texts[place])
        if place + 1 < len(texts):
            open_requests.append(number)
    served = [(r, r.texts[len(r.results) : len(r.results) + n]) for r, n in zip(requests, counts, strict=True) if n]
    return served, [request for request, n in zip(requests, counts, strict=True) if not n]

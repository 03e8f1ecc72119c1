"""Requests that arrive together are answered by one call: a batch costs little more than one text."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Hashable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any

from fewaspect.studio.monitoring import Metrics

WAIT = 0.005  # seconds for others to join
MOST = 512  # texts in one call, unless one request has more

Work = Callable[[list[str]], tuple[Any, Sequence[Any]]]  # texts -> what all share, and one result for each


@dataclass
class _Batch:
    texts: list[str] = field(default_factory=list)
    asked: list[tuple[int, int, asyncio.Future[Any]]] = field(default_factory=list)


class Batcher:
    """One open batch for each key; what has the same key is answered by the work of the first to come."""

    def __init__(self, metrics: Metrics | None = None, wait: float = WAIT) -> None:
        self.wait, self.metrics = wait, metrics
        self._open: dict[Hashable, _Batch] = {}
        self._pool = ThreadPoolExecutor(1, thread_name_prefix="detecting")  # the encoder has workers of its own
        self._tasks: set[asyncio.Task[None]] = set()

    async def ask(self, key: Hashable, texts: Sequence[str], work: Work) -> tuple[Any, Sequence[Any]]:
        batch = self._open.get(key)
        if batch is None or len(batch.texts) + len(texts) > MOST:
            batch = self._open[key] = _Batch()
            task = asyncio.create_task(self._answer(key, batch, work))
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)
        future: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        batch.asked.append((len(batch.texts), len(texts), future))
        batch.texts += texts
        return await future

    def stop(self) -> None:
        self._pool.shutdown(wait=False, cancel_futures=True)

    async def _answer(self, key: Hashable, batch: _Batch, work: Work) -> None:
        await asyncio.sleep(self.wait)
        if self._open.get(key) is batch:
            del self._open[key]
        if self.metrics:
            self.metrics.batch(len(batch.asked), len(batch.texts))
        try:
            shared, results = await asyncio.get_running_loop().run_in_executor(self._pool, work, batch.texts)
        except Exception as error:
            for _, _, future in batch.asked:
                if not future.done():
                    future.set_exception(error)
            return
        for first, count, future in batch.asked:
            if not future.done():  # its request may have gone
                future.set_result((shared, results[first : first + count]))

"""Requests that arrive together are answered by one call of the detector."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Hashable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any

from fewaspect.studio.monitoring import Metrics

DELAY = 0.005  # seconds for which a batch is open
MAX_TEXTS = 512  # in one call, unless one request has more

Work = Callable[[list[str]], tuple[Any, Sequence[Any]]]  # texts -> what all results share, and one result for each


@dataclass
class _Batch:
    texts: list[str] = field(default_factory=list)
    requests: list[tuple[int, int, asyncio.Future[Any]]] = field(default_factory=list)


class RequestBatcher:
    """One open batch for each key, answered by the `work` of its first request."""

    def __init__(self, metrics: Metrics | None = None, delay: float = DELAY) -> None:
        self.delay, self.metrics = delay, metrics
        self._open: dict[Hashable, _Batch] = {}
        self._pool = ThreadPoolExecutor(1, thread_name_prefix="detecting")  # the encoder has workers of its own
        self._tasks: set[asyncio.Task[None]] = set()

    async def submit(self, key: Hashable, texts: Sequence[str], work: Work) -> tuple[Any, Sequence[Any]]:
        batch = self._open.get(key)
        if batch is None or len(batch.texts) + len(texts) > MAX_TEXTS:
            batch = self._open[key] = _Batch()
            task = asyncio.create_task(self._answer(key, batch, work))
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)
        future: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        batch.requests.append((len(batch.texts), len(texts), future))
        batch.texts += texts
        return await future

    def stop(self) -> None:
        self._pool.shutdown(wait=False, cancel_futures=True)

    async def _answer(self, key: Hashable, batch: _Batch, work: Work) -> None:
        await asyncio.sleep(self.delay)
        if self._open.get(key) is batch:
            del self._open[key]
        if self.metrics:
            self.metrics.batch(len(batch.requests), len(batch.texts))
        try:
            shared, results = await asyncio.get_running_loop().run_in_executor(self._pool, work, batch.texts)
        except Exception as error:
            for _, _, future in batch.requests:
                if not future.done():
                    future.set_exception(error)
            return
        for first, count, future in batch.requests:
            if not future.done():  # its request may have gone
                future.set_result((shared, results[first : first + count]))

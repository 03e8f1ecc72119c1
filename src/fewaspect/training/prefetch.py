"""Prefetching: the next episodes are read, and pinned for a GPU, while the current one is trained on."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Generator, Iterable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TypeVar

import torch

from fewaspect.encoders.packed import PackedStates
from fewaspect.methods.few_shot_model import EpisodeTensors

Loaded = tuple[PackedStates, EpisodeTensors]
T = TypeVar("T")
PREFETCHED = 2


def episodes_on(device: torch.device, load: Callable[[int], Loaded], indices: Iterable[int]) -> Generator[Loaded]:
    """Episodes by index, on the device, in order; copied to a GPU from pinned memory without blocking."""
    to_gpu = device.type == "cuda"

    def pinned(index: int) -> Loaded:
        frozen, episode = load(index)
        return (frozen.pinned(), episode.pinned()) if to_gpu else (frozen, episode)

    for frozen, episode in prefetched(pinned, indices):
        yield frozen.to(device, non_blocking=to_gpu), episode.to(device, non_blocking=to_gpu)


def prefetched(load: Callable[[int], T], indices: Iterable[int], depth: int = PREFETCHED) -> Generator[T]:
    """`load` of each index, in order, started `depth` items before it is requested; errors keep the order too."""
    with ThreadPoolExecutor(1, thread_name_prefix="prefetch") as reader:
        pending: deque[Future[T]] = deque()
        try:
            for index in indices:
                pending.append(reader.submit(load, index))
                if len(pending) > depth:
                    yield pending.popleft().result()
            while pending:
                yield pending.popleft().result()
        finally:
            for future in pending:
                future.cancel()

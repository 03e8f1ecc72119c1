"""The next episodes are read from disk, and copied to where a GPU can fetch them, while the present one is learned."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Generator, Iterable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TypeVar

import torch

from fewaspect.encoders.packed import PackedStates
from fewaspect.methods.model import EpisodeTensors

Loaded = tuple[PackedStates, EpisodeTensors]
T = TypeVar("T")
AHEAD = 2


def episodes_on(device: torch.device, load: Callable[[int], Loaded], indices: Iterable[int]) -> Generator[Loaded]:
    """The episodes of these numbers on the device, in order. To a GPU they go from pinned memory, without waiting."""
    to_gpu = device.type == "cuda"

    def ready(index: int) -> Loaded:
        frozen, episode = load(index)
        return (frozen.pinned(), episode.pinned()) if to_gpu else (frozen, episode)

    for frozen, episode in ahead(ready, indices):
        yield frozen.to(device, non_blocking=to_gpu), episode.to(device, non_blocking=to_gpu)


def ahead(load: Callable[[int], T], indices: Iterable[int], depth: int = AHEAD) -> Generator[T]:
    """`load` of each index in order, `depth` of them begun before they are asked for; an error comes in its turn."""
    with ThreadPoolExecutor(1, thread_name_prefix="prefetch") as reader:
        begun: deque[Future[T]] = deque()
        try:
            for index in indices:
                begun.append(reader.submit(load, index))
                if len(begun) > depth:
                    yield begun.popleft().result()
            while begun:
                yield begun.popleft().result()
        finally:
            for future in begun:
                future.cancel()

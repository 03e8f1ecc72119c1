"""Time for work on a file from outside: it ends when that is used up, and when the studio stops."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TypeVar

from fewaspect.detector.reviews.source import Source
from fewaspect.errors import DataError
from fewaspect.serving.errors import TooLargeError

T = TypeVar("T")


class Budget:
    """Begins when it is made. A thread cannot be stopped from outside, so the work asks between its steps."""

    def __init__(self, seconds: float, stopping: threading.Event) -> None:
        self.seconds, self.stopping = seconds, stopping
        self.until = time.monotonic() + seconds

    def check(self) -> None:
        if self.stopping.is_set():
            raise DataError("expected to read the whole file, found that the studio stops.")
        if time.monotonic() > self.until:
            raise TooLargeError(f"expected a file that is read in {self.seconds:g} seconds, found that it takes more.")

    def each(self, items: Iterable[T]) -> Iterator[T]:
        """The same, as long as there is time."""
        for item in items:
            self.check()
            yield item


@dataclass(frozen=True)
class TimedSource(Source):
    """A file whose lines come as long as there is time."""

    budget: Budget

    def lines(self, encoding: str) -> Iterator[tuple[int, str]]:
        return self.budget.each(super().lines(encoding))

"""A time budget for reading an uploaded file: it ends when the time is used up, and when the studio stops."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import IO, BinaryIO, TypeVar

from fewaspect.core.errors import DataError
from fewaspect.data.formats.records import LineReader
from fewaspect.reviews.readers.source import Source
from fewaspect.reviews.readers.text_format import TextFormat
from fewaspect.studio.problems import TooLargeError

T = TypeVar("T")


class Budget:
    """Starts when it is made. A thread cannot be stopped from outside, so the work checks between its steps."""

    def __init__(self, seconds: float, stopping: threading.Event) -> None:
        self.seconds, self.stopping = seconds, stopping
        self.deadline = time.monotonic() + seconds

    def check(self) -> None:
        if self.stopping.is_set():
            raise DataError("expected to read the whole file, found that the studio stops.")
        if time.monotonic() > self.deadline:
            raise TooLargeError(f"expected a file that is read in {self.seconds:g} seconds, found that it takes more.")

    def each(self, items: Iterable[T]) -> Iterator[T]:
        """The same items, with a check before each."""
        for item in items:
            self.check()
            yield item


class _TimedFile:
    """A binary file that checks the budget at every line."""

    def __init__(self, file: IO[bytes], budget: Budget) -> None:
        self.file, self.budget = file, budget

    def readline(self, limit: int = -1) -> bytes:
        self.budget.check()
        return self.file.readline(limit)


@dataclass(frozen=True)
class TimedSource(Source):
    """A file that is read as long as there is time."""

    budget: Budget | None = None

    def pieces(self, plain: BinaryIO) -> Iterator[bytes]:
        pieces = super().pieces(plain)
        return pieces if self.budget is None else self.budget.each(pieces)

    def lines(self, plain: BinaryIO, how: TextFormat) -> LineReader:
        lines = super().lines(plain, how)
        if self.budget is not None:
            lines.file = _TimedFile(lines.file, self.budget)
        return lines

    def seconds_left(self) -> float | None:
        return None if self.budget is None else max(0.1, self.budget.deadline - time.monotonic())

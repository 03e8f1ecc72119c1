"""Forking beside threads: a child must not wait for locks of threads that it does not have."""

from __future__ import annotations

import os
import sys
import threading
from types import TracebackType
from typing import TYPE_CHECKING, Any

MOST_SECONDS = 30.0  # that a fork waits for other threads


class NoFork:
    """`with NO_FORK:` around what holds a lock, such as a call of ONNX Runtime or tokenizers. A fork waits until nobody
    is inside, and nobody enters meanwhile. Inside, nobody forks or enters again."""

    def __init__(self) -> None:
        self._begin()
        if hasattr(os, "register_at_fork"):
            os.register_at_fork(before=self._wait, after_in_parent=self._go_on, after_in_child=self._begin)

    def _begin(self) -> None:
        self._changed, self._inside, self._forks = threading.Condition(), 0, 0

    def __enter__(self) -> None:
        with self._changed:
            self._changed.wait_for(lambda: not self._forks)
            self._inside += 1

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        with self._changed:
            self._inside -= 1
            self._changed.notify_all()

    def _wait(self) -> None:
        with self._changed:
            self._forks += 1
            self._changed.wait_for(lambda: not self._inside, MOST_SECONDS)

    def _go_on(self) -> None:
        with self._changed:
            self._forks -= 1
            self._changed.notify_all()


NO_FORK = NoFork()

if TYPE_CHECKING or sys.version_info >= (3, 12):
    from functools import cached_property as cached_property
else:

    class cached_property:  # noqa: N801
        """That of functools without its lock, which all instances share; from Python 3.12 on it has none itself."""

        def __init__(self, function: Any) -> None:
            self.function, self.__doc__ = function, function.__doc__

        def __get__(self, instance: Any, owner: type | None = None) -> Any:
            if instance is None:
                return self
            return instance.__dict__.setdefault(self.function.__name__, self.function(instance))

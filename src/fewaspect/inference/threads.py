"""Numpy's own threads, held back: its products are many and small here, and workers have the cores.

On a busy machine threads that wait for each other at the end of every product take a hundred times as long.
"""

from __future__ import annotations

import threading
from types import TracebackType
from typing import Any


class OneThread:
    """While anyone is inside, products of numpy take one thread; the last to leave gives back what there was before."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._inside = 0
        self._controller: Any = None
        self._held: Any = None

    def __enter__(self) -> None:
        with self._lock:
            if not self._inside:
                if self._controller is None:
                    from threadpoolctl import ThreadpoolController

                    self._controller = ThreadpoolController().select(user_api="blas")
                self._take_over()
                self._held = self._controller.limit(limits=1)
            self._inside += 1

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        with self._lock:
            self._inside -= 1
            if not self._inside:
                self._take_over()
                self._held.restore_original_limits()

    def _take_over(self) -> None:
        """From threadpoolctl 3.8 on only the thread that set a limit first may set another; here any may, in turn."""
        for library in self._controller.lib_controllers:
            if hasattr(library, "clear_controlling_thread"):
                library.clear_controlling_thread(force=True)


ONE_THREAD = OneThread()

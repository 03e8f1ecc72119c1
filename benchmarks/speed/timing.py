"""A stopwatch for the measurements of this folder."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any


def milliseconds(work: Callable[[], Any]) -> float:
    """How long it took."""
    started = time.perf_counter()
    work()
    return 1000 * (time.perf_counter() - started)

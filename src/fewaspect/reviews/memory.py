"""Freed memory back to the system."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from functools import cache


def give_back() -> None:
    """Between chunks: glibc keeps what is freed in ever more pieces (hundreds of megabytes after an hour of batches).

    Elsewhere nothing happens, and nothing is needed.
    """
    if trim := _trim():
        trim(0)


@cache
def _trim() -> Callable[[int], int] | None:
    try:
        return ctypes.CDLL("libc.so.6").malloc_trim
    except (OSError, AttributeError):
        return None

"""A lock between processes that vanishes with the one that holds it: a killed process leaves nothing to clean up."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

_RETRY_SECONDS = 0.05


@contextmanager
def hold_lock(path: Path, *, wait: bool = False) -> Iterator[bool]:
    """Whether this process holds the lock for the length of the block; with `wait`, once the others let it go."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a") as file:
        while not (held := _try_lock(file)) and wait:
            time.sleep(_RETRY_SECONDS)
        yield held


def _try_lock(file: IO[str]) -> bool:
    try:
        if sys.platform == "win32":
            import msvcrt

            msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
        else:
            import fcntl

            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except (BlockingIOError, PermissionError):
        return False
    return True

"""A lock that vanishes with the process that holds it, so that a kill leaves nothing to clean up."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO


@contextmanager
def hold(path: Path) -> Iterator[bool]:
    """Whether this process holds the lock for the length of the block; it does not wait for another one."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a") as file:
        yield _try_lock(file)


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

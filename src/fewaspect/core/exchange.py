"""Two names of a file system exchanged in one step, where the system can do it: Linux and macOS."""

from __future__ import annotations

import ctypes
import os
import sys
from pathlib import Path

_AT_FDCWD, _RENAME_EXCHANGE, _RENAME_SWAP = -100, 2, 2


def exchange(one: Path, other: Path) -> bool:
    """Whether the two have changed places; False, and nothing has happened, where system or disk cannot do it."""
    first, second = os.fsencode(one), os.fsencode(other)
    try:
        library = ctypes.CDLL(None)
        if sys.platform == "darwin":
            return library.renamex_np(first, second, _RENAME_SWAP) == 0
        return library.renameat2(_AT_FDCWD, first, _AT_FDCWD, second, _RENAME_EXCHANGE) == 0
    except (AttributeError, OSError, TypeError):  # no such function; Windows has no library of that name
        return False

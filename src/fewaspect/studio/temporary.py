"""Temporary files of a studio: in one folder, which goes with it, or with the next studio if it was killed."""

from __future__ import annotations

import shutil
import tempfile
from contextlib import ExitStack, suppress
from pathlib import Path

from fewaspect.core.files import hold_lock
from fewaspect.studio.problems import BusyError

PREFIX, LOCK = "fewaspect-studio-", "lock"


class TemporaryFolder:
    """Held by a lock, so that others see whether its studio lives."""

    def __init__(self) -> None:
        _remove_left_behind()
        self._lock = ExitStack()
        while True:
            self.path = Path(tempfile.mkdtemp(prefix=PREFIX))
            if self._lock.enter_context(hold_lock(self.path / LOCK)) and (self.path / LOCK).exists():
                break
            self._lock.close()  # a studio that starts has just taken it for one that was left behind

    def refuse_beyond(self, most_bytes: int) -> None:
        """If files that wait take up so much."""
        taken = 0
        for path in self.path.rglob("*"):
            with suppress(OSError):  # one that has just been read is gone
                taken += path.stat().st_size
        if taken > most_bytes:
            raise BusyError("expected room for another file, found that those of other imports are still being read.")

    def close(self) -> None:
        self._lock.close()
        shutil.rmtree(self.path, ignore_errors=True)


def _remove_left_behind() -> None:
    """By studios that were killed."""
    for path in Path(tempfile.gettempdir()).glob(f"{PREFIX}*"):
        with suppress(OSError), hold_lock(path / LOCK) as left_behind:  # another user's cannot be opened
            if left_behind:
                shutil.rmtree(path, ignore_errors=True)

"""Lines of binary files that do not end in the byte 0x0A: UTF-16, and the carriage returns of old Macintosh files."""

from __future__ import annotations

from typing import IO

PIECE = 1 << 16
WIDE = ("utf-16-le", "utf-16-be")


class TerminatedLines:
    """A binary file, read by lines that end in `end` at a multiple of its length; offsets are those of the file."""

    def __init__(self, file: IO[bytes], end: bytes) -> None:
        self.file, self.end = file, end
        self._read = getattr(file, "read1", file.read)  # of a pipe, what is there
        self._held = bytearray()

    def readline(self, limit: int) -> bytes:
        """At most `limit` bytes or one more, so that characters of two bytes stay whole; empty at the end."""
        width, searched = len(self.end), 0
        limit += limit % width
        while (stop := self._find(searched)) < 0 and len(self._held) < limit:
            searched = max(0, len(self._held) - width + 1)
            if not (piece := self._read(PIECE)):
                break
            self._held += piece
        size = min(limit, len(self._held) if stop < 0 else stop + width)
        line = bytes(self._held[:size])
        del self._held[:size]
        return line

    def seek(self, offset: int) -> int:
        self._held.clear()
        return self.file.seek(offset)

    def _find(self, start: int) -> int:
        stop = self._held.find(self.end, start)
        while stop >= 0 and stop % len(self.end):
            stop = self._held.find(self.end, stop + 1)
        return stop

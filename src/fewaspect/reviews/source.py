"""Where reviews come from: a file, a pipe or standard input, gzip-compressed or not."""

from __future__ import annotations

import gzip
import io
import sys
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, cast

from fewaspect.data.formats.lines import decoded_lines, refuse_other_kinds
from fewaspect.data.formats.places import Place
from fewaspect.reviews.formats import STANDARD

_GZIP = b"\x1f\x8b"


@dataclass(frozen=True)
class Source:
    """The name of a file, or "-" for standard input."""

    name: str

    @property
    def place(self) -> Place:
        return Place("standard input" if self.name == STANDARD else self.name)

    @property
    def rereadable(self) -> bool:
        """Whether it can be read twice: a file can, a pipe cannot."""
        return self.name != STANDARD and Path(self.name).is_file()

    def is_file(self, path: Path) -> bool:
        """Whether this is the file at `path`, by whatever name."""
        return self.rereadable and path.exists() and path.samefile(self.name)

    def lines(self, encoding: str) -> Iterator[tuple[int, str]]:
        """Decoded lines numbered from 1, with their line ends."""
        with self.opened() as raw:
            file = _peekable(raw)
            compressed = file.peek(2).startswith(_GZIP)
            if compressed:
                file = _peekable(cast(BinaryIO, gzip.GzipFile(fileobj=file)))
            try:
                refuse_other_kinds(file.peek(4)[:4], self.place)
                yield from decoded_lines(cast(BinaryIO, file), self.place, encoding)
            except (gzip.BadGzipFile, zlib.error, EOFError) as error:
                raise self.place.error(f"expected gzip-compressed text, found damaged data ({error}).") from None

    @contextmanager
    def opened(self) -> Iterator[BinaryIO]:
        """The source in binary; a folder or a missing file is refused by name."""
        if self.name == STANDARD:
            if sys.stdin is None:
                raise self.place.error("expected reviews, found it closed.", "Pipe the reviews in, or name a file.")
            yield sys.stdin.buffer
            return
        path = Path(self.name)
        if path.is_dir():
            raise self.place.error("expected a file with reviews, found a directory.", "Name one of the files in it.")
        try:
            file = path.open("rb")
        except FileNotFoundError:
            raise self.place.error("expected a file with reviews, found nothing of that name.") from None
        except (OSError, ValueError) as error:  # ValueError: a NUL in the path
            raise self.place.error(f"cannot be opened ({error}).") from None
        with file:
            yield file


def _peekable(file: BinaryIO) -> io.BufferedReader:
    return cast(io.BufferedReader, file if hasattr(file, "peek") else io.BufferedReader(cast(io.RawIOBase, file)))

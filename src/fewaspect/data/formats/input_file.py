"""Opening a file of labelled sentences; everything else than a regular, non-empty file is refused by name."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from fewaspect.data.formats.places import Place
from fewaspect.data.formats.records import LineReader, other_kind

FILE_LIMIT = 64 * 2**20  # bytes of a file that is read whole; FewAsp's largest split has a tenth of this


@contextmanager
def opened(path: Path) -> Iterator[BinaryIO]:
    """A regular, readable, non-empty file in binary."""
    place = Place(path)
    if path.is_dir():
        raise place.error("expected a file, found a directory.", "Name one of the files in it.")
    if path.exists() and not path.is_file():
        raise place.error("expected a regular file, found a device or pipe.", "Save its content to a file first.")
    try:
        file = path.open("rb")
    except FileNotFoundError:
        raise place.error("expected a file, found nothing of that name.", "Check the path.") from None
    except (OSError, ValueError) as error:  # ValueError: a NUL in the path
        raise place.error(f"cannot be opened ({error}).") from None
    with file:
        if not file.peek(1):
            raise place.error("expected labelled sentences, found an empty file.")
        yield file


@contextmanager
def opened_text(path: Path) -> Iterator[BinaryIO]:
    """As `opened`, for text formats: a file that begins like another kind of file is named for what it is."""
    with opened(path) as file:
        start = file.read(4)
        file.seek(0)
        if error := other_kind(start, Place(path)):
            raise error
        yield file


def read_whole(path: Path, kind: str, encoding: str = "utf-8") -> str:
    """The text of a file of that kind, which is not read by lines and therefore must not be large."""
    with opened_text(path) as file:
        if (size := path.stat().st_size) > FILE_LIMIT:
            raise Place(path).error(
                f"expected {kind} of at most {FILE_LIMIT >> 20} MB, found {size >> 20} MB; it was not read.",
                "Write one JSON object per sentence and line instead.",
            )
        return "".join(LineReader(file, Place(path), encoding, limit=FILE_LIMIT))

"""Opening files of unknown origin: lines of bounded length, decoded, with the place of every fault."""

from __future__ import annotations

import codecs
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from fewaspect.core.errors import DataError
from fewaspect.data.formats.places import Place, quoted

LINE_LIMIT = 10 * 2**20  # bytes; no sentence is that long, and a longer line is never read to its end
_MAGIC = {
    codecs.BOM_UTF32_LE: ("a UTF-32 file", "Convert it to UTF-8 first."),
    codecs.BOM_UTF32_BE: ("a UTF-32 file", "Convert it to UTF-8 first."),
    codecs.BOM_UTF16_LE: ("a UTF-16 file", "Convert it first: iconv -f UTF-16 -t UTF-8 IN > OUT."),
    codecs.BOM_UTF16_BE: ("a UTF-16 file", "Convert it first: iconv -f UTF-16 -t UTF-8 IN > OUT."),
    b"\x1f\x8b": ("gzip-compressed data", "Decompress it first."),
    b"PK\x03\x04": ("a zip archive or an office document", "Unpack it, or export it as CSV in UTF-8."),
    b"PAR1": ("a Parquet file", "Read it with --from parquet, or give it the extension .parquet."),
}


@contextmanager
def opened(path: Path) -> Iterator[BinaryIO]:
    """A regular, readable, non-empty file in binary; everything else is refused by name."""
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
        refuse_other_kinds(start, Place(path))
        yield file


def refuse_other_kinds(start: bytes, place: Place) -> None:
    """The first bytes of what should be text must not be those of another kind of file."""
    for magic, (kind, remedy) in _MAGIC.items():
        if start.startswith(magic):
            raise place.error(f"expected text in UTF-8, found {kind}.", remedy)


def read_lines(path: Path, encoding: str, limit: int = LINE_LIMIT) -> Iterator[tuple[int, str]]:
    """Lines numbered from 1 with their line ends, a UTF-8 byte order mark removed."""
    with opened_text(path) as file:
        yield from decoded_lines(file, Place(path), encoding, limit)


def decoded_lines(file: BinaryIO, source: Place, encoding: str, limit: int = LINE_LIMIT) -> Iterator[tuple[int, str]]:
    """As `read_lines`, for a file or pipe that is open already."""
    codec = _encoding(source, encoding)
    number = 0
    while raw := file.readline(limit + 1):
        number += 1
        place = source.line(number)
        if len(raw) > limit:
            raise too_long(place, "a line", limit)
        yield number, _decoded(raw.removeprefix(codecs.BOM_UTF8) if number == 1 else raw, codec, place)


def too_long(place: Place, unit: str, limit: int = LINE_LIMIT) -> DataError:
    return place.error(
        f"expected {unit} of at most {limit >> 20} MB, found a longer one; the rest was not read.",
        "Check that the file is what it should be, with one sentence per record.",
    )


def _decoded(raw: bytes, encoding: str, place: Place) -> str:
    """The bytes as text; a NUL or a byte that the encoding does not know is reported with its position."""
    if (nul := raw.find(b"\0")) >= 0:
        raise place.error(
            f"expected text, found a NUL byte at byte {nul + 1}: a binary or UTF-16 file.",
            "Check that the file is what it should be; save text as UTF-8.",
        )
    try:
        return raw.decode(encoding)
    except UnicodeDecodeError as error:
        raise place.error(
            f"expected text in {encoding}, found the invalid byte 0x{raw[error.start]:02x} at byte {error.start + 1}.",
            "Save the file as UTF-8, or name its encoding, for example --encoding cp1252.",
        ) from None
    except UnicodeError as error:  # codecs that give no position
        raise place.error(f"expected text in {encoding}, found bytes that are not ({error}).") from None


def _encoding(place: Place, name: str) -> str:
    """A codec that reads line by line: ASCII-compatible, so that a line ends at the byte 0x0A."""
    try:
        known = codecs.lookup(name).name
        by_line = "\n".encode(known) == b"\n" and "{".encode(known) == b"{"
    except (LookupError, ValueError, UnicodeError):
        raise place.error(
            f"expected a known text encoding, found {quoted(name)}.", "Use utf-8, cp1252, latin-1, gb18030 or the like."
        ) from None
    if known == "utf-8-sig":
        return "utf-8"
    if not by_line:
        raise place.error(f"the encoding {known} cannot be read line by line.", "Convert the file to UTF-8.")
    return known

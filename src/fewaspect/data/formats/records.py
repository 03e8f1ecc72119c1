"""Files of unknown origin, opened and read as records: lines, table rows, JSON objects, each with place and fault."""

from __future__ import annotations

import codecs
import csv
import gzip
import json
import zlib
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import IO, Any, BinaryIO, NamedTuple

from fewaspect.core.errors import DataError
from fewaspect.data.formats.line_ends import WIDE, TerminatedLines

LINE_LIMIT = 10 * 2**20  # bytes; no sentence is that long, and a longer line is never read to its end
FILE_LIMIT = 64 * 2**20  # bytes of a file that is read whole; FewAsp's largest split has a tenth of this
AS_CSV = "In Excel: File, Save As, CSV UTF-8."
_MAGIC = {
    codecs.BOM_UTF32_LE: ("a UTF-32 file", "Save it as UTF-8 first."),
    codecs.BOM_UTF32_BE: ("a UTF-32 file", "Save it as UTF-8 first."),
    codecs.BOM_UTF16_LE: ("a UTF-16 file", "Name its encoding with --encoding utf-16."),
    codecs.BOM_UTF16_BE: ("a UTF-16 file", "Name its encoding with --encoding utf-16."),
    b"\x1f\x8b": ("gzip-compressed data", "Decompress it first."),
    b"PK\x03\x04": ("a zip archive or an office document", f"Unpack it. {AS_CSV}"),
    b"PAR1": ("a Parquet file", "Read it with --from parquet, or give it the extension .parquet."),
}
SEPARATORS = {",": "commas", ";": "semicolons", "\t": "tabs", "|": "vertical bars"}
_SHOWN = 60  # characters of a value in a message


@dataclass(frozen=True, slots=True)
class Place:
    """A file and, where known, the line (or row, or entry) in it."""

    path: Path | str
    spot: str = ""

    def at(self, spot: str) -> Place:
        return replace(self, spot=spot)

    def line(self, number: int) -> Place:
        return Place(self.path, f"line {number}")  # once per record: `replace` takes longer

    def __str__(self) -> str:
        return printable(f"{self.path}, {self.spot}" if self.spot else f"{self.path}")

    def error(self, problem: str, remedy: str = "") -> DataError:
        """What was expected and found, and in a second line what to do."""
        error = DataError(f"{self}: {problem}" + (f"\n{remedy}" if remedy else ""))
        error.problem = problem
        return error

    def refuse_clash(self, columns: Iterable[str], added: Iterable[str]) -> None:
        """A column of the input is never overwritten."""
        if clash := sorted(set(columns) & set(added)):
            raise self.error(
                f"the column {quoted(clash[0])} is one that the output adds.",
                'Rename it, or put something before the names of the added columns, such as --prefix "found_".',
            )


def shown(value: object) -> str:
    """A value by its JSON kind and, shortened, its content: `the string "food, service"`."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return f"the value {str(value).lower()}"
    if isinstance(value, int | float):
        return f"the number {_short(str(value)) if abs(value) < 1e300 else 'out of range'}"
    if isinstance(value, str):
        return f"the string {quoted(value)}"
    if isinstance(value, list):
        return f"a list of {len(value)}"
    if isinstance(value, dict):
        return "an object"
    return f"a {type(value).__name__}"


def quoted(text: str) -> str:
    """A string in double quotes, shortened, safe to print."""
    return printable(json.dumps(_short(text), ensure_ascii=False))


def printable(text: str) -> str:
    """The text with control characters and lone surrogates written as escapes, so that no terminal obeys them."""
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode("ascii") for c in text)


def _short(text: str) -> str:
    return text if len(text) <= _SHOWN else text[: _SHOWN - 3] + "..."


class Record(NamedTuple):
    """A line's text, a row's cells or a JSON object; with a fault its values mean nothing."""

    line: int  # the one that it begins in, from 1
    end: int  # byte offset behind it
    values: Any
    fault: str = ""


class LineReader:
    """Decoded lines with their line ends; `line` is the number of the last one, `end` the byte offset behind it.

    The first fault is raised; if they are to be collected, it is held in `fault` for the record, and reading goes on.
    """

    def __init__(
        self, file: IO[bytes], source: Place, encoding: str = "utf-8", *, limit: int = LINE_LIMIT,
        collect: bool = False, line_end: str = "\n",
    ) -> None:  # fmt: skip
        self.source, self.limit, self.collect = source, limit, collect
        self.encoding = _line_encoding(source, encoding)
        if self.encoding == "utf-16":  # a byte order mark says which
            is_big = file.peek(2).startswith(codecs.BOM_UTF16_BE)  # type: ignore[attr-defined]
            self.encoding = "utf-16-be" if is_big else "utf-16-le"
        self.line_end = line_end.encode(self.encoding)
        self.file: Any = file if self.line_end == b"\n" else TerminatedLines(file, self.line_end)
        self.line = self.end = 0
        self.fault = ""

    def __iter__(self) -> Iterator[str]:
        while raw := self._read():
            self.line += 1
            if self.line == 1:
                if not self._is_wide and (kind := other_kind(raw, self.source)):
                    self.refuse(kind)
                raw = raw.removeprefix("\ufeff".encode(self.encoding if self._is_wide else "utf-8"))
            if len(raw) > self.limit:
                self.refuse(too_long(self.place, "a line", self.limit))
                while not raw.endswith(self.line_end) and (raw := self._read()):
                    pass
                raw = self.line_end
            yield self._decoded(raw)

    @property
    def place(self) -> Place:
        return self.source.line(self.line)

    @property
    def _is_wide(self) -> bool:
        return self.encoding in WIDE

    def seek(self, offset: int, line: int) -> None:
        """Go on at a byte offset, behind the line of that number."""
        self.file.seek(offset)
        self.end, self.line = offset, line

    def refuse(self, error: DataError) -> None:
        if not self.collect:
            raise error from None
        self.fault = self.fault or error.problem.removesuffix(".")

    def take_fault(self) -> str:
        """The fault of the record that ends here, which is then cleared."""
        fault, self.fault = self.fault, ""
        return fault

    def _read(self) -> bytes:
        try:
            raw = self.file.readline(self.limit + 1)
        except (gzip.BadGzipFile, zlib.error, EOFError) as error:
            raise self.source.error(f"expected gzip-compressed text, found damaged data ({error}).") from None
        self.end += len(raw)
        return raw

    def _decoded(self, raw: bytes) -> str:
        """The bytes as text; a NUL or a byte that the encoding does not know is reported with its position."""
        nul = "\0".encode(self.encoding)
        if nul in raw and (at := _aligned(raw, nul)) >= 0:
            problem = f"expected text, found a NUL byte at byte {at + 1}: a binary or UTF-16 file."
            remedy = f"Check that the file is what it should be; save text as UTF-8. {AS_CSV}"
            self.refuse(self.place.error(problem, remedy))
            raw = raw.decode(self.encoding, errors="replace").replace("\0", "").encode(self.encoding, errors="replace")
        try:
            return raw.decode(self.encoding)
        except UnicodeDecodeError as error:
            found = f"the invalid byte 0x{raw[error.start]:02x} at byte {error.start + 1}"
        except UnicodeError as error:  # codecs that give no position
            found = f"bytes that are not ({error})"
        remedy = f"Save the file as UTF-8. {AS_CSV} Or name its encoding, for example --encoding cp1252."
        self.refuse(self.place.error(f"expected text in {self.encoding}, found {found}.", remedy))
        return raw.decode(self.encoding, errors="replace")


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


def table_rows(lines: LineReader, delimiter: str, width: int = 0) -> Iterator[Record]:
    """Rows that are not blank, all of `width` cells, or as many as the first; quotes as in RFC 4180."""
    csv.field_size_limit(max(csv.field_size_limit(), LINE_LIMIT))  # by itself Python refuses a long review
    reader = csv.reader(lines, delimiter=delimiter, strict=True)
    separators = SEPARATORS[delimiter]
    while True:
        row, line = [], lines.line + 1
        try:
            row = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            problem = f"expected cells separated by {separators}, found a row that is not ({error})."
            remedy = "Close every quote, double the quotes inside a quoted cell, and end lines with a line feed."
            lines.refuse(lines.source.line(line).error(problem, remedy))
        if row and len(row) != (width := width or len(row)):
            problem = f"expected {width} cells as in the header, found {len(row)}."
            remedy = f"Put cells that contain {separators}, quotes or line ends in double quotes."
            lines.refuse(lines.source.line(line).error(problem, remedy))
        if row or lines.fault:
            yield Record(line, lines.end, row, lines.take_fault())


def json_objects(lines: LineReader, *, unicode_only: bool = False) -> Iterator[Record]:
    """One object per line that is not blank; `unicode_only` refuses half a surrogate pair in any of its fields."""
    for text in lines:
        values: Any = None
        try:
            if text.strip() and not lines.fault:
                values = _json_object(text, lines.place, unicode_only)
        except DataError as error:
            lines.refuse(error)
        if values is not None or lines.fault:
            yield Record(lines.line, lines.end, values, lines.take_fault())


def parse_json(
    text: str, place: Place, remedy: str = "Correct the line, or name the file's true format with --from.", **hooks: Any
) -> Any:
    """JSON or a DataError with line and column."""
    try:
        return json.loads(text, **hooks)
    except json.JSONDecodeError as error:
        raise _json_error(text, error, place, remedy) from None
    except (ValueError, RecursionError) as error:  # a number of thousands of digits; brackets thousands deep
        raise place.error(f"expected a simple JSON object, found one that cannot be read ({error}).") from None


def table_writer(file: IO[Any], delimiter: str) -> Any:
    """A csv.writer whose rows end in a line feed, as the lines of all other files do."""
    return csv.writer(_LineFeeds(file), delimiter=delimiter)


def join_names(place: Place, names: Sequence[str], separator: str, joint: str) -> str:
    """Aspect names as one string; a name that contains the separator could not be split off again and is refused."""
    for name in names:
        if separator in name:
            raise place.error(
                f"the aspect {quoted(name)} contains {quoted(separator)}, which separates names in this format.",
                "Rename the aspect, or write jsonl or parquet, which keep names in a list.",
            )
    return joint.join(names)


def other_kind(start: bytes, place: Place) -> DataError | None:
    """What to raise if something that should be text begins with the bytes of another kind of file."""
    for magic, (kind, remedy) in _MAGIC.items():
        if start.startswith(magic):
            return place.error(f"expected text in UTF-8, found {kind}.", remedy)
    return None


def too_long(place: Place, unit: str, limit: int = LINE_LIMIT) -> DataError:
    return place.error(
        f"expected {unit} of at most {limit >> 20} MB, found a longer one; the rest was not read.",
        "Check that the file is what it should be, with one sentence per record.",
    )


def _aligned(raw: bytes, character: bytes) -> int:
    """Where a character begins, -1 if nowhere; its bytes may also be parts of two others."""
    at = raw.find(character)
    while at % len(character) and at >= 0:
        at = raw.find(character, at + 1)
    return at


class _LineFeeds:
    """Rows come with "\\r\\n" at the end: only then does every Python quote both characters in a cell."""

    def __init__(self, file: IO[Any]) -> None:
        self.file = file

    def write(self, row: str) -> int:
        return self.file.write(row.removesuffix("\r\n") + "\n")


def _line_encoding(place: Place, name: str) -> str:
    """A codec that reads line by line: UTF-16, or ASCII-compatible, so that a line ends at one byte."""
    try:
        known = codecs.lookup(name).name
        by_line = "\n".encode(known) == b"\n" and "{".encode(known) == b"{"
    except (LookupError, ValueError, UnicodeError):
        raise place.error(
            f"expected a known text encoding, found {quoted(name)}.", "Use utf-8, cp1252, latin-1, gb18030 or the like."
        ) from None
    if known == "utf-8-sig":
        return "utf-8"
    if known == "utf-16" or known in WIDE:
        return known
    if not by_line:
        raise place.error(f"the encoding {known} cannot be read line by line.", f"Save the file as UTF-8. {AS_CSV}")
    return known


def _json_object(text: str, place: Place, unicode_only: bool) -> dict[str, Any]:
    values = parse_json(text, place)
    if not isinstance(values, dict):
        raise place.error(f"expected a JSON object, found {shown(values)}.", "Write one object per line.")
    if unicode_only and "\\ud" in text.lower():
        _refuse_half_pairs(values, place)
    return values


def _refuse_half_pairs(values: dict[str, Any], place: Place) -> None:
    """JSON can escape one half of a surrogate pair, which no file can hold as text."""
    for name, value in values.items():
        try:
            json.dumps((name, value), ensure_ascii=False).encode("utf-8")
        except UnicodeEncodeError:
            raise place.error(
                f"{quoted(name)} must be Unicode text, found half of a surrogate pair in it.",
                "Write the character itself or both halves of its escape.",
            ) from None


def _json_error(text: str, error: json.JSONDecodeError, place: Place, remedy: str) -> DataError:
    """Where it is wrong, or where it breaks off, which is not where the decoder began to miss something."""
    lines = text.rstrip().split("\n")
    if error.pos >= len(text.rstrip()) or error.msg.startswith("Unterminated string"):
        where, near = place.line(len(lines)), lines[-1][-30:]
        problem = f"a text that breaks off after column {len(lines[-1])}"
    else:
        where, near = place.line(error.lineno), text[max(0, error.pos - 15) : error.pos + 15]
        problem = f"a fault at column {error.colno} ({error.msg})"
    return (place if place.spot else where).error(f"expected valid JSON, found {problem}: {quoted(near)}.", remedy)

"""How a text file is written: its encoding, what separates the cells of a table, what ends a line: named or found."""

from __future__ import annotations

import codecs
import csv
import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, islice

from fewaspect.core.errors import ConfigError
from fewaspect.data.formats.line_ends import WIDE
from fewaspect.data.formats.records import LINE_LIMIT, SEPARATORS
from fewaspect.reviews.formats import InputFormat

SAMPLE = 1 << 18  # bytes from the beginning that the separator is chosen by
DELIMITERS = {InputFormat.CSV: ",", InputFormat.TSV: "\t"}
NAMES = {"comma": ",", "semicolon": ";", "tab": "\t", "pipe": "|", "\\t": "\t"}
LABELS = {"utf-8": "UTF-8", "utf-16-le": "UTF-16", "utf-16-be": "UTF-16", "cp1252": "Windows-1252"}
WINDOWS = "cp1252"
_ROWS = 200  # of the sample
_BOMS = {codecs.BOM_UTF8: "utf-8", codecs.BOM_UTF16_LE: "utf-16-le", codecs.BOM_UTF16_BE: "utf-16-be"}
_UTF32 = (codecs.BOM_UTF32_LE, codecs.BOM_UTF32_BE)
_MULTIBYTE = re.compile(rb"[\xc2-\xdf][\x80-\xbf]|[\xe0-\xef][\x80-\xbf]{2}|[\xf0-\xf4][\x80-\xbf]{3}")
_HIGH = bytes(range(128, 256))
_NOT_WINDOWS = re.compile(rb"[\x00\x81\x8d\x8f\x90\x9d]")
_SEPARATOR_LINE = re.compile(r'"?sep=(.)"?', re.IGNORECASE)  # Excel's own, above the header


@dataclass(frozen=True)
class TextFormat:
    """An encoding by its codec, a delimiter (of tables), and the character that ends a line."""

    encoding: str = "utf-8"
    delimiter: str = ","
    line_end: str = "\n"

    def described(self, format: InputFormat) -> str:
        """In words: `Windows-1252, cells separated by semicolons`."""
        encoding = LABELS.get(self.encoding, self.encoding)
        return f"{encoding}, cells separated by {SEPARATORS[self.delimiter]}" if format in DELIMITERS else encoding


def parse_delimiter(given: str | None) -> str | None:
    """A character, or its name: comma, semicolon, tab, pipe."""
    if given is None:
        return None
    delimiter = NAMES.get(given.lower(), given)
    if delimiter not in SEPARATORS:
        raise ConfigError(f"--delimiter {given}: expected comma, semicolon, tab or pipe, found another.")
    return delimiter


def detect_text_format(
    pieces: Iterable[bytes], format: InputFormat, encoding: str | None = None, delimiter: str | None = None,
    *, complete: bool = True,
) -> TextFormat:  # fmt: skip
    """From the bytes of a file in pieces, or as much of a pipe as is there; what is named is taken as it is.

    The separator and the line ends are those of the beginning, the encoding that of the whole: a first "é" may be late.
    """
    rest = iter(pieces)
    sample, whole = _sample(rest)
    whole = whole and complete
    codec = encoding if encoding is not None else detect_encoding(sample, rest, complete=complete)
    try:
        text = codecs.decode(sample, codec, "replace").removeprefix("\ufeff")
    except (LookupError, ValueError, TypeError):  # a codec that is none of texts: refused when lines are read
        text = ""
    end = "\r" if "\r" in text[: None if whole else -1] and "\n" not in text else "\n"
    lines = text.split(end)
    if not whole:
        del lines[-1:]
    own = DELIMITERS.get(format, ",")
    found = own if format not in DELIMITERS else delimiter or detect_delimiter(lines, own, whole=whole)
    return TextFormat(codec, found, end)


def detect_encoding(sample: bytes, rest: Iterable[bytes] = (), *, complete: bool = True) -> str:
    """By the byte order mark, else UTF-16 if it reads as such, UTF-8 if it is that, and Windows-1252 if it is not.

    UTF-8 with a few wrong bytes stays UTF-8, which is then refused where they are.
    """
    for mark, name in _BOMS.items():
        if sample.startswith(mark) and not sample.startswith(_UTF32):
            return name
    if b"\0" in sample:
        return _wide_encoding(sample) or "utf-8"
    return _narrow_encoding(chain([sample], rest), complete)


def detect_delimiter(lines: Sequence[str], default: str, *, whole: bool = True) -> str:
    """The separator by which most rows have as many cells as the header, which must have two or more."""
    if lines and (said := _SEPARATOR_LINE.fullmatch(lines[0].strip())) and said[1] in SEPARATORS:
        return said[1]
    shares = {one: _share_of_equal_rows(lines, one, whole) for one in (default, *SEPARATORS)}
    best = max(shares, key=lambda one: shares[one])  # the first of equals, above all the default
    return best if shares[best] > 0.5 else default


def holds_table(sample: bytes, encoding: str | None = None) -> bool:
    """Whether a text begins as a table with tabs does, as Excel saves it: with headings, each row as wide as these."""
    text = codecs.decode(sample, encoding or detect_encoding(sample), "replace").removeprefix("\ufeff")
    lines = text.splitlines()
    headings = lines[0].split("\t") if len(lines) > 1 else []
    named = all(re.search(r"[^\W\d]", heading) for heading in headings)
    return named and _share_of_equal_rows(lines, "\t", whole=len(sample) < SAMPLE) == 1


def is_separator_line(cells: Sequence[str]) -> bool:
    """Whether a row is what Excel reads as `sep=;`."""
    return len(cells) <= 2 and cells[0].lower().startswith("sep=") and len("".join(cells)) <= 5


def _share_of_equal_rows(lines: Sequence[str], delimiter: str, whole: bool) -> float:
    csv.field_size_limit(max(csv.field_size_limit(), LINE_LIMIT))
    widths: list[int] = []
    reader, broken = csv.reader((line + "\n" for line in lines), delimiter=delimiter, strict=True), 0
    try:
        widths = _widths(reader, widths)
    except csv.Error as error:
        broken = int(whole or "end of data" not in str(error))  # the sample may break off in a quoted cell
    if not widths or widths[0] < 2:
        return 0.0
    return widths.count(widths[0]) / (len(widths) + broken)


def _widths(rows: Iterable[list[str]], widths: list[int]) -> list[int]:
    for row in islice(filter(None, rows), _ROWS):
        widths.append(len(row))
    return widths


def _sample(pieces: Iterator[bytes]) -> tuple[bytes, bool]:
    """The first bytes, and whether they are all there are."""
    held = bytearray()
    for piece in pieces:
        held += piece
        if len(held) >= SAMPLE:
            return bytes(held[: len(held) & ~1]), False
    return bytes(held), True


def _wide_encoding(sample: bytes) -> str | None:
    """UTF-16 in the order by which more of it is ASCII; a NUL in what is else UTF-8 makes it a faulty file."""
    if sample.count(0) < len(sample) / 4 and _decodes(sample, "utf-8"):
        return None
    texts = {name: sample.decode(name, "replace") for name in WIDE}
    best = max(WIDE, key=lambda name: sum(c.isascii() and c != "\0" for c in texts[name]))
    text = texts[best]
    strange = sum(unicodedata.category(c) in ("Cn", "Co", "Cs") or c in "\0\ufffd" for c in text)
    return best if strange <= len(text) / 50 else None


def _decodes(content: bytes, encoding: str) -> bool:
    try:
        codecs.getincrementaldecoder(encoding)().decode(content)
    except UnicodeDecodeError:
        return False
    return True


def _narrow_encoding(pieces: Iterable[bytes], complete: bool) -> str:
    decoder = codecs.getincrementaldecoder("utf-8")()
    valid = wrong = 0  # characters of several bytes; bytes above ASCII that belong to none
    windows = True
    for piece in pieces:
        windows = windows and not _NOT_WINDOWS.search(piece)
        if not wrong:
            try:
                valid += len(piece) - len(decoder.decode(piece))
                continue
            except UnicodeDecodeError:
                pass
        rest, found = _MULTIBYTE.subn(b"", piece)
        valid, wrong = valid + found, wrong + max(1, len(rest) - len(rest.translate(None, _HIGH)))
    if complete and not wrong:
        try:
            decoder.decode(b"", final=True)
        except UnicodeDecodeError:  # ends within a character
            wrong = 1
    return WINDOWS if windows and wrong > valid else "utf-8"

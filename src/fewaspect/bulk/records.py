"""Records of text files one by one, with the place where each ends; a fault in one leaves the others alone.

The same reader divides a file into partitions and reads them, so that both agree where a record begins.
"""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import IO, Any

from fewaspect.data.formats.lines import LINE_LIMIT
from fewaspect.data.formats.places import shown
from fewaspect.data.formats.table import table_reader
from fewaspect.reviews.formats import InputFormat

_BOM = b"\xef\xbb\xbf"
DELIMITERS = {InputFormat.CSV: ",", InputFormat.TSV: "\t"}


@dataclass(frozen=True, slots=True)
class Record:
    """What stands in a line, or in several of a table: its values, or what is wrong with it."""

    line: int
    end: int  # the byte behind it
    values: Any  # a dict from JSON, a list of cells, a string
    fault: str = ""


@dataclass
class Lines:
    """Decoded lines with their number, the byte behind them and their fault, if the last one had any."""

    file: IO[bytes]
    encoding: str
    end: int = 0
    line: int = 0  # the one read last, from 1
    fault: str = field(default="", init=False)

    def __iter__(self) -> Iterator[str]:
        while raw := self.file.readline(LINE_LIMIT):
            self.line += 1
            self.end += len(raw)
            if not raw.endswith(b"\n") and len(raw) == LINE_LIMIT:
                self._skip()
                yield "\n"
                continue
            yield self._decoded(raw.removeprefix(_BOM) if self.end == len(raw) else raw)

    def _skip(self) -> None:
        self.fault = f"expected a line of at most {LINE_LIMIT >> 20} MB, found a longer one"
        while raw := self.file.readline(LINE_LIMIT):
            self.end += len(raw)
            if raw.endswith(b"\n"):
                return

    def _decoded(self, raw: bytes) -> str:
        if b"\0" in raw:
            self.fault = "expected text, found a NUL byte"
            raw = raw.replace(b"\0", b"")  # which no reader of tables takes
        try:
            return raw.decode(self.encoding)
        except UnicodeError:
            self.fault = f"expected text in {self.encoding}, found bytes that are not"
            return raw.decode(self.encoding, errors="replace")


def records(lines: Lines, format: InputFormat) -> Iterator[Record]:
    """All records from where the file stands; blank ones, which only plain text can mean, are left out there alone."""
    if format in DELIMITERS:
        yield from _cells(lines, DELIMITERS[format])
        return
    for text in lines:
        if format is InputFormat.TXT:
            yield Record(lines.line, lines.end, text.rstrip("\r\n"), lines.fault)
        elif text.strip() or lines.fault:
            values, fault = _parsed(text) if not lines.fault else (None, lines.fault)
            yield Record(lines.line, lines.end, values, fault)
        lines.fault = ""


def _parsed(text: str) -> tuple[Any, str]:
    try:
        values = json.loads(text)
        if not isinstance(values, dict):
            return None, f"expected a JSON object, found {shown(values)}"
        if "\\ud" in text.lower():
            json.dumps(values, ensure_ascii=False).encode("utf-8")
        return values, ""
    except UnicodeEncodeError:
        return None, "expected Unicode text, found half of a surrogate pair"
    except json.JSONDecodeError as error:
        return None, f"expected valid JSON, found a fault at column {error.colno} ({error.msg})"
    except (ValueError, RecursionError) as error:
        return None, f"expected a simple JSON object, found one that cannot be read ({error})"


def _cells(lines: Lines, delimiter: str) -> Iterator[Record]:
    """Rows of a table that are not blank; after a fault the next line begins anew."""
    reader = table_reader(iter(lines), delimiter)
    while True:
        first, lines.fault = lines.line + 1, ""
        try:
            row = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            yield Record(first, lines.end, None, lines.fault or f"expected cells, found a row that is not ({error})")
            continue
        if row or lines.fault:
            yield Record(first, lines.end, row, lines.fault)

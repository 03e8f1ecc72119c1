"""Which format a file has, from its extension and, for JSON, its beginning."""

from __future__ import annotations

import re
from pathlib import Path

from fewaspect.core.errors import DataError
from fewaspect.data.format_names import Format
from fewaspect.data.formats.json_lines import FEWASP_TEXT
from fewaspect.data.formats.records import Place, opened_text, quoted

EXTENSIONS = {
    ".jsonl": Format.JSONL,
    ".ndjson": Format.JSONL,
    ".json": Format.FEWASP,
    ".csv": Format.CSV,
    ".tsv": Format.TSV,
    ".tab": Format.TSV,
    ".parquet": Format.PARQUET,
    ".pq": Format.PARQUET,
    ".xml": Format.SEMEVAL,
}
_PEEK = 1 << 16
_GROUPED = re.compile(rb'\s*\{\s*"(?:[^"\\]|\\.)*"\s*:\s*\[\s*\[')  # an object whose first value is a list of lists
_FEWASP = re.compile(rf'"{FEWASP_TEXT}"\s*:'.encode())


def input_format(path: Path, format: Format | str | None = None, text_field: str | None = None) -> Format:
    """The format given, or else that of the extension; JSON is told apart by its first line."""
    if format is not None:
        return _named(path, format)
    chosen = _by_extension(path, "--from")
    if chosen not in (Format.JSONL, Format.FEWASP):
        return chosen
    with opened_text(path) as file:
        start = file.read(_PEEK).removeprefix(b"\xef\xbb\xbf").lstrip()
    if _GROUPED.match(start):
        return Format.FEWASP_GROUPED
    first_line = start.split(b"\n", 1)[0]
    return Format.FEWASP if text_field in (None, FEWASP_TEXT) and _FEWASP.search(first_line) else Format.JSONL


def output_format(path: Path, format: Format | str | None = None) -> Format:
    """The format given, or else that of the extension."""
    return _by_extension(path, "--to") if format is None else _named(path, format)


def _by_extension(path: Path, option: str) -> Format:
    try:
        return EXTENSIONS[path.suffix.lower()]
    except KeyError:
        if path.is_dir():
            raise Place(path).error("expected a file, found a directory.", "Name a file in it.") from None
        found = f"the extension {quoted(path.suffix)}" if path.suffix else "no extension"
        raise Place(path).error(
            f"expected an extension that names a format ({', '.join(EXTENSIONS)}), found {found}.",
            f"Rename the file, or name its format with {option}: {_choices()}.",
        ) from None


def _named(path: Path, format: Format | str) -> Format:
    try:
        return Format(format)
    except ValueError:
        raise DataError(f"{path}: expected one of the formats {_choices()}, found {quoted(str(format))}.") from None


def _choices() -> str:
    return ", ".join(format.value for format in Format)

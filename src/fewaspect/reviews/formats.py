"""The formats of reviews and results by name, apart from their code, so that `--help` need not load it."""

from __future__ import annotations

from enum import Enum
from pathlib import Path
from typing import TypeVar

from fewaspect.core.errors import ConfigError

STANDARD = "-"
"""The name of standard input and standard output."""


class InputFormat(str, Enum):
    """What reviews are read from."""

    TXT = "txt"
    CSV = "csv"
    TSV = "tsv"
    JSONL = "jsonl"
    PARQUET = "parquet"
    XLSX = "xlsx"


class OutputFormat(str, Enum):
    """What results are written as."""

    CSV = "csv"
    TSV = "tsv"
    JSONL = "jsonl"
    PARQUET = "parquet"
    XLSX = "xlsx"
    HTML = "html"


class PipeFormat(str, Enum):
    """What `--format` takes: any of the two."""

    TXT = "txt"
    CSV = "csv"
    TSV = "tsv"
    JSONL = "jsonl"
    PARQUET = "parquet"
    XLSX = "xlsx"
    HTML = "html"


class RowUnit(str, Enum):
    """What a row of results is about."""

    REVIEW = "review"
    SENTENCE = "sentence"


F = TypeVar("F", InputFormat, OutputFormat)
_EXTENSIONS = {
    ".text": "txt", ".tab": "tsv", ".ndjson": "jsonl", ".pq": "parquet", ".xlsm": "xlsx", ".htm": "html",
}  # fmt: skip


def choose_formats(
    source: str,
    target: str | None,
    named: PipeFormat | None = None,
    read_as: InputFormat | None = None,
    write_as: OutputFormat | None = None,
) -> tuple[InputFormat, OutputFormat]:
    """How a source is read and a target written: by own option, else by extension, else as `named`, else txt, jsonl.

    `named` is for what has no extension, above all pipes; if both sides have one, it would mean nothing and is refused.
    """
    if target and target.lower().endswith(".gz"):
        raise ConfigError(f"{target}: expected the name of a plain file, found .gz.\nWrite it first, then compress it.")
    reads = read_as or _member(InputFormat, extension_of(source))
    writes = write_as or (_member(OutputFormat, extension_of(target)) if target else OutputFormat.HTML)
    if named and reads and writes:
        raise ConfigError(
            f"--format {named.value} is for standard input or output, found names with extensions on both sides.\n"
            "Use --from for the format of the reviews and --to for that of the output."
        )
    return (
        reads or _without_extension(source, named, InputFormat.TXT, "--from"),
        writes or _without_extension(target or "", named, OutputFormat.JSONL, "--to"),
    )


def refuse_other_than_page(name: str) -> None:
    """A page does not go into a file that is called something else."""
    if (found := Path(name).suffix.lower()) not in ("", ".html", ".htm"):
        raise ConfigError(
            f"{name}: expected the name of a page, such as report.html, found {found}.\n"
            "Rename it; `fewaspect detect` writes the other formats."
        )


def extension_of(name: str) -> str:
    """ "reviews.tab.gz" is "tsv"."""
    path = Path(name)
    suffix = (path.with_suffix("") if path.suffix.lower() == ".gz" else path).suffix.lower()
    return _EXTENSIONS.get(suffix, suffix.removeprefix("."))


def _member(kind: type[F], value: str) -> F | None:
    return next((format for format in kind if format.value == value), None)


def _without_extension(name: str, named: PipeFormat | None, default: F, option: str) -> F:
    """As named, or for a pipe the default; a file must say its format."""
    if named and (format := _member(type(default), named.value)):
        return format
    if name == STANDARD:
        return default
    raise ConfigError(
        f"{name}: expected an extension that names a format "
        f"({', '.join('.' + format.value for format in type(default))}), found "
        f"{Path(name).suffix or 'none'}.\nRename the file, or name its format with {option}."
    )

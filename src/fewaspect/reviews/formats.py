"""The formats of reviews and results by name, apart from their code, so that `--help` need not load it."""

from __future__ import annotations

from enum import Enum
from pathlib import Path

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


class OutputFormat(str, Enum):
    """What results are written as."""

    CSV = "csv"
    TSV = "tsv"
    JSONL = "jsonl"
    PARQUET = "parquet"
    HTML = "html"


class PipeFormat(str, Enum):
    """What `--format` takes: any of the two."""

    TXT = "txt"
    CSV = "csv"
    TSV = "tsv"
    JSONL = "jsonl"
    PARQUET = "parquet"
    HTML = "html"


_EXTENSIONS = {".text": "txt", ".tab": "tsv", ".ndjson": "jsonl", ".pq": "parquet", ".htm": "html"}


def choose_formats(
    source: str,
    target: str | None,
    named: PipeFormat | None = None,
    read_as: InputFormat | None = None,
    write_as: OutputFormat | None = None,
) -> tuple[InputFormat, OutputFormat]:
    """How a source is read and a target written: as said for it, else by extension, else as `named`, else txt, jsonl.

    `named` is for what has no extension, above all pipes; if both sides have one, it would mean nothing and is refused.
    """
    inputs, outputs = {f.value: f for f in InputFormat}, {f.value: f for f in OutputFormat}
    if target and target.lower().endswith(".gz"):
        raise ConfigError(f"{target}: expected the name of a plain file, found .gz.\nWrite it first, then compress it.")
    reads = read_as or inputs.get(extension_of(source))
    writes = write_as or (outputs.get(extension_of(target)) if target else OutputFormat.HTML)
    if named and reads and writes:
        raise ConfigError(
            f"--format {named.value} is for standard input or output, found names with extensions on both sides.\n"
            "Use --from for the format of the reviews and --to for that of the output."
        )
    other = named.value if named else ""
    if not reads and not (reads := inputs.get(other)):
        reads = _only_in_a_pipe(source, InputFormat.TXT, inputs, "--from")
    if not writes and not (writes := outputs.get(other)):
        writes = _only_in_a_pipe(target or "", OutputFormat.JSONL, outputs, "--to")
    return reads, writes


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


def _only_in_a_pipe(name, default, known, option):  # type: ignore[no-untyped-def]  # two enums, one rule
    if name == STANDARD:
        return default
    raise ConfigError(
        f"{name}: expected an extension that names a format ({', '.join('.' + value for value in known)}), found "
        f"{Path(name).suffix or 'none'}.\nRename the file, or name its format with {option}."
    )

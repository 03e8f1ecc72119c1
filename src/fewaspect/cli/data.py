"""`fewaspect data`: check a file of labelled sentences, convert it to another format."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from fewaspect.cli.options import DataFolder
from fewaspect.data.format_names import Format

if TYPE_CHECKING:
    from rich.table import Table
    from rich.text import Text

    from fewaspect.data.statistics import Statistics

app = typer.Typer(help="Check and convert files of labelled sentences.", no_args_is_help=True)

TextField = Annotated[str | None, typer.Option(help='Field or column of the sentence, if not "text".')]
LabelField = Annotated[str | None, typer.Option(help='Field or column of the aspects, if not "labels".')]
LabelSeparator = Annotated[
    str | None, typer.Option(help='Between aspect names in one string; "," in tables, while JSONL expects a list.')
]
Encoding = Annotated[str, typer.Option(help="Encoding of a text file; XML names its own.")]


@app.command()
def check(
    file: Annotated[Path, typer.Argument(help="JSONL, FewAsp JSON, CSV, TSV, Parquet or SemEval XML.")],
    shot: Annotated[int, typer.Option(min=1, help="K: name the aspects too small for K shots plus the queries.")] = 5,
    queries: Annotated[int, typer.Option(min=0, help="Query sentences an aspect needs beside its shots.")] = 5,
    format: Annotated[
        Format | None, typer.Option("--from", "--format", help="Format of the file, if not by extension.")
    ] = None,
    text_field: TextField = None,
    label_field: LabelField = None,
    label_separator: LabelSeparator = None,
    encoding: Encoding = "utf-8",
    published: Annotated[
        str | None,
        typer.Option(
            "--as",
            metavar="BENCHMARK/SPLIT",
            help="Compare with this published file, such as fewasp-multi/train, and fail if it is another. Without it, "
            "a file with FewAsp's aspects is compared all the same.",
        ),
    ] = None,
    data: DataFolder = None,
    json_out: Annotated[Path | None, typer.Option("--json", help="Write the statistics to this file too.")] = None,
) -> None:
    """Validate a file and print what is in it; of a file of FewAsp also whether it is the published one."""
    from rich.console import Console

    from fewaspect.core.errors import DataError
    from fewaspect.data.formats import read_sentences
    from fewaspect.data.provenance import OTHER, provenance
    from fewaspect.data.statistics import describe

    sentences = read_sentences(
        file, format=format, text_field=text_field, label_field=label_field, label_separator=label_separator,
        encoding=encoding,
    )  # fmt: skip
    statistics = describe(sentences, shot, queries)
    compared = provenance(file, sentences, published, data)
    if json_out:
        told = {"published": compared.as_json()} if compared else {}
        _write_json(json_out, file, {**statistics.as_json(), **told})
    console = Console()
    console.print(_summary(statistics, str(compared) if compared else None))
    if statistics.per_aspect:
        console.print(_aspects(statistics))
    if published and compared and compared.verdict == OTHER:
        raise DataError(
            f"{file}: expected the published {published}, found another file: {'; '.join(compared.findings)}.\n"
            "Get the published file, or leave out --as."
        )


@app.command()
def convert(
    source: Annotated[Path, typer.Argument(metavar="IN", help="File to read.")],
    target: Annotated[Path, typer.Argument(metavar="OUT", help="File to write; .json means FewAsp's line form.")],
    from_format: Annotated[Format | None, typer.Option("--from", help="Format of IN, if not by extension.")] = None,
    to_format: Annotated[Format | None, typer.Option("--to", help="Format of OUT, if not by extension.")] = None,
    text_field: TextField = None,
    label_field: LabelField = None,
    label_separator: LabelSeparator = None,
    encoding: Encoding = "utf-8",
    force: Annotated[bool, typer.Option("--force", help="Replace OUT if it exists.")] = False,
) -> None:
    """Convert a file to another format; OUT is written atomically."""
    from fewaspect.core.errors import DataError
    from fewaspect.data.formats import output_format, read_sentences, write_sentences

    written_as = output_format(target, to_format)
    if target.exists() and not force:
        raise DataError(f"{target}: expected a new file, found an existing one.\nPass --force to replace it.")
    sentences = read_sentences(
        source, format=from_format, text_field=text_field, label_field=label_field, label_separator=label_separator,
        encoding=encoding,
    )  # fmt: skip
    write_sentences(sentences, target, written_as)
    typer.echo(f"{target}: {len(sentences):,} sentences, {len(sentences.classes):,} aspects ({written_as.value})")


def _write_json(out: Path, source: Path, content: dict[str, Any]) -> None:
    from fewaspect.core.errors import DataError
    from fewaspect.core.files import atomic_write

    if out.exists() and out.samefile(source):
        raise DataError(f"{out}: --json names the file that is checked.\nName another file for the statistics.")
    try:
        with atomic_write(out) as file:
            json.dump(content, file, ensure_ascii=False, indent=2)
            file.write("\n")
    except OSError as error:
        raise DataError(f"{out}: cannot be written ({error.strerror}).\nCheck that its folder exists.") from None


def _summary(statistics: Statistics, published: str | None) -> Table:
    from rich.table import Table

    words = statistics.words
    need = statistics.shots + statistics.queries
    distribution = ", ".join(f"{count:,} with {n}" for n, count in statistics.labels_per_sentence.items() if n)
    rows = {
        "sentences": f"{statistics.sentences:,}",
        "aspects": f"{statistics.aspects:,}",
        "labels per sentence": distribution or "no labels",
        "none (no aspect)": f"{statistics.none:,}",
        "words": f"mean {words.mean:.1f}, median {words.median:.0f}, 95 % {words.p95:.0f}, longest {words.max}",
        "duplicate lines": f"{statistics.duplicates:,}, of which {statistics.contradictory:,} with other labels",
        f"too small for {statistics.shots}-shot": f"{len(statistics.too_small)} of {statistics.aspects} aspects "
        f"(fewer than {statistics.shots} + {statistics.queries} = {need} texts)",
        **({"published file": published} if published else {}),
    }
    table = Table(title=_plain(statistics.name), show_header=False)
    table.add_column(style="bold", no_wrap=True)
    table.add_column(overflow="fold")
    for name, value in rows.items():
        table.add_row(name, value)
    return table


def _aspects(statistics: Statistics) -> Table:
    from rich.table import Table

    small = set(statistics.too_small)
    table = Table()
    table.add_column("aspect", overflow="fold")
    table.add_column("sentences", justify="right")
    table.add_column("texts", justify="right")
    table.add_column("")
    for name, count in statistics.per_aspect.items():
        note = "too small" if name in small else ""
        table.add_row(_plain(name), f"{count.sentences:,}", f"{count.texts:,}", note, style="yellow" if note else None)
    return table


def _plain(text: str) -> Text:
    """Text without markup and control characters."""
    from rich.text import Text

    from fewaspect.data.formats.records import printable

    return Text(printable(text))

"""`fewaspect discover`: what the sentences are about that no aspect claims."""

from __future__ import annotations

from contextlib import nullcontext
from pathlib import Path
from typing import IO, TYPE_CHECKING, Annotated

import typer

from fewaspect.cli.review_options import (
    Adapt,
    Column,
    Delimiter,
    Encoding,
    Examples,
    From,
    Model,
    Reviews,
    Sheet,
    detector_and_sentences,
    refuse_labels,
    refuse_own_input,
    review_source,
)
from fewaspect.reviews.formats import choose_formats

if TYPE_CHECKING:
    from rich.table import Table

    from fewaspect.detector.labelling.discover import AspectGroup

SHOWN = 3  # typical sentences in the table; the file has all


def discover(
    reviews: Reviews,
    examples: Examples = None,
    model: Model = None,
    number: Annotated[int, typer.Option("-n", min=1, help="How many groups at most.")] = 10,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", metavar="OUT", help="JSONL: typical sentences, labelled with a group's name."),
    ] = None,
    limit: Annotated[int, typer.Option(min=1, help="Most sentences to read; of more, a fair sample.")] = 5000,
    adapt: Adapt = None,
    read_as: From = None,
    column: Column = None,
    encoding: Encoding = None,
    delimiter: Delimiter = None,
    sheet: Sheet = None,
) -> None:
    """Find groups among the sentences that no aspect claims: aspects that nobody has named."""
    reads, _ = choose_formats(reviews, None, None, read_as)
    if output:
        refuse_own_input(str(output), reviews, examples)
        refuse_labels(output)

    from rich.console import Console

    from fewaspect.core.extras import require
    from fewaspect.core.files import atomic_write

    require("sklearn", "discover", "Discovery")  # said before the work
    source = review_source(reviews, reads, encoding, delimiter, sheet)
    with atomic_write(output) if output else nullcontext() as file:  # a folder that is not there shows before the work
        detector, texts = detector_and_sentences(source, column, limit, examples, model, adapt)
        groups = detector.discover(texts, number)
        if file:
            _write(file, groups)
    if not groups:
        typer.echo(f"{len(texts):,} sentences: no group among those that no aspect claims")
        return
    Console().print(_table(groups))
    if output:
        typer.echo(f"{output}: rename and correct the labels, then add it to EXAMPLES")


def _write(file: IO[str], groups: list[AspectGroup]) -> None:
    from fewaspect.reviews.writers import as_json

    for group in groups:
        for sentence in group.sentences:
            file.write(as_json({"text": sentence.text, "labels": [group.name]}) + "\n")


def _table(groups: list[AspectGroup]) -> Table:
    from rich.table import Table
    from rich.text import Text

    from fewaspect.data.formats.records import printable

    table = Table("not named yet", "sentences", "words", "typical", "would also claim", show_lines=True)
    for group in groups:
        takes = "\n".join(f"{count:,} of {name}" for name, count in group.takes.items())
        typical = "\n".join(sentence.text for sentence in group.sentences[:SHOWN])
        cells = (group.name, f"{group.size:,} ({group.share:.0%})", ", ".join(group.words), typical, takes or "none")
        table.add_row(*(Text("\n".join(map(printable, cell.split("\n")))) for cell in cells))
    return table

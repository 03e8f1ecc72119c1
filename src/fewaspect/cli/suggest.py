"""`fewaspect suggest`: which sentences to label next."""

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

    from fewaspect.detector.labelling.suggest import Suggestion


def suggest(
    reviews: Reviews,
    examples: Examples = None,
    model: Model = None,
    number: Annotated[int, typer.Option("-n", min=1, help="How many sentences.")] = 10,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", metavar="OUT", help="JSONL to correct: each sentence with the aspects found."),
    ] = None,
    skip: Annotated[
        Path | None,
        typer.Option("--skip", metavar="FILE", help="Sentences that are not to be offered: a file as REVIEWS may be."),
    ] = None,
    limit: Annotated[int, typer.Option(min=1, help="Most sentences to score; of more, a fair sample.")] = 5000,
    adapt: Adapt = None,
    read_as: From = None,
    column: Column = None,
    encoding: Encoding = None,
    delimiter: Delimiter = None,
    sheet: Sheet = None,
) -> None:
    """Pick sentences that are worth a label, doubtful, new or typical ones, and say why."""
    reads, _ = choose_formats(reviews, None, None, read_as)
    if output:
        refuse_own_input(str(output), reviews, examples, skip)
        refuse_labels(output)

    from rich.console import Console

    from fewaspect.core.files import atomic_write

    source = review_source(reviews, reads, encoding, delimiter, sheet)
    skipped = [] if skip is None else _skipped(skip)
    with atomic_write(output) if output else nullcontext() as file:  # a folder that is not there shows before the work
        detector, texts = detector_and_sentences(source, column, limit, examples, model, adapt)
        suggestions = detector.suggest(texts, number, skip=skipped)
        analyses = detector.analyze_many([suggestion.text for suggestion in suggestions], words=False)
        found = [list(analysis.aspects) for analysis in analyses]
        if file:
            _write(file, suggestions, found)
    if not suggestions:
        typer.echo(f"{len(texts):,} sentences: none is left to label")
        return
    Console().print(_table(suggestions, found))
    if output:
        typer.echo(
            f"{output}: correct the labels, then use it with `fewaspect tune MODEL {output}` or add it to EXAMPLES"
        )


def _skipped(path: Path) -> list[str]:
    """The sentences of a file, which may be one that `--output` wrote, or hold whole reviews."""
    from fewaspect.reviews.readers.source import Source, read_reviews
    from fewaspect.text.splitting import sentence_spans

    reads, _ = choose_formats(str(path), None, None, None)
    texts = [review.text for review in read_reviews(Source(str(path), reads), None)]
    return [text[start:end] for text in texts for start, end in sentence_spans(text)]


def _write(file: IO[str], suggestions: list[Suggestion], found: list[list[str]]) -> None:
    from fewaspect.reviews.writers import as_json

    for suggestion, aspects in zip(suggestions, found, strict=True):
        file.write(as_json({"text": suggestion.text, "labels": aspects, "why": suggestion.why}) + "\n")


def _table(suggestions: list[Suggestion], found: list[list[str]]) -> Table:
    from rich.table import Table
    from rich.text import Text

    from fewaspect.data.formats.records import printable

    table = Table("label next", "found now", "why", show_lines=True)
    for suggestion, aspects in zip(suggestions, found, strict=True):
        cells = (suggestion.text, ", ".join(aspects) or "none", suggestion.why)
        table.add_row(*(Text(printable(cell)) for cell in cells))
    return table

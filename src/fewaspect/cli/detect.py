"""`fewaspect detect`: tag every review of a file or a pipe."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from fewaspect.cli.review_options import (
    Adapt,
    Column,
    Delimiter,
    Encoding,
    Examples,
    From,
    Model,
    Precision,
    Prefix,
    Quiet,
    Reviews,
    Sentiment,
    Sheet,
    Threshold,
    adapt_detector,
    as_standard,
    hold_precision,
    make_detector,
    other_model,
    refuse_own_input,
    review_source,
    say_unread,
)
from fewaspect.core.errors import ConfigError
from fewaspect.reviews.formats import STANDARD, InputFormat, OutputFormat, PipeFormat, RowUnit, choose_formats


def detect(
    reviews: Reviews,
    examples: Examples = None,
    model: Model = None,
    output: Annotated[
        str,
        typer.Option(
            "--output",
            "-o",
            metavar="OUT",
            callback=as_standard,
            help='.csv, .tsv, .xlsx, .jsonl, .parquet, .html, or "-": a pipe.',
        ),
    ] = STANDARD,
    threshold: Threshold = None,
    precision: Precision = None,
    adapt: Adapt = None,
    explain: Annotated[bool, typer.Option("--explain", help="Add reasons, deciding words, sentences.")] = False,
    rows: Annotated[
        RowUnit, typer.Option("--rows", help="A row per review, or per sentence in place of the review.")
    ] = RowUnit.REVIEW,
    per_sentence: Annotated[bool, typer.Option("--per-sentence", help="The same as --rows sentence.")] = False,
    spreadsheet: Annotated[
        bool, typer.Option("--spreadsheet", help="CSV for Excel: with a byte order mark, and no cell is a formula.")
    ] = False,
    sentiment: Sentiment = False,
    format: Annotated[
        PipeFormat | None,
        typer.Option("--format", help="Format of pipes, where no extension says it; otherwise txt in and jsonl out."),
    ] = None,
    read_as: From = None,
    write_as: Annotated[OutputFormat | None, typer.Option("--to", help="Format of OUT, if not by extension.")] = None,
    column: Column = None,
    prefix: Prefix = "",
    encoding: Encoding = None,
    delimiter: Delimiter = None,
    sheet: Sheet = None,
    chunk: Annotated[int, typer.Option(min=1, help="Reviews in memory at once.")] = 1000,
    quiet: Quiet = False,
) -> None:
    """Tag reviews with the aspects they mention; all their other columns are carried along."""
    reads, writes = choose_formats(reviews, output, format, read_as, write_as)
    refuse_own_input(output, reviews, examples)
    if spreadsheet and writes not in (OutputFormat.CSV, OutputFormat.TSV):
        raise ConfigError(
            f"--spreadsheet: expected for csv or tsv, found with {writes.value}.\nLeave it out, or use --to."
        )

    from rich.console import Console

    from fewaspect.core.progress import review_progress
    from fewaspect.data.formats.records import printable
    from fewaspect.detector.sentiment.aspect_sentiment import sentiment_branch
    from fewaspect.reviews.pipeline import Stream, Summary, detect_stream, summary_table
    from fewaspect.reviews.writers import Layout, Target

    console = Console(stderr=True, quiet=quiet)
    source = review_source(reviews, reads, encoding, delimiter, sheet, quiet=quiet)
    stream = Stream(source, column, chunk)  # faults show before the model loads
    detector = make_detector(examples, model, threshold, sentiment=sentiment)
    adapt_detector(detector, stream.sample, adapt, console)
    hold_precision(detector, precision, examples)
    if sentiment:
        sentiment_branch(detector.model_)  # refused before the output is opened
    classes = tuple(detector.classes_)
    per_sentence = per_sentence or rows is RowUnit.SENTENCE
    layout = Layout(classes, explain, per_sentence, prefix, detector.promise_ is not None, sentiment)
    title = "Reviews" if reviews == STANDARD else printable(Path(reviews).name)
    between = source.text_format.delimiter if spreadsheet and reads is InputFormat.CSV and source.rereadable else None
    target = Target(output, writes, title, spreadsheet, between if between == ";" else None)
    summary = Summary(classes, model=detector.model_, other_model=other_model(examples))
    with review_progress(console, "detecting", stream.columns.total, lambda: summary.rate) as progress:
        detect_stream(detector, stream, target, layout, summary, progress)
    console.print(summary_table(summary))
    say_unread(summary)

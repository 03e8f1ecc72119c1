"""`fewaspect report`: one page on what a file of reviews speaks of."""

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
    Quiet,
    Reviews,
    Sheet,
    Threshold,
    adapt_detector,
    as_standard,
    make_detector,
    other_model,
    refuse_own_input,
    review_source,
    say_unread,
)
from fewaspect.reviews.formats import STANDARD, choose_formats, refuse_other_than_page


def report(
    reviews: Reviews,
    examples: Examples = None,
    model: Model = None,
    output: Annotated[
        str,
        typer.Option("--output", "-o", metavar="OUT", callback=as_standard, help='The page to write, or "-": a pipe.'),
    ] = "report.html",
    threshold: Threshold = None,
    adapt: Adapt = None,
    sentiment: Annotated[
        bool,
        typer.Option("--sentiment", help="Add what the reviews think of each aspect; takes about a quarter longer."),
    ] = False,
    title: Annotated[str | None, typer.Option(help="Title of the page; by default the name of the file.")] = None,
    sentences: Annotated[int, typer.Option(min=1, help="Example sentences per aspect.")] = 4,
    read_as: From = None,
    column: Column = None,
    encoding: Encoding = None,
    delimiter: Delimiter = None,
    sheet: Sheet = None,
    quiet: Quiet = False,
) -> None:
    """Write a page with how often each aspect occurs, what occurs together, and sentences that show it."""
    reads, _ = choose_formats(reviews, None, None, read_as)
    refuse_own_input(output, reviews, examples)
    refuse_other_than_page(output)

    from rich.console import Console

    from fewaspect.core.progress import review_progress
    from fewaspect.data.formats.records import printable
    from fewaspect.detector.sentiment.aspect_sentiment import sentiment_branch
    from fewaspect.reviews.pages.opinions import Opinions
    from fewaspect.reviews.pages.report_page import Candidates, render_report
    from fewaspect.reviews.pipeline import Stream, Summary, analyze_chunk, summary_table
    from fewaspect.reviews.writers import open_target

    console = Console(stderr=True, quiet=quiet)
    stream = Stream(review_source(reviews, reads, encoding, delimiter, sheet, quiet=quiet), column)
    detector = make_detector(examples, model, threshold, sentiment=sentiment)
    adapt_detector(detector, stream.sample, adapt, console)
    if sentiment:
        sentiment_branch(detector.model_)  # refused before the output is opened
    name = title or ("Reviews" if reviews == STANDARD else printable(Path(reviews).name))
    with open_target(output) as file:  # opened first: a folder that is not there shows before the work
        summary, candidates = (
            Summary(tuple(detector.classes_), model=detector.model_, other_model=other_model(examples)),
            Candidates(),
        )
        opinions = Opinions() if sentiment else None
        with review_progress(console, "reading", stream.columns.total, lambda: summary.rate) as progress:
            for chunk in stream.chunks:
                analyses = analyze_chunk(detector, chunk, words=False, sentiment=sentiment)
                summary.add(analyses)
                candidates.add(analyses)
                if opinions is not None:
                    opinions.add(analyses)
                progress(len(chunk))
        file.write(render_report(detector, summary, candidates, name, sentences, opinions))
        file.flush()
    console.print(summary_table(summary))
    say_unread(summary)
    if not quiet and output != STANDARD:
        typer.echo(str(Path(output).resolve()))

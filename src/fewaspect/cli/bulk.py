"""`fewaspect bulk`: tag millions of rows on all cores of one machine or many."""

from __future__ import annotations

import os
from dataclasses import replace
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
    Prefix,
    Quiet,
    Sentiment,
    Sheet,
    Threshold,
    make_detector,
    other_model,
    refuse_idle_options,
    say_learned,
    say_unread,
)


def bulk(
    source: Annotated[
        str,
        typer.Argument(
            metavar="INPUT",
            help='File, folder or pattern ("in/*.parquet"), also s3:// and gs://: Parquet, CSV, JSONL, Excel.',
        ),
    ],
    output: Annotated[str, typer.Argument(metavar="OUTPUT", help="Folder for the results; a job begun there goes on.")],
    model: Model = None,
    examples: Examples = None,
    address: Annotated[
        str | None, typer.Option("--address", help="A running Ray (ray://HOST:10001, auto); else one on this machine.")
    ] = None,
    actors: Annotated[
        int | None, typer.Option("--actors", min=1, help="Detectors at work at the same time; else as cores allow.")
    ] = None,
    threads: Annotated[int, typer.Option("--threads", min=1, help="Cores of each actor.")] = 1,
    rows: Annotated[int, typer.Option("--partition-rows", min=1, help="Rows of a partition, at most.")] = 20_000,
    limit: Annotated[int | None, typer.Option("--limit", min=1, help="Only the first N rows.")] = None,
    max_bad: Annotated[
        float, typer.Option("--max-bad", min=0, max=1, help="Stop when a larger share of the rows is bad.")
    ] = 0.01,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Estimate time and memory; write nothing.")] = False,
    threshold: Threshold = None,
    adapt: Adapt = None,
    sentiment: Sentiment = False,
    column: Column = None,
    read_as: From = None,
    prefix: Prefix = "",
    encoding: Encoding = None,
    delimiter: Delimiter = None,
    sheet: Sheet = None,
    quiet: Quiet = False,
) -> None:
    """Tag any number of rows on Ray Data; a job that was interrupted goes on where it was when started again."""
    os.environ["OMP_NUM_THREADS"] = str(threads)  # this process measures as an actor would

    from rich.console import Console

    from fewaspect.bulk.job import job_summary, job_table, prepare_job, run_job
    from fewaspect.bulk.packing import pack
    from fewaspect.bulk.plan import BulkSettings, format_of
    from fewaspect.bulk.ray_cluster import start_ray
    from fewaspect.bulk.storage import filesystem, find_files
    from fewaspect.bulk.worker import unfinished
    from fewaspect.core.progress import unit_progress
    from fewaspect.detector.sentiment.aspect_sentiment import sentiment_branch

    console = Console(stderr=True, quiet=quiet)
    filesystem(output)  # a name that cannot be written shows before the work
    format = format_of(find_files(source), read_as)
    refuse_idle_options(source, format, encoding, delimiter, sheet)
    detector = make_detector(examples, model, threshold, sentiment=sentiment)
    if sentiment:
        sentiment_branch(detector.model_)  # refused before anything is planned
    own = detector.pile_size_
    promised = detector.promise_ is not None and not adapt
    adapts = not own and not promised if adapt is None else adapt
    settings = BulkSettings(
        format, column, encoding, prefix, rows, limit, adapts, sentiment, delimiter=delimiter, sheet=sheet
    )
    classes, packed, reads = tuple(str(name) for name in detector.classes_), pack(detector), detector.model_
    with start_ray(address, actors, threads) as cluster:
        job = prepare_job(source, output, settings, packed, classes, cluster.map, promised)
        todo = unfinished(job.plan, job.output)
        if dry_run:
            from fewaspect.bulk.job_estimate import estimate, estimate_table

            console.print(estimate_table(estimate(job, todo, detector, cluster.actors)) if todo else "all is finished")
            return
        del detector
        with unit_progress(console, "detecting", job.plan.rows, "rows") as progress:
            total = run_job(
                job, cluster.process, max_bad, progress, lambda size: say_learned(console, size, own, adapt)
            )
    console.print(job_table(total, classes))
    say_unread(replace(job_summary(total, classes, reads), other_model=other_model(examples)))

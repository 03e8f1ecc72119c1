"""`fewaspect fit`: save a detector, so that later commands need no examples."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from fewaspect.cli.review_options import Threshold, fit_detector, parse_thresholds


def fit(
    examples: Annotated[
        Path,
        typer.Argument(
            metavar="EXAMPLES",
            help="JSON or YAML with sentences for each aspect, or a file of labelled sentences.",
        ),
    ],
    output: Annotated[Path, typer.Option("--output", "-o", metavar="FOLDER", help="Where the detector goes.")],
    model: Annotated[
        Path | None, typer.Option("--model", metavar="FOLDER", help="An exported model, not the shipped one.")
    ] = None,
    threshold: Threshold = None,
) -> None:
    """Learn aspects from a few examples each and save them; takes seconds, nothing is trained."""
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    from fewaspect.data.formats.records import printable

    detector = fit_detector(examples, model)
    if threshold:
        detector.threshold = parse_thresholds(threshold, list(detector.classes_))
    detector.save(output)
    table = Table("aspect", "examples", "threshold")
    for name, shots in detector.shots_.items():
        table.add_row(Text(printable(name)), f"{shots:,}", f"{detector.thresholds_[name]:.2f}")
    Console().print(table)
    typer.echo(f"{output}: a detector of {len(detector.classes_)} aspects")

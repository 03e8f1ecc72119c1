"""`fewaspect fit`: save a detector, so that later commands need no examples."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from fewaspect.cli.review_options import (
    Column,
    Delimiter,
    Encoding,
    From,
    Sheet,
    Threshold,
    fit_detector,
    parse_thresholds,
    review_source,
)
from fewaspect.core.errors import ConfigError
from fewaspect.reviews.formats import choose_formats

_MORE = {  # what a signal of growth says of further examples
    "growing": "may help",
    "level": "would add little",
    "contradictory": "check these first",
    "too few": "needed to say",
}
_SHOWN = 3  # examples to check


def fit(
    examples: Annotated[
        Path,
        typer.Argument(
            metavar="EXAMPLES",
            help="JSON or YAML with sentences for each aspect, or a file of labelled sentences.",
        ),
    ],
    output: Annotated[Path, typer.Option("--output", "-o", metavar="FOLDER", help="Folder for the detector.")],
    model: Annotated[
        Path | None,
        typer.Option(
            "--model",
            metavar="FOLDER",
            help="An exported model, not the shipped one; multilingual for other languages.",
        ),
    ] = None,
    threshold: Threshold = None,
    unlabelled: Annotated[
        str | None,
        typer.Option(
            "--unlabelled",
            metavar="REVIEWS",
            help="Reviews without labels, in any format that detect reads, to learn from too.",
        ),
    ] = None,
    read_as: From = None,
    column: Column = None,
    encoding: Encoding = None,
    delimiter: Delimiter = None,
    sheet: Sheet = None,
) -> None:
    """Learn aspects from a few examples each and save them; takes seconds, nothing is trained."""
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    from fewaspect.data.formats.records import printable

    texts: list[str] = []
    if not unlabelled:
        about = {"--from": read_as, "--column": column, "--encoding": encoding}
        about |= {"--delimiter": delimiter, "--sheet": sheet}
        if given := [option for option, value in about.items() if value is not None]:
            raise ConfigError(f"{given[0]}: expected beside --unlabelled REVIEWS, which it is about, found without it.")
    else:
        from fewaspect.reviews.readers.source import read_reviews
        from fewaspect.reviews.sampling import sample_reviews

        reads, _ = choose_formats(unlabelled, None, None, read_as)
        source = review_source(unlabelled, reads, encoding, delimiter, sheet)
        texts = sample_reviews(read_reviews(source, column))  # the sample that `detect` would take
    detector = fit_detector(examples, model)
    if unlabelled and not detector.adapt(texts).pile_size_:
        typer.secho(f"{unlabelled}: too few sentences to learn from.", fg="yellow", err=True)
    if threshold:
        detector.threshold = parse_thresholds(threshold, list(detector.classes_))
    detector.save(output)
    table, growth = Table("aspect", "examples", "threshold", "more examples"), detector.growth()
    for name, shots in detector.shots_.items():
        cells = (f"{shots:,}", f"{detector.thresholds_[name]:.2f}", _MORE[growth[name].signal])
        table.add_row(Text(printable(name)), *cells)
    Console().print(table)
    if issues := detector.label_issues():
        from fewaspect.cli.label_issues import issues_table

        Console().print(issues_table(issues[:_SHOWN]))
        typer.echo(f"{len(issues)} of the examples to check: fewaspect label-issues {output}")
    learned = f", which learned from {detector.pile_size_:,} unlabelled sentences" if detector.pile_size_ else ""
    typer.echo(f"{output}: a detector of {len(detector.classes_)} aspects{learned}")

"""`fewaspect tune`: a threshold for each aspect of a saved detector."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def tune(
    model: Annotated[Path, typer.Argument(metavar="MODEL", help="What `fewaspect fit` saved.")],
    labelled: Annotated[
        Path | None,
        typer.Argument(metavar="[LABELLED]", help="Labelled sentences; if none, leave-one-out on the examples."),
    ] = None,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", metavar="FOLDER", help="Where the result goes, if not to MODEL.")
    ] = None,
) -> None:
    """Set each aspect's threshold to where its F1 is best, and save the detector."""
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    from fewaspect.data.formats.records import printable
    from fewaspect.detector.detector import AspectDetector

    detector = AspectDetector.load(model)
    if detector.threshold is not None:
        typer.echo(f"The threshold set before, {detector.threshold}, gives way to what is tuned.", err=True)
        detector.threshold = None
    texts, labels = read_known(labelled, list(detector.classes_)) if labelled else (None, None)
    tuned = detector.tune(texts, labels)
    detector.save(output or model)
    table = Table("aspect", title=str(labelled) if labelled else "examples, leave-one-out", title_justify="left")
    for column in ("sentences", "threshold", "F1 before", "F1"):
        table.add_column(column, justify="right")
    for name, row in tuned.items():
        numbers = (f"{row.texts:,}", f"{row.threshold:.2f}", f"{row.f1_before:.2f}", f"{row.f1:.2f}")
        table.add_row(Text(printable(name)), *numbers, style=None if row.texts else "dim")
    Console().print(table)
    typer.echo(f"{output or model}: thresholds saved")


def read_known(labelled: Path, classes: list[str]) -> tuple[list[str], list[list[str]]]:
    """Sentences with their aspects; some in common with the detector are needed, others are named and do not count."""
    from fewaspect.core.errors import DataError
    from fewaspect.reviews.definitions import read_labelled

    sentences = read_labelled(labelled)
    if not set(sentences.classes) & set(classes):
        raise DataError(
            f"{labelled}: expected sentences with some of the aspects {', '.join(classes)}, found "
            f"{', '.join(sentences.classes[:8]) or 'none with any'}."
        )
    if others := sorted(set(sentences.classes) - set(classes)):
        typer.echo(f"{labelled}: the detector does not know {', '.join(others)}; taken as none.", err=True)
    return list(sentences.texts), [[name for name in s.aspects if name in classes] for s in sentences]

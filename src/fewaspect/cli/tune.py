"""`fewaspect tune`: a threshold for each aspect of a saved detector."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from fewaspect.core.errors import ConfigError, DataError

if TYPE_CHECKING:
    from fewaspect.detector.detector import AspectDetector
    from fewaspect.detector.labelling.target_precision import Promised


def tune(
    model: Annotated[Path, typer.Argument(metavar="MODEL", help="What `fewaspect fit` saved.")],
    labelled: Annotated[
        Path | None,
        typer.Argument(metavar="[LABELLED]", help="Labelled sentences; if none, leave-one-out on the examples."),
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", metavar="FOLDER", help="Folder for the result; by default MODEL."),
    ] = None,
    precision: Annotated[
        float | None,
        typer.Option("--precision", metavar="P", help="Share of the accepted answers that must be right."),
    ] = None,
    confidence: Annotated[
        float | None,
        typer.Option("--confidence", metavar="P", help="Confidence that --precision holds; by default 0.9."),
    ] = None,
    per_aspect: Annotated[
        bool, typer.Option("--per-aspect", help="Hold --precision for each aspect, not for all answers together.")
    ] = False,
) -> None:
    """Set each aspect's threshold to where its F1 is best, or what is accepted to a precision; save the detector."""
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    from fewaspect.data.formats.records import printable
    from fewaspect.detector.detector import AspectDetector

    if precision is None and (confidence is not None or per_aspect):
        option = "--per-aspect" if confidence is None else "--confidence"
        raise ConfigError(f"{option}: expected beside --precision P, which it is about, found without it.")
    detector = AspectDetector.load(model)
    if precision is not None:
        texts, labels = read_known(labelled, detector, unseen=True) if labelled else (None, None)
        sure = 0.9 if confidence is None else confidence
        promised = detector.tune(texts, labels, precision=precision, confidence=sure, per_aspect=per_aspect)
        detector.save(output or model)
        return _show_promised(promised, str(labelled) if labelled else "examples, leave-one-out", output or model)
    if detector.threshold is not None:
        typer.echo(f"The threshold set before, {detector.threshold}, gives way to what is tuned.", err=True)
        detector.threshold = None
    texts, labels = read_known(labelled, detector) if labelled else (None, None)
    tuned = detector.tune(texts, labels)
    detector.save(output or model)
    table = Table("aspect", title=str(labelled) if labelled else "examples, leave-one-out", title_justify="left")
    for column in ("sentences", "threshold", "F1 before", "F1"):
        table.add_column(column, justify="right")
    for name, row in tuned.items():
        f1 = (f"{row.f1_before:.2f}", f"{row.f1:.2f}") if row.texts else ("-", "-")
        numbers = (f"{row.texts:,}", f"{row.threshold:.2f}", *f1)
        table.add_row(Text(printable(name)), *numbers, style=None if row.texts else "dim")
    Console().print(table)
    typer.echo(f"{output or model}: thresholds saved")


def _show_promised(promised: Promised, title: str, folder: Path) -> None:
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    from fewaspect.data.formats.records import printable
    from fewaspect.detector.labelling.target_precision import cannot, lacking

    table = Table("aspect", title=title, title_justify="left")
    for column in ("answers", "accepted", "right", "accepted from"):
        table.add_column(column, justify="right")
    table.add_column("alone from")
    for name, row in promised.items():
        threshold = "never" if row.threshold is None else f"{row.threshold:.2f}"
        own = lacking(row.more) if row.own_threshold is None else f"{row.own_threshold:.2f}"
        counts = (f"{row.answers:,}", f"{row.accepted:,}", f"{row.right:,}")
        table.add_row(Text(printable(name)), *counts, threshold, own, style="dim" if not row.accepted else None)
    whole = promised.overall
    table.add_section()
    table.add_row("all answers", f"{whole.answers:,}", f"{whole.accepted:,}", f"{whole.right:,}", "", "")
    Console().print(table)
    if promised.promise.accepts:
        typer.echo(f"{folder}: {promised.promise}; saved")
    else:
        typer.echo(f"{folder}: {cannot(whole.more)}; saved, every answer needs a look")


def read_known(labelled: Path, detector: AspectDetector, *, unseen: bool = False) -> tuple[list[str], list[list[str]]]:
    """Sentences with their aspects; some in common with the detector are needed, others are named and do not count.

    Sentences that are its examples are counted, and left out where only `unseen` ones count.
    """
    from fewaspect.cli.review_options import REFIT, say_how_read, say_unread_sentences
    from fewaspect.reviews.definitions import read_labelled
    from fewaspect.text.identity import example_identity

    say_how_read(labelled)
    sentences, classes = read_labelled(labelled), list(detector.classes_)
    if not set(sentences.classes) & set(classes):
        raise DataError(
            f"{labelled}: expected sentences with some of the aspects {', '.join(classes)}, found "
            f"{', '.join(sentences.classes[:8]) or 'none with any'}."
        )
    if others := sorted(set(sentences.classes) - set(classes)):
        typer.echo(f"{labelled}: the detector does not know {', '.join(others)}; taken as none.", err=True)
    known = set(map(example_identity, detector.examples_.texts))
    new = [sentence for sentence in sentences if example_identity(sentence.text) not in known]
    if same := len(sentences.texts) - len(new):
        what = "are left out" if unseen else "flatter it"
        typer.secho(
            f"{labelled}: {same:,} of the sentences are examples of the detector and {what}.", fg="yellow", err=True
        )
    if unseen and not new:
        raise DataError(f"{labelled}: expected sentences that are no examples of the detector, found none.")
    kept = new if unseen else list(sentences)
    say_unread_sentences(detector, [sentence.text for sentence in kept], REFIT)
    return [s.text for s in kept], [[name for name in s.aspects if name in classes] for s in kept]

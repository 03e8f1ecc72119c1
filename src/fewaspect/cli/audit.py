"""`fewaspect audit`: how good a detector is on reviews without labels."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from fewaspect.cli.review_options import (
    Adapt,
    Column,
    Delimiter,
    Encoding,
    Examples,
    From,
    Model,
    Sheet,
    detector_and_sentences,
    refuse_own_input,
    review_source,
)
from fewaspect.core.errors import ConfigError, DataError
from fewaspect.reviews.formats import choose_formats

if TYPE_CHECKING:
    from rich.table import Table

    from fewaspect.detector.labelling.audit import Audit
    from fewaspect.detector.labelling.audit_result import AuditResult, Estimate


def audit(
    reviews: Annotated[
        str | None, typer.Argument(metavar="REVIEWS", help="Reviews to draw sentences from, as detect reads them.")
    ] = None,
    examples: Examples = None,
    model: Model = None,
    number: Annotated[int, typer.Option("-n", min=1, help="How many sentences to check.")] = 50,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", metavar="SHEET", help="JSONL or CSV to be filled in.")
    ] = None,
    after: Annotated[
        Path | None, typer.Option("--after", metavar="SHEET", help="Draw further sentences, behind those of this one.")
    ] = None,
    result: Annotated[
        Path | None, typer.Option("--result", metavar="SHEET", help="A sheet that was filled in: print what it says.")
    ] = None,
    limit: Annotated[int, typer.Option(min=1, help="Most sentences to draw from; of more, a fair sample.")] = 20000,
    seed: Annotated[int, typer.Option(help="Seed of the draw.")] = 0,
    adapt: Adapt = None,
    read_as: From = None,
    column: Column = None,
    encoding: Encoding = None,
    delimiter: Delimiter = None,
    sheet: Sheet = None,
) -> None:
    """Draw sentences to check, and estimate precision and recall of each aspect from the answers.

    First `fewaspect audit REVIEWS --model MODEL -o SHEET`; fill in its labels; then `fewaspect audit --result SHEET`.
    """
    if result is not None:
        beside = {"REVIEWS": reviews, "--output": output, "--after": after, "--examples": examples, "--model": model}
        if given := [name for name, value in beside.items() if value is not None]:
            raise ConfigError(f"--result: expected a sheet alone, found {given[0]} beside it.")
        _print_result(result)
        return
    if reviews is None or output is None:
        raise ConfigError(
            "expected REVIEWS and --output SHEET to draw sentences, or --result SHEET to read a sheet that was filled "
            "in, found neither."
        )
    from fewaspect.reviews.audit_sheet import check_extension, read_sheet, refuse_answered, write_sheet

    check_extension(output)
    refuse_own_input(str(output), reviews, examples)
    refuse_answered(output, after)
    reads, _ = choose_formats(reviews, None, None, read_as)

    earlier, labels = read_sheet(after) if after else (None, [])
    source = review_source(reviews, reads, encoding, delimiter, sheet)
    detector, texts = detector_and_sentences(source, column, limit, examples, model, adapt)
    drawn = detector.audit(texts, number, seed=earlier.seed if earlier else seed, after=earlier)
    write_sheet(output, drawn, [*labels, *([None] * (len(drawn.sentences) - len(labels)))])
    new = len(drawn.sentences) - len(labels)
    typer.echo(
        f"{output}: {new} of {drawn.size:,} sentences to check. Put the aspects of each into its labels "
        f"({_how(output)}), then: fewaspect audit --result {output}"
    )


def _how(sheet: Path) -> str:
    from fewaspect.reviews.audit_sheet import LINES

    if sheet.suffix.lower() in LINES:
        return '["food", "staff"], [] for none of them, null: not checked'
    return "food, staff; none: none of them; empty: not checked"


def _print_result(sheet: Path) -> None:
    from rich.console import Console

    from fewaspect.reviews.audit_sheet import read_sheet

    drawn, labels = read_sheet(sheet)
    if all(own is None for own in labels):
        raise DataError(
            f"{sheet}: expected labels of some of its {len(labels)} sentences, found none.\n"
            f"Put the aspects of each into its labels ({_how(sheet)})."
        )
    found = drawn.result(labels)
    Console().print(_table(drawn, found))
    typer.echo(
        f"{found.labelled} of {len(drawn.sentences)} sentences checked, {drawn.size:,} in all. About {found.more} more "
        f"would halve the interval of the F1 of all answers: fewaspect audit REVIEWS --model MODEL --after {sheet} "
        f"-n N -o {sheet}"
    )


def _table(drawn: Audit, found: AuditResult) -> Table:
    from rich.table import Table
    from rich.text import Text

    from fewaspect.data.formats.records import printable

    table = Table("aspect", title=f"{found.confidence:.0%} intervals, in percent", title_justify="left")
    for column in ("answered", "checked", "precision", "recall", "F1", "more to halve"):
        table.add_column(column, justify="right")
    for name in drawn.names:
        row = found.aspects[name]
        cells = (_shown(part) for part in (row.precision, row.recall, row.f1))
        table.add_row(Text(printable(name)), f"{row.answered:,}", f"{row.checked:,}", *cells, f"{row.more:,}")
    table.add_section()
    of_all = (_shown(part) for part in (found.precision, found.recall, found.f1))
    table.add_row("all answers", "", f"{found.labelled:,}", *of_all, f"{found.more:,}")
    table.add_row("mean of the aspects", "", "", "", "", _shown(found.macro_f1), "")
    return table


def _shown(part: Estimate | None) -> str:
    return "-" if part is None else f"{100 * part.value:.0f} ({100 * part.low:.0f} to {100 * part.high:.0f})"

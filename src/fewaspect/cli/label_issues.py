"""`fewaspect label-issues`: examples that the others contradict, and aspects that need more of them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from fewaspect.cli.review_options import refuse_labels

if TYPE_CHECKING:
    from rich.table import Table

    from fewaspect.detector.labelling.label_issues import LabelIssue


def label_issues(
    model: Annotated[Path, typer.Argument(metavar="MODEL", help="What `fewaspect fit` saved.")],
    every: Annotated[bool, typer.Option("--all", help="Also those that are contradicted only slightly.")] = False,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", metavar="OUT", help="JSONL: text, labels as given, suggested labels, why."),
    ] = None,
) -> None:
    """List the examples of a saved detector that its other examples contradict, the strongest first."""
    if output:
        refuse_labels(output)

    from rich.console import Console

    from fewaspect.core.files import atomic_write
    from fewaspect.detector.detector import AspectDetector
    from fewaspect.reviews.writers import as_json

    detector = AspectDetector.load(model)
    issues = detector.label_issues(0 if every else None)
    if output:
        with atomic_write(output) as file:
            for issue in issues:
                row = {"text": issue.text, "labels": issue.given, "suggested": issue.suggested, "why": issue.why}
                file.write(as_json(row) + "\n")
    if issues:
        Console().print(issues_table(issues))
    typer.echo(f"{model}: {len(issues)} of {len(detector.examples_.texts)} examples to check")


def issues_table(issues: list[LabelIssue]) -> Table:
    """What is given, what the others suggest, and why."""
    from rich.table import Table
    from rich.text import Text

    from fewaspect.data.formats.records import printable

    table = Table("example to check", "given", "suggested", "why", show_lines=True)
    for issue in issues:
        given, suggested = (", ".join(names) or "none" for names in (issue.given, issue.suggested))
        table.add_row(*(Text(printable(cell)) for cell in (issue.text, given, suggested, issue.why)))
    return table

"""Tables for a terminal; where the output goes to a file, without colours and as wide as they need."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Console
from rich.table import Table as RichTable
from rich.text import Text

from fewaspect.experiments.tables.table_layout import Entry, Group, Table, spread_of


def to_terminal(groups: Sequence[Group]) -> str:
    target = Console()
    width = target.width if target.is_terminal else 160
    console = Console(width=width, force_terminal=target.is_terminal, highlight=False)
    with console.capture() as capture:
        for group in groups:
            console.rule(Text(group.title))
            for section in group.sections:
                for table in section.tables:
                    console.print(_table(section.title, table))
                    console.print()
    return capture.get()


def _table(title: str, table: Table) -> RichTable:
    shown = RichTable(title=Text(title, style="bold"), caption=Text(table.caption), caption_justify="left")
    shown.add_column("Model", no_wrap=True)
    for setting in table.settings:
        for metric in table.metrics:
            shown.add_column(f"{setting}\n{metric}", justify="right")
    if table.note_header:
        shown.add_column(table.note_header, justify="right")
    for block in table.blocks:
        for line in block:
            note = [Text(line.note)] if table.note_header else []
            shown.add_row(Text(line.title), *map(_written, line.entries), *note)
            if line.has_spread:
                spreads = (Text(spread_of(entry), style="dim") for entry in line.entries)
                shown.add_row(Text(f"  {line.spread_title}", style="dim"), *spreads)
        shown.add_section()
    return shown


def _written(entry: Entry) -> Text:
    """The published number on a line of its own: beside the measured one there is no room."""
    text = Text(entry.shown, style="bold" if entry.best else "")
    if entry.half_width is not None:
        text.append(f"±{entry.half_width:.2f}", style="not bold dim")
    if entry.published is not None:
        text.append(f"\n({entry.published:.2f})", style="not bold cyan")
    return text

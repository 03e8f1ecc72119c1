"""`fewaspect methods`."""

from __future__ import annotations

from fewaspect.methods import METHODS


def methods() -> None:
    """List the methods that can be trained and evaluated by name."""
    from rich.console import Console
    from rich.table import Table

    table = Table("name", "system", "what it is", box=None, header_style="bold")
    for name, entry in METHODS.items():
        table.add_row(f"[cyan]{name}[/cyan]", entry.title, entry.summary)
    Console().print(table)

"""Progress bars on a terminal, and nothing elsewhere, so that logs stay readable."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich import progress as bars
from rich.console import Console
from rich.text import Text


class RateColumn(bars.ProgressColumn):
    """Units per second."""

    def __init__(self, unit: str) -> None:
        super().__init__()
        self.unit = unit

    def render(self, task: bars.Task) -> Text:
        speed = task.finished_speed or task.speed
        return Text(f"{speed:,.1f} {self.unit}/s" if speed else f"- {self.unit}/s", style="progress.data.speed")


def on_terminal(console: Console) -> bool:
    """Whether the output is shown on a terminal (with FORCE_COLOR, rich takes a pipe for one)."""
    return console.is_terminal and console.file.isatty()


def progress_bar(console: Console, unit: str | None) -> bars.Progress:
    """A bar with the rate in units per second, if a unit is given."""
    return bars.Progress(
        bars.SpinnerColumn(),
        bars.TextColumn("{task.description}"),
        bars.BarColumn(bar_width=28),
        bars.MofNCompleteColumn(),
        *([RateColumn(unit)] if unit else []),
        bars.TimeElapsedColumn(),
        bars.TextColumn("left"),
        bars.TimeRemainingColumn(),
        bars.TextColumn("{task.fields[note]}"),
        console=console,
        disable=not on_terminal(console),
        speed_estimate_period=60,
    )


@contextmanager
def unit_progress(console: Console, description: str, total: int, unit: str) -> Iterator[Callable[[int], None]]:
    """A progress bar; the yielded function advances it by a number of units."""
    with progress_bar(console, unit) as progress:
        task = progress.add_task(description, total=total, note="")
        yield lambda done: progress.advance(task, done)


@contextmanager
def review_progress(
    console: Console, description: str, total: int | None, rate: Callable[[], float]
) -> Iterator[Callable[[int], None]]:
    """A progress bar of reviews with sentences per second; the total is unknown (None) for a pipe."""
    with progress_bar(console, None) as progress:
        task = progress.add_task(description, total=total, note="")

        def advance(done: int) -> None:
            progress.advance(task, done)
            progress.update(task, note=f"{rate():,.0f} sentences/s")

        yield advance

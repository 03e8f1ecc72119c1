"""One run of a grid, from training to its cells. What happens is told step by step; to keep it is the caller's."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import Any

from rich.console import Console

from fewaspect.experiments.cells import describe_cell
from fewaspect.experiments.folders import Folders, training_seconds
from fewaspect.experiments.grid import Cell, Run
from fewaspect.training.evaluate_run import evaluate_many
from fewaspect.training.run_folder import RunFolder, RunSettings
from fewaspect.training.trainer import train


@dataclass(frozen=True)
class Trained:
    """A run was trained, in so many seconds; `about` is its run.json."""

    seconds: float
    about: dict[str, Any]


@dataclass(frozen=True)
class Made:
    """A cell and what is to be kept of it."""

    cell: Cell
    described: dict[str, Any]


@dataclass(frozen=True)
class Failed:
    """Cells that cannot be made, and why."""

    cells: tuple[Cell, ...]
    doing: str
    error: Exception


Event = Trained | Made | Failed
ConsoleFor = Callable[[str], Console]


def nowhere(doing: str) -> Console:
    return Console(quiet=True)


@dataclass(frozen=True)
class Work:
    """How the runs of a grid are worked on: the same here and on other machines."""

    folders: Folders
    data: Path | None
    offline: bool
    keep_going: bool

    def on(self, run: Run, console_for: ConsoleFor = nowhere) -> Iterator[Event]:
        """Train the run if it is not, then make its cells; after a failure no more, unless it is to keep going."""
        trained = None
        try:
            if not self.folders.is_trained(run):
                trained = self._train(run, console_for(f"training {run.name}"))
            seconds = training_seconds(RunFolder(self.folders.run(run)).read_metadata())
        except Exception as error:
            yield Failed(run.cells, f"training {run.name}", error)
            return
        if trained:
            yield trained
        for _, cells in groupby(run.cells, key=lambda cell: cell.benchmark):
            for event in self._evaluate(run, tuple(cells), seconds, console_for):
                yield event
                if isinstance(event, Failed) and not self.keep_going:
                    return

    def _train(self, run: Run, console: Console) -> Trained:
        folder = RunFolder(self.folders.run(run))
        settings = RunSettings(run.train, run.method)
        train(settings, self.data, folder.path, resume=True, offline=self.offline or None, console=console)
        about = folder.read_metadata()
        return Trained(training_seconds(about), about)

    def _evaluate(self, run: Run, cells: Sequence[Cell], trained: float, console_for: ConsoleFor) -> Iterator[Event]:
        """All cells in one go; if that fails and we are to keep going, each by itself, to lose none that works."""
        doing = f"evaluating {run.name} on {cells[0].benchmark}"
        started = time.perf_counter()
        try:
            results = evaluate_many(
                self.folders.run(run), [cell.evaluation for cell in cells], self.data, offline=self.offline or None,
                console=console_for(doing),
            )  # fmt: skip
        except Exception as error:
            if self.keep_going and len(cells) > 1:
                for cell in cells:
                    yield from self._evaluate(run, [cell], trained, console_for)
            else:
                yield Failed(tuple(cells), doing, error)
            return
        seconds = (time.perf_counter() - started) / len(cells)
        for cell, result in zip(cells, results, strict=True):
            yield Made(cell, describe_cell(run, cell, result, trained, seconds))

"""One run of a grid, from training to its cells, as a sequence of events; the caller keeps what they report."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import Any

from rich.console import Console

from fewaspect.experiments.grid.grid_folder import GridFolder
from fewaspect.experiments.grid.grid_runs import Cell, Run
from fewaspect.training.evaluate_run import evaluate_many
from fewaspect.training.run_folder import RunSettings
from fewaspect.training.trainer import train


@dataclass(frozen=True)
class RunTrained:
    """A run was trained, in so many seconds; `metadata` is its run.json."""

    seconds: float
    metadata: dict[str, Any]


@dataclass(frozen=True)
class CellEvaluated:
    """A cell and the record to keep of it."""

    cell: Cell
    record: dict[str, Any]


@dataclass(frozen=True)
class CellsFailed:
    """Cells that could not be made, in which step, and why."""

    cells: tuple[Cell, ...]
    step: str
    error: Exception


Event = RunTrained | CellEvaluated | CellsFailed
ConsoleFor = Callable[[str], Console]


def quiet_console(step: str) -> Console:
    return Console(quiet=True)


@dataclass(frozen=True)
class RunWorker:
    """Trains and evaluates runs of a grid: the same here and on other machines."""

    folder: GridFolder
    data: Path | None
    offline: bool
    keep_going: bool

    def events(self, run: Run, console_for: ConsoleFor = quiet_console) -> Iterator[Event]:
        """Train the run if it is not, then evaluate its cells; the first failure ends it unless `keep_going`."""
        trained = None
        try:
            if not self.folder.is_trained(run):
                trained = self._train(run, console_for(f"training {run.name}"))
            seconds = self.folder.training_seconds(run)
        except Exception as error:
            yield CellsFailed(run.cells, f"training {run.name}", error)
            return
        if trained:
            yield trained
        for _, cells in groupby(run.cells, key=lambda cell: cell.benchmark):
            for event in self._evaluate(run, tuple(cells), seconds, console_for):
                yield event
                if isinstance(event, CellsFailed) and not self.keep_going:
                    return

    def _train(self, run: Run, console: Console) -> RunTrained:
        folder = self.folder.run_folder(run)
        settings = RunSettings(run.train, run.method)
        train(settings, self.data, folder.path, resume=True, offline=self.offline or None, console=console)
        return RunTrained(self.folder.training_seconds(run), folder.read_metadata())

    def _evaluate(self, run: Run, cells: Sequence[Cell], trained: float, console_for: ConsoleFor) -> Iterator[Event]:
        """All cells together; if that fails and `keep_going` is set, each by itself, to lose none that works."""
        step = f"evaluating {run.name} on {cells[0].benchmark}"
        started = time.perf_counter()
        try:
            results = evaluate_many(
                self.folder.run_folder(run).path, [cell.evaluation for cell in cells], self.data,
                offline=self.offline or None, console=console_for(step),
            )  # fmt: skip
        except Exception as error:
            if self.keep_going and len(cells) > 1:
                for cell in cells:
                    yield from self._evaluate(run, [cell], trained, console_for)
            else:
                yield CellsFailed(tuple(cells), step, error)
            return
        seconds = (time.perf_counter() - started) / len(cells)
        for cell, result in zip(cells, results, strict=True):
            yield CellEvaluated(cell, cell_record(run, cell, result, trained, seconds))


def cell_record(run: Run, cell: Cell, result: Mapping[str, Any], trained: float, evaluated: float) -> dict[str, Any]:
    """An evaluation's result, flat: each metric a number in percent, its interval beside it; seconds likewise.

    `trained` are the seconds of the run's whole training, of which the cell bears an equal share.
    """
    flat: dict[str, Any] = {"row": cell.row}
    for name, value in result.items():
        if isinstance(value, Mapping) and {"mean", "low", "high"} <= value.keys():
            flat[name] = value["mean"]
            flat[f"{name}_interval"] = [value["low"], value["high"]]
        elif name not in ("settings", "environment", "seconds"):
            flat[name] = value
    share = trained / run.planned
    return {
        **flat,
        "title": run.title,
        "way": int(cell.evaluation.way),
        "shot": int(cell.evaluation.shot),
        "untrained": run.untrained,
        "seconds": share + evaluated,
        "training_seconds": share,
        "evaluation_seconds": evaluated,
        "run_seconds": trained,
        "settings": run.cell_settings(cell),
        "environment": result["environment"],
    }

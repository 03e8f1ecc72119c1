"""Progress over a whole grid: a line for every training and cell, on a terminal a bar below them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import TracebackType
from typing import Any

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from fewaspect.core.progress import on_terminal
from fewaspect.experiments.grid.grid_estimate import Estimate, format_duration
from fewaspect.experiments.grid.grid_runs import Cell, Run


class GridProgress:
    """Counts what is left of a grid and reports it after every step."""

    def __init__(
        self, console: Console, estimate: Estimate, total: int, to_train: Sequence[Run], to_evaluate: Sequence[Cell]
    ) -> None:
        self.console, self.estimate, self.total = console, estimate, total
        self._runs = {run.name: run for run in to_train}
        self._cells = dict.fromkeys(to_evaluate)
        self._bar = Progress(
            TextColumn("[bold]grid"), BarColumn(bar_width=28), MofNCompleteColumn(), TextColumn("cells"),
            TimeElapsedColumn(), TextColumn("left {task.fields[left]}  {task.fields[step]}"),
            console=console, disable=not on_terminal(console),
        )  # fmt: skip
        self._task = self._bar.add_task("grid", total=total, completed=self.done, left="?", step="")

    def __enter__(self) -> GridProgress:
        self._bar.start()
        self._refresh()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._bar.stop()

    @property
    def done(self) -> int:
        return self.total - len(self._cells)

    def console_for(self, step: str) -> Console:
        """Where a training or an evaluation reports: below our bar on a terminal, nowhere else."""
        self._refresh(step)
        return self.console if on_terminal(self.console) else Console(quiet=True)

    def trained(self, run: Run, seconds: float, metadata: Mapping[str, Any]) -> None:
        self._runs.pop(run.name, None)
        self.estimate.add_training(run, seconds)
        best = f"best validation {run.train.validation_metric} {metadata['best']:.2f} at step {metadata['best_step']}"
        self._print(f"trained {run.name}: {best}, {format_duration(seconds)}")

    def evaluated(self, run: Run, cell: Cell, found: Mapping[str, Any]) -> None:
        self._cells.pop(cell, None)
        self.estimate.add_cell(run, cell, found)
        self._print(f"cell {cell.name}: AUC {_shown(found['auc'])}  F1 {_shown(found['f1'])}{_tuned_elsewhere(found)}")

    def made_elsewhere(self, run: Run, cells: Sequence[Cell]) -> None:
        """Another process trained the run and made some of its cells."""
        self._drop(run, cells)
        self._print(f"{len(cells)} cells of {run.name} were made by another process")

    def failed(self, run: Run, cells: Sequence[Cell], reason: str) -> None:
        self._drop(run, cells)
        self._print(f"failed {reason}")

    def _drop(self, run: Run, cells: Sequence[Cell]) -> None:
        self._runs.pop(run.name, None)
        for cell in cells:
            self._cells.pop(cell, None)

    def _left(self) -> str:
        return self.estimate.total(self._runs.values(), self._cells)

    def _refresh(self, step: str = "") -> None:
        self._bar.update(self._task, completed=self.done, left=self._left(), step=step)

    def _print(self, line: str) -> None:
        self._refresh()
        tail = f"{len(self._cells)} of {self.total} cells left, {self._left()}"
        self.console.print(f"{line}; {tail}", highlight=False, markup=False, soft_wrap=True)


def _shown(value: float | None) -> str:
    return "-" if value is None else f"{value:.2f}"


def _tuned_elsewhere(found: Mapping[str, Any]) -> str:
    """A decision that kept the tuning of the training, where the evaluated setting has no validation episodes."""
    tuned_on = (found.get("decision") or {}).get("tuned_on") or ""
    return f" (decision tuned on {tuned_on})" if tuned_on.endswith("in training") else ""

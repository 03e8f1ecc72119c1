"""Goes through a grid: trains what is not trained, evaluates what is not evaluated, and can be killed at any moment."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path

from rich.console import Console

from fewaspect.benchmark.cells import describe_cell, write_cell
from fewaspect.benchmark.folders import Folders, survey, training_seconds
from fewaspect.benchmark.grid import Cell, Run
from fewaspect.benchmark.lock import hold
from fewaspect.benchmark.report import GridProgress
from fewaspect.data.benchmarks import load_benchmark
from fewaspect.errors import FewAspectError
from fewaspect.training.evaluate_run import evaluate_many
from fewaspect.training.folder import RunFolder, RunSettings
from fewaspect.training.trainer import train


def check_data(runs: Sequence[Run], data: Path | None) -> None:
    """A file that is missing is missed now and not after hours of training."""
    for benchmark, source in dict.fromkeys((run.train.benchmark, run.train.train) for run in runs):
        load_benchmark(benchmark, data, source or None).require_train()
    trained = {run.train.benchmark for run in runs}
    for name in dict.fromkeys(cell.evaluation.benchmark for run in runs for cell in run.cells):
        if name not in trained:
            load_benchmark(name, data)


@dataclass
class Execution:
    """One process at work on a grid. `failures` are the places that failed, with the reason."""

    folders: Folders
    data: Path | None
    offline: bool
    keep_going: bool
    progress: GridProgress
    failures: dict[str, str]

    def work_through(self, runs: Sequence[Run]) -> list[Run]:
        """Do every run that no other process is at; what remains is in other hands."""
        pending = list(runs)
        while pending:
            held = []
            for run in pending:
                with hold(self.folders.lock(run)) as mine:
                    if mine:
                        self._do(run)
                    else:
                        held.append(run)
            if len(held) == len(pending):
                return held
            pending = [left for run in held if (left := self.folders.left(run)).cells]
        return []

    def _do(self, run: Run) -> None:
        left = self.folders.left(run)  # another process may have been here since the survey
        if made := [cell for cell in run.cells if cell not in left.cells]:
            self.progress.elsewhere(run, made)
        if not left.cells:
            return
        try:
            seconds = self._train(run)
        except Exception as error:
            self._failed(run, left.cells, f"training {run.name}", error)
            return
        for _, cells in groupby(left.cells, key=lambda cell: cell.benchmark):
            self._evaluate(run, list(cells), seconds)

    def _train(self, run: Run) -> float:
        folder = RunFolder(self.folders.run(run))
        if not self.folders.is_trained(run):
            train(
                RunSettings(run.train, run.method), self.data, folder.path, resume=True, offline=self.offline or None,
                console=self.progress.console_for(f"training {run.name}"),
            )  # fmt: skip
            self.progress.trained(run, training_seconds(folder.read_about()), folder.read_about())
        return training_seconds(folder.read_about())

    def _evaluate(self, run: Run, cells: list[Cell], trained: float) -> None:
        """All cells in one go; if that fails and we are to keep going, each by itself, to lose none that works."""
        doing = f"evaluating {run.name} on {cells[0].benchmark}"
        started = time.perf_counter()
        try:
            results = evaluate_many(
                self.folders.run(run), [cell.evaluation for cell in cells], self.data, offline=self.offline or None,
                console=self.progress.console_for(doing),
            )  # fmt: skip
        except Exception as error:
            if self.keep_going and len(cells) > 1:
                for cell in cells:
                    self._evaluate(run, [cell], trained)
            else:
                self._failed(run, cells, doing, error)
            return
        seconds = (time.perf_counter() - started) / len(cells)
        for cell, result in zip(cells, results, strict=True):
            described = describe_cell(run, cell, result, trained, seconds)
            write_cell(self.folders.cell(cell), described)
            self.progress.evaluated(run, cell, described)

    def _failed(self, run: Run, cells: Sequence[Cell], doing: str, error: Exception) -> None:
        if not self.keep_going:
            if isinstance(error, FewAspectError):
                raise type(error)(f"{doing}: {error}") from error
            raise error
        reason = str(error) if isinstance(error, FewAspectError) else f"{type(error).__name__}: {error}"
        self.failures.update((cell.place, reason) for cell in cells)
        self.progress.failed(run, cells, f"{doing}: {reason}")


def run_grid(
    runs: Sequence[Run], out: Path, data: Path | None, *, offline: bool = False, keep_going: bool = False,
    console: Console | None = None,
) -> tuple[dict[str, str], list[Run]]:  # fmt: skip
    """Make every cell that is missing; returns what failed (with `keep_going`) and what another process is at."""
    folders = Folders(out)
    left, estimate = survey(runs, folders)
    if not keep_going:
        check_data(left, data)
    to_train = [run for run in left if not folders.is_trained(run)]
    total, to_evaluate = sum(len(run.cells) for run in runs), [cell for run in left for cell in run.cells]
    with GridProgress(console or Console(stderr=True), estimate, total, to_train, to_evaluate) as progress:
        execution = Execution(folders, data, offline, keep_going, progress, {})
        held = execution.work_through(left)
    return execution.failures, held

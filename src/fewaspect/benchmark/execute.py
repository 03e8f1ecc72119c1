"""Goes through a grid: trains what is not trained, evaluates what is not evaluated, and can be killed at any moment."""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import Any

from rich.console import Console

from fewaspect.benchmark.cells import describe_cell, finished_cell, write_cell
from fewaspect.benchmark.estimate import Estimate
from fewaspect.benchmark.grid import Cell, Run
from fewaspect.benchmark.lock import hold
from fewaspect.benchmark.report import GridProgress
from fewaspect.data.benchmarks import load_benchmark
from fewaspect.errors import FewAspectError, ResultError
from fewaspect.settings import differences
from fewaspect.training.evaluate_run import evaluate_many
from fewaspect.training.run import RunFolder, RunSettings
from fewaspect.training.trainer import train


@dataclass(frozen=True)
class Folders:
    """Where a grid keeps its runs, cells and locks."""

    out: Path

    def cell(self, cell: Cell) -> Path:
        return self.out / "cells" / cell.file

    def run(self, run: Run) -> Path:
        return self.out / "runs" / run.name

    def lock(self, run: Run) -> Path:
        return self.out / "locks" / f"{run.name}.lock"

    def run_about(self, run: Run) -> dict[str, Any] | None:
        """The run.json of a run that was begun; one that was begun with other settings is refused."""
        folder = RunFolder(self.run(run))
        if not folder.about.is_file():
            return None
        if changed := differences(folder.read_settings().as_dict(), run.settings()):
            raise ResultError(
                f"{folder.about}: expected a run with the settings of the grid, found others: {'; '.join(changed)}.\n"
                "Choose another --out, or delete the folder of the run to have it trained again."
            )
        return folder.read_about()

    def is_trained(self, run: Run) -> bool:
        about = self.run_about(run)
        return about is not None and bool(about["finished"])

    def finished(self, run: Run) -> Iterator[tuple[Cell, dict[str, Any]]]:
        for cell in run.cells:
            if found := finished_cell(self.cell(cell), run, cell):
                yield cell, found

    def left(self, run: Run) -> Run:
        """The run with only those cells that are still to be made."""
        done = {cell for cell, _ in self.finished(run)}
        return dataclasses.replace(run, cells=tuple(cell for cell in run.cells if cell not in done))


def survey(runs: Sequence[Run], folders: Folders) -> tuple[list[Run], Estimate]:
    """What is left to do and how long the rest took; every file that is there is checked before any work begins."""
    estimate = Estimate()
    left = []
    for run in runs:
        for cell, found in folders.finished(run):
            estimate.add_cell(run, cell, found)
        about = folders.run_about(run)
        if about and about["finished"]:
            estimate.add_training(run, _training_seconds(about))
        left.append(folders.left(run))
    return [run for run in left if run.cells], estimate


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
            self._failed(run, left.cells, error)
            return
        for _, cells in groupby(left.cells, key=lambda cell: cell.benchmark):
            self._evaluate(run, list(cells), seconds)

    def _train(self, run: Run) -> float:
        if not self.folders.is_trained(run):
            with self.progress.training(run) as console:
                train(
                    RunSettings(run.train, run.method), self.data, self.folders.run(run), resume=True,
                    offline=self.offline or None, console=console,
                )  # fmt: skip
            about = RunFolder(self.folders.run(run)).read_about()
            self.progress.trained(run, _training_seconds(about), about)
        return _training_seconds(RunFolder(self.folders.run(run)).read_about())

    def _evaluate(self, run: Run, cells: list[Cell], trained: float) -> None:
        """All cells in one go; if that fails and we are to keep going, each by itself, to lose none that works."""
        started = time.perf_counter()
        try:
            with self.progress.evaluating(run) as console:
                results = evaluate_many(
                    self.folders.run(run), [cell.evaluation for cell in cells], self.data,
                    offline=self.offline or None, console=console,
                )  # fmt: skip
        except Exception as error:
            if self.keep_going and len(cells) > 1:
                for cell in cells:
                    self._evaluate(run, [cell], trained)
            else:
                self._failed(run, cells, error)
            return
        seconds = (time.perf_counter() - started) / len(cells)
        for cell, result in zip(cells, results, strict=True):
            described = describe_cell(run, cell, result, trained, seconds)
            write_cell(self.folders.cell(cell), described)
            self.progress.evaluated(run, cell, described)

    def _failed(self, run: Run, cells: Sequence[Cell], error: Exception) -> None:
        if not self.keep_going:
            if isinstance(error, FewAspectError):
                raise type(error)(f"{cells[0].place}: {error}") from error
            raise error
        reason = str(error) if isinstance(error, FewAspectError) else f"{type(error).__name__}: {error}"
        self.failures.update((cell.place, reason) for cell in cells)
        self.progress.failed(run, cells, reason)


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


def _training_seconds(about: dict[str, Any]) -> float:
    return float(about["seconds"] + about["encoding_seconds"])

"""Execution of a grid: trains and evaluates what is missing; killed at any moment, it resumes where it stopped."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path

from rich.console import Console

from fewaspect.core.errors import ConfigError, FewAspectError
from fewaspect.core.files import hold_lock
from fewaspect.data.benchmarks import load_benchmark
from fewaspect.experiments.cells import write_cell
from fewaspect.experiments.grid.grid_folder import GridFolder, survey
from fewaspect.experiments.grid.grid_on_ray import RayCluster
from fewaspect.experiments.grid.grid_progress import GridProgress
from fewaspect.experiments.grid.grid_runs import Run
from fewaspect.experiments.grid.run_worker import CellEvaluated, CellsFailed, Event, RunTrained, RunWorker
from fewaspect.training.processes import world_size


def check_data(runs: Sequence[Run], data: Path | None) -> None:
    """A missing file is reported now and not after hours of training."""
    for benchmark, source in dict.fromkeys((run.train.benchmark, run.train.train) for run in runs):
        load_benchmark(benchmark, data, source or None).require_train()
    trained = {run.train.benchmark for run in runs}
    for name in dict.fromkeys(cell.evaluation.benchmark for run in runs for cell in run.cells):
        if name not in trained:
            load_benchmark(name, data)


@dataclass
class GridExecution:
    """One process at work on a grid. `failures` are the names of the cells that failed, with the reason."""

    worker: RunWorker
    progress: GridProgress
    failures: dict[str, str] = field(default_factory=dict)

    def run_locally(self, runs: Sequence[Run]) -> list[Run]:
        """Do every run that no other process is at; returns those that others hold."""
        pending = list(runs)
        while pending:
            held = []
            for run in pending:
                with hold_lock(self.worker.folder.lock_file(run)) as mine:
                    if not mine:
                        held.append(run)
                    elif (left := self._unfinished(run)).cells:
                        for event in self.worker.events(left, self.progress.console_for):
                            self._record(left, event)
            if len(held) == len(pending):
                return held
            pending = [left for run in held if (left := self.worker.folder.unfinished(run)).cells]
        return []

    def run_on_ray(self, runs: Sequence[Run], cluster: RayCluster) -> list[Run]:
        """The same as tasks on a Ray cluster. This process holds the locks of all runs, and alone writes cells."""
        held = []
        with ExitStack() as locks:
            mine = []
            for run in runs:
                if not locks.enter_context(hold_lock(self.worker.folder.lock_file(run))):
                    held.append(run)
                elif (left := self._unfinished(run)).cells:
                    mine.append(left)
            for run, events in cluster.events(self.worker, mine):
                for event in events:
                    self._record(run, event)
        return held

    def _unfinished(self, run: Run) -> Run:
        """Without the cells that another process has made since the survey."""
        left = self.worker.folder.unfinished(run)
        if made := [cell for cell in run.cells if cell not in left.cells]:
            self.progress.made_elsewhere(run, made)
        return left

    def _record(self, run: Run, event: Event) -> None:
        match event:
            case RunTrained(seconds, metadata):
                self.progress.trained(run, seconds, metadata)
            case CellEvaluated(cell, record):
                write_cell(self.worker.folder.cell_file(cell), record)
                self.progress.evaluated(run, cell, record)
            case CellsFailed():
                self._fail(run, event)

    def _fail(self, run: Run, event: CellsFailed) -> None:
        error = event.error
        if not self.worker.keep_going:
            if isinstance(error, FewAspectError):
                raise type(error)(f"{event.step}: {error}") from error
            raise error
        reason = str(error) if isinstance(error, FewAspectError) else f"{type(error).__name__}: {error}"
        self.failures.update((cell.name, reason) for cell in event.cells)
        self.progress.failed(run, event.cells, f"{event.step}: {reason}")


def run_grid(
    runs: Sequence[Run], out: Path, data: Path | None, *, offline: bool = False, keep_going: bool = False,
    cluster: RayCluster | None = None, console: Console | None = None,
) -> tuple[dict[str, str], list[Run]]:  # fmt: skip
    """Make every missing cell, here or on a Ray cluster.

    Returns what failed (with `keep_going`) and the runs that another process is at.
    """
    if world_size() > 1:
        raise ConfigError(f"expected one process, found {world_size()}: start without a launcher, or with --ray.")
    folder = GridFolder(out)
    left, estimate = survey(runs, folder)
    if not keep_going:
        check_data(left, data)
    to_train = [run for run in left if not folder.is_trained(run)]
    total, to_evaluate = sum(len(run.cells) for run in runs), [cell for run in left for cell in run.cells]
    with GridProgress(console or Console(stderr=True), estimate, total, to_train, to_evaluate) as progress:
        execution = GridExecution(RunWorker(folder, data, offline, keep_going), progress)
        held = execution.run_on_ray(left, cluster) if cluster else execution.run_locally(left)
    return execution.failures, held

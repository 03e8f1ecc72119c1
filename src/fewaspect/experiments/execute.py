"""Goes through a grid: trains what is not trained, evaluates what is not evaluated, and can be killed at any moment."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path

from rich.console import Console

from fewaspect.core.errors import ConfigError, FewAspectError
from fewaspect.data.benchmarks import load_benchmark
from fewaspect.experiments.cells import write_cell
from fewaspect.experiments.folders import Folders, survey
from fewaspect.experiments.grid import Run
from fewaspect.experiments.grid_on_ray import Cluster
from fewaspect.experiments.grid_report import GridProgress
from fewaspect.experiments.lock import hold
from fewaspect.experiments.work import Event, Failed, Made, Trained, Work
from fewaspect.training.processes import world_size


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

    work: Work
    progress: GridProgress
    failures: dict[str, str] = field(default_factory=dict)

    def here(self, runs: Sequence[Run]) -> list[Run]:
        """Do every run that no other process is at; what remains is in other hands."""
        pending = list(runs)
        while pending:
            held = []
            for run in pending:
                with hold(self.work.folders.lock(run)) as mine:
                    if not mine:
                        held.append(run)
                    elif (left := self._left(run)).cells:
                        for event in self.work.on(left, self.progress.console_for):
                            self._take(left, event)
            if len(held) == len(pending):
                return held
            pending = [left for run in held if (left := self.work.folders.left(run)).cells]
        return []

    def on_ray(self, runs: Sequence[Run], cluster: Cluster) -> list[Run]:
        """The same as tasks on a Ray cluster. This process holds the locks of all runs, and alone writes cells."""
        held = []
        with ExitStack() as locks:
            mine = []
            for run in runs:
                if not locks.enter_context(hold(self.work.folders.lock(run))):
                    held.append(run)
                elif (left := self._left(run)).cells:
                    mine.append(left)
            for run, events in cluster.work_on(self.work, mine):
                for event in events:
                    self._take(run, event)
        return held

    def _left(self, run: Run) -> Run:
        """Another process may have been at it since the survey."""
        left = self.work.folders.left(run)
        if made := [cell for cell in run.cells if cell not in left.cells]:
            self.progress.elsewhere(run, made)
        return left

    def _take(self, run: Run, event: Event) -> None:
        match event:
            case Trained(seconds, about):
                self.progress.trained(run, seconds, about)
            case Made(cell, described):
                write_cell(self.work.folders.cell(cell), described)
                self.progress.evaluated(run, cell, described)
            case Failed():
                self._failed(run, event)

    def _failed(self, run: Run, event: Failed) -> None:
        error = event.error
        if not self.work.keep_going:
            if isinstance(error, FewAspectError):
                raise type(error)(f"{event.doing}: {error}") from error
            raise error
        reason = str(error) if isinstance(error, FewAspectError) else f"{type(error).__name__}: {error}"
        self.failures.update((cell.place, reason) for cell in event.cells)
        self.progress.failed(run, event.cells, f"{event.doing}: {reason}")


def run_grid(
    runs: Sequence[Run], out: Path, data: Path | None, *, offline: bool = False, keep_going: bool = False,
    cluster: Cluster | None = None, console: Console | None = None,
) -> tuple[dict[str, str], list[Run]]:  # fmt: skip
    """Make every cell that is missing, here or on a Ray cluster.

    Returns what failed (with `keep_going`) and what another process is at.
    """
    if world_size() > 1:
        raise ConfigError(
            f"expected one process, found {world_size()}: start a grid without a launcher, or with --ray."
        )
    folders = Folders(out)
    left, estimate = survey(runs, folders)
    if not keep_going:
        check_data(left, data)
    to_train = [run for run in left if not folders.is_trained(run)]
    total, to_evaluate = sum(len(run.cells) for run in runs), [cell for run in left for cell in run.cells]
    with GridProgress(console or Console(stderr=True), estimate, total, to_train, to_evaluate) as progress:
        execution = Execution(Work(folders, data, offline, keep_going), progress)
        held = execution.on_ray(left, cluster) if cluster else execution.here(left)
    return execution.failures, held

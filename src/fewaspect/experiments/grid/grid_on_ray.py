"""The runs of a grid as tasks on a Ray cluster: each returns its events, and is started again if its worker is lost."""

from __future__ import annotations

import dataclasses
import logging
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from fewaspect.core.errors import ConfigError
from fewaspect.experiments.grid.grid_folder import GridFolder
from fewaspect.experiments.grid.grid_runs import Run
from fewaspect.experiments.grid.run_worker import CellsFailed, Event, RunWorker

RETRIES = 3  # of a run whose worker or machine is lost


@dataclass(frozen=True)
class RayCluster:
    """Which Ray, and what of it one run takes. Without an address: the one that runs here, or else a new one."""

    address: str | None = None
    cpus: float = 1
    gpus: float = 0

    def events(self, worker: RunWorker, runs: Sequence[Run]) -> Iterator[tuple[Run, list[Event]]]:
        """The runs in the order in which they finish, each with its events."""
        try:
            os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")  # nothing is reported to anybody
            import ray
        except ImportError:
            raise ConfigError('--ray needs Ray, which is not installed: pip install "fewaspect[bulk]".') from None

        task = ray.remote(num_cpus=self.cpus, num_gpus=self.gpus, max_retries=RETRIES)(do_run)
        with ray.init(self.address, logging_level=logging.ERROR):
            pending = {task.remote(_with_absolute_paths(worker), run, str(Path.cwd())): run for run in runs}
            while pending:
                (done,), _ = ray.wait(list(pending), num_returns=1)
                run = pending.pop(done)
                try:
                    yield run, ray.get(done)
                except ray.exceptions.RayError as error:  # lost too often, or no room for it
                    cause = getattr(error, "cause", None) or error
                    yield run, [CellsFailed(run.cells, f"{run.name} on Ray", cause)]


def do_run(worker: RunWorker, run: Run, folder: str) -> list[Event]:
    """A task. Files that settings name are looked for where the command was started, if the worker can see it."""
    if Path(folder).is_dir():
        os.chdir(folder)
    return list(worker.events(run))


def _with_absolute_paths(worker: RunWorker) -> RunWorker:
    return dataclasses.replace(
        worker, folder=GridFolder(worker.folder.path.resolve()), data=worker.data and worker.data.resolve()
    )

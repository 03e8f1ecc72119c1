"""All that a running studio has, in one hand: store, engine, batches, jobs, numbers, limits."""

from __future__ import annotations

import asyncio
import gc
from collections.abc import Callable
from pathlib import Path

from fewaspect.detector.scorer import Scorer
from fewaspect.serving.batching import Batcher
from fewaspect.serving.engine import Engine
from fewaspect.serving.jobs import Jobs
from fewaspect.serving.limits import Limits
from fewaspect.serving.metrics import Metrics
from fewaspect.serving.store.database import Database


class Studio:
    """`load` gives the weights to score with; by default the shipped ones."""

    def __init__(self, where: str, limits: Limits | None = None, load: Callable[[], Scorer] | None = None) -> None:
        self.limits = limits or Limits()
        self.database = Database(where)
        self.engine = Engine(self.database, load)
        self.metrics = Metrics()
        self.batcher = Batcher(self.metrics)
        self.jobs = Jobs()
        self.previewing = asyncio.Semaphore(self.limits.previews)

    def warm(self) -> None:
        """Load the weights and the first project, so that the first page does not wait for them."""
        from fewaspect.serving.store.projects import list_projects

        _ = self.engine.scorer
        with self.database.read() as connection:
            first = list_projects(connection)[:1]
        for project in first:
            self.engine.state(project["id"])
        gc.collect()
        gc.freeze()  # else all that was loaded is looked through again and again, while every request waits

    def close(self) -> None:
        self.jobs.stop()
        self.engine.stop()
        self.batcher.stop()
        self.database.close()


def default_data() -> Path:
    """Where the studio keeps its data unless told otherwise."""
    from platformdirs import user_data_path

    return user_data_path("fewaspect", appauthor=False) / "studio.db"

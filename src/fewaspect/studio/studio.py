"""The services of a running studio: database, engine, request batches, jobs, metrics, limits."""

from __future__ import annotations

import asyncio
import gc
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from sqlalchemy import Connection

from fewaspect.detector.model import InferenceModel
from fewaspect.studio.engine.engine import Engine
from fewaspect.studio.engine.request_batches import RequestBatcher
from fewaspect.studio.importing.archive_size import definition_size, too_much_said
from fewaspect.studio.importing.jobs import Jobs
from fewaspect.studio.limits import LIMITS, Limits
from fewaspect.studio.monitoring import Metrics
from fewaspect.studio.store.database import Database
from fewaspect.studio.store.projects import list_projects, project_row
from fewaspect.studio.temporary import TemporaryFolder


class Studio:
    """`load` returns the model to score with, by default the shipped one."""

    def __init__(self, where: str, limits: Limits = LIMITS, load: Callable[[], InferenceModel] | None = None) -> None:
        self.limits = limits
        self.database = Database(where)
        self.engine = Engine(self.database, load)
        self.metrics = Metrics()
        self.batcher = RequestBatcher(self.metrics)
        self.jobs = Jobs()
        self.temporary = TemporaryFolder()
        self.streams = 0  # of progress, that are open
        self.previews = asyncio.Semaphore(limits.previews)

    def warm(self) -> None:
        """Load the model and the first project, so that the first page does not wait for them."""
        _ = self.engine.model
        with self.database.read() as connection:
            projects = list_projects(connection)
        if projects:
            self.engine.snapshot(projects[0]["id"])
        gc.collect()
        gc.freeze()  # else each collection scans all that was loaded, while every request waits

    @contextmanager
    def write(self, project: int) -> Iterator[Connection]:
        """A transaction that changes a project, which must exist; refused if it grows beyond what can be read again."""
        with self.database.write() as connection:
            project_row(connection, project)
            yield connection
            if (size := definition_size(connection, project)) > self.limits.definition_chars:
                with self.database.read() as before:  # it may have been too large in an earlier version
                    if size > definition_size(before, project):
                        raise too_much_said(self.limits.definition_chars, size)

    def close(self) -> None:
        self.jobs.stop()
        self.engine.stop()
        self.batcher.stop()
        self.database.close()
        self.temporary.close()


def default_data() -> Path:
    """The database of the user."""
    from platformdirs import user_data_path

    return user_data_path("fewaspect", appauthor=False) / "studio.db"

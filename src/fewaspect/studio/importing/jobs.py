"""Background jobs and their progress."""

from __future__ import annotations

import itertools
import logging
import threading
from collections.abc import Callable
from dataclasses import dataclass
from queue import SimpleQueue
from typing import Any

from fewaspect.core.errors import FewAspectError
from fewaspect.studio.problems import NO_SPACE, NotFoundError, storage_error

CAPACITY = 200  # jobs whose progress is kept
THREADS = 2
JOIN_SECONDS = 5  # for each thread to end when the studio stops
INTERNAL = "expected to finish, found an internal error of the studio; see its log."
Work = Callable[["Job"], None]
_log = logging.getLogger(__name__)


@dataclass
class Job:
    """Progress for the page; `failed`: why, in words."""

    id: int
    project: int
    stage: str = "reading"
    done: int = 0
    total: int = 0
    skipped: int = 0
    imported: int = 0
    duplicates: int = 0  # rows that the project had already
    finished: bool = False
    failed: str | None = None

    def progress(self) -> dict[str, Any]:
        return {
            "stage": self.stage, "done": self.done, "total": self.total, "skipped": self.skipped,
            "imported": self.imported, "duplicates": self.duplicates,
        }  # fmt: skip


class Jobs:
    """Two jobs run at a time; the others are queued. None keeps the process from ending."""

    def __init__(self) -> None:
        self.stopping = threading.Event()
        self._waiting: SimpleQueue[tuple[Job, Work] | None] = SimpleQueue()
        self._threads = [threading.Thread(target=self._work, name="importing", daemon=True) for _ in range(THREADS)]
        for thread in self._threads:
            thread.start()
        self._jobs: dict[int, Job] = {}
        self._numbers = itertools.count(1)

    def start(self, project: int, work: Work) -> Job:
        job = Job(next(self._numbers), project)
        self._jobs[job.id] = job
        while len(self._jobs) > CAPACITY:
            self._jobs.pop(next(iter(self._jobs)))
        self._waiting.put((job, work))
        return job

    def get(self, project: int, number: int) -> Job:
        job = self._jobs.get(number)
        if job is None or job.project != project:
            raise NotFoundError(f"expected a job of this project, found none with the id {number}.")
        return job

    def running(self, project: int) -> int | None:
        """The newest job of a project that has not ended."""
        own = (job.id for job in reversed([*self._jobs.values()]) if job.project == project and not job.finished)
        return next(own, None)

    def stop(self) -> None:
        """Queued jobs still start, find that the studio stops, and remove their files."""
        self.stopping.set()
        for _ in self._threads:
            self._waiting.put(None)
        for thread in self._threads:
            thread.join(JOIN_SECONDS)

    def _work(self) -> None:
        while (task := self._waiting.get()) is not None:
            self._run(*task)

    def _run(self, job: Job, work: Work) -> None:
        try:
            work(job)
        except FewAspectError as error:
            job.failed = str(error)
        except Exception as error:
            if isinstance(error, OSError) and error.errno in NO_SPACE:
                job.failed = str(storage_error(error))
            else:
                _log.exception("import failed")
                job.failed = INTERNAL
        job.finished = True

"""Background jobs and their progress."""

from __future__ import annotations

import itertools
import logging
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

from fewaspect.core.errors import FewAspectError
from fewaspect.studio.problems import NotFoundError

CAPACITY = 200  # jobs whose progress is kept
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
    finished: bool = False
    failed: str | None = None

    def progress(self) -> dict[str, Any]:
        return {"stage": self.stage, "done": self.done, "total": self.total, "skipped": self.skipped}


class Jobs:
    """Two jobs run at a time; the others are queued."""

    def __init__(self) -> None:
        self.stopping = threading.Event()
        self._pool = ThreadPoolExecutor(2, thread_name_prefix="importing")
        self._jobs: dict[int, Job] = {}
        self._numbers = itertools.count(1)

    def start(self, project: int, work: Callable[[Job], None]) -> Job:
        job = Job(next(self._numbers), project)
        self._jobs[job.id] = job
        while len(self._jobs) > CAPACITY:
            self._jobs.pop(next(iter(self._jobs)))
        self._pool.submit(self._run, job, work)
        return job

    def get(self, project: int, number: int) -> Job:
        job = self._jobs.get(number)
        if job is None or job.project != project:
            raise NotFoundError(f"expected a job of this project, found none with the id {number}.")
        return job

    def stop(self) -> None:
        self.stopping.set()
        self._pool.shutdown(wait=True, cancel_futures=True)

    def _run(self, job: Job, work: Callable[[Job], None]) -> None:
        try:
            work(job)
        except FewAspectError as error:
            job.failed = str(error)
        except Exception:
            _log.exception("import failed")
            job.failed = "expected to finish, found an internal error of the studio; see its log."
        job.finished = True

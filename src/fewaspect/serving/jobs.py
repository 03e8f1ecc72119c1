"""Work that outlasts its request, and how far it is."""

from __future__ import annotations

import itertools
import logging
import threading
from collections.abc import Callable
from dataclasses import dataclass
from queue import SimpleQueue
from typing import Any

from fewaspect.errors import FewAspectError
from fewaspect.serving.errors import MissingError

KEPT = 200  # jobs that can still be asked about
AT_ONCE = 2
PATIENCE = 5  # seconds for each to end when the studio stops
Work = Callable[["Job"], None]
_log = logging.getLogger(__name__)


@dataclass
class Job:
    """What the page shows while it waits; `failed` says why, in words."""

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
    """Two at a time; the others wait. None keeps the process from ending."""

    def __init__(self) -> None:
        self.stopping = threading.Event()
        self._waiting: SimpleQueue[tuple[Job, Work] | None] = SimpleQueue()
        self._threads = [threading.Thread(target=self._work, name="importing", daemon=True) for _ in range(AT_ONCE)]
        for thread in self._threads:
            thread.start()
        self._jobs: dict[int, Job] = {}
        self._numbers = itertools.count(1)

    def start(self, project: int, work: Work) -> Job:
        job = Job(next(self._numbers), project)
        self._jobs[job.id] = job
        while len(self._jobs) > KEPT:
            self._jobs.pop(next(iter(self._jobs)))
        self._waiting.put((job, work))
        return job

    def get(self, project: int, number: int) -> Job:
        job = self._jobs.get(number)
        if job is None or job.project != project:
            raise MissingError(f"expected a job of this project, found none with the id {number}.")
        return job

    def stop(self) -> None:
        """Those that wait still begin, find that the studio stops, and clear up."""
        self.stopping.set()
        for _ in self._threads:
            self._waiting.put(None)
        for thread in self._threads:
            thread.join(PATIENCE)

    def _work(self) -> None:
        while (task := self._waiting.get()) is not None:
            self._run(*task)

    def _run(self, job: Job, work: Work) -> None:
        try:
            work(job)
        except FewAspectError as error:
            job.failed = str(error)
        except Exception:
            _log.exception("import failed")
            job.failed = "expected to finish, found a fault in the studio; its log says more."
        job.finished = True

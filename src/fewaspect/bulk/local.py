"""The job in this process: what a cluster must give too, and what tests compare it with."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from fewaspect.bulk.packing import unpack
from fewaspect.bulk.partition import Counts, Worker

if TYPE_CHECKING:
    from fewaspect.bulk.job import Job
    from fewaspect.bulk.plan import Part


def work_alone(job: Job, parts: list[Part]) -> Iterator[Counts]:
    """Partition by partition."""
    worker = Worker(unpack(job.detector), job.plan, job.output)
    yield from map(worker.finish, parts)

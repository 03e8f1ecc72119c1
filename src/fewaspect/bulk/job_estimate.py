"""How long a job would take and how much memory an actor would need, from a sample of its own rows."""

from __future__ import annotations

import resource
import sys
import time
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from fewaspect.bulk.partition_reader import read_partition
from fewaspect.bulk.worker import Counts, Worker

if TYPE_CHECKING:
    from rich.table import Table

    from fewaspect.bulk.job import Job
    from fewaspect.bulk.plan import Partition
    from fewaspect.detector.detector import AspectDetector

SAMPLE = 2000  # rows, from the beginning, the middle and the end
_SAMPLED = 5


@dataclass(frozen=True)
class Estimate:
    """What is left of a job, and how fast a sample of it was."""

    rows: int
    partitions: int
    bad_share: float
    rows_per_second: float  # of one actor
    actors: int
    megabytes: float  # of an actor

    @property
    def seconds(self) -> float:
        return self.rows / (self.rows_per_second * self.actors)


def estimate(job: Job, todo: list[Partition], detector: AspectDetector, actors: int, rows: int = SAMPLE) -> Estimate:
    """Scores a sample in this process, as an actor would, and writes nothing."""
    worker, counts = Worker(detector, job.plan, job.output), Counts(aspects=dict.fromkeys(job.classes, 0))
    sampled = [todo[n * (len(todo) - 1) // (_SAMPLED - 1)] for n in range(_SAMPLED)] if len(todo) > _SAMPLED else todo
    detector.predict_proba(["warm up"])
    started = time.perf_counter()
    for partition in sampled:
        few = replace(partition, rows=min(partition.rows, rows // len(sampled) or 1))
        for chunk in read_partition(job.plan, few):
            worker.score(chunk.table, counts)
            counts.bad += len(chunk.bad)
    seen = max(1, counts.rows + counts.bad)
    speed = seen / max(time.perf_counter() - started, 1e-9)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (2**20 if sys.platform == "darwin" else 2**10)
    return Estimate(sum(partition.rows for partition in todo), len(todo), counts.bad / seen, speed, actors, peak)


def estimate_table(found: Estimate) -> Table:
    """For the terminal."""
    from rich.table import Table

    table = Table(title="estimate", title_justify="left", show_header=False)
    table.add_column()
    table.add_column(justify="right")
    minutes, seconds = divmod(round(found.seconds), 60)
    for name, value in (
        ("rows to read", f"{found.rows:,}"),
        ("partitions", f"{found.partitions:,}"),
        ("bad rows in the sample", f"{found.bad_share:.2%}"),
        ("rows per second and actor", f"{found.rows_per_second:,.0f}"),
        ("actors", f"{found.actors:,}"),
        ("time", f"{minutes // 60:,} h {minutes % 60} min {seconds} s"),
        ("memory of an actor", f"{found.megabytes:,.0f} MB"),
        ("memory of all actors", f"{found.megabytes * found.actors:,.0f} MB"),
    ):
        table.add_row(name, value)
    return table

"""A job: plan it or go on with its plan, process what is not finished, count, and write a summary."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any

from fewaspect.bulk.adaptation import adapted_detector
from fewaspect.bulk.packing import PackedDetector, digest_of, pile_size, unpack
from fewaspect.bulk.plan import BulkSettings, Map, Partition, Plan, identity_of, load_plan, make_plan, save_plan
from fewaspect.bulk.storage import filesystem, find_files, remove_temporary_files, write_file
from fewaspect.bulk.worker import BAD, Counts, Worker, read_counts, unfinished
from fewaspect.core.errors import ConfigError, DataError
from fewaspect.core.settings import to_json
from fewaspect.data.formats.records import Place
from fewaspect.detector.arrow_tables import added_names
from fewaspect.reviews.pipeline import Summary, summary_table

if TYPE_CHECKING:
    from rich.table import Table

    from fewaspect.detector.model import InferenceModel

SUMMARY = "_summary.json"
_AT_ONCE = 16  # files looked into, which is waiting for the most part


@dataclass(frozen=True)
class Job:
    """What is to be done: the plan, where its results go, and by which detector."""

    plan: Plan
    output: str
    detector: PackedDetector
    classes: tuple[str, ...]


Process = Callable[[Job, list[Partition]], Iterator[Counts]]
"""Processes partitions in any order and yields the counts of each: `process_locally`, `RayCluster.process`."""


def prepare_job(
    source: str, output: str, settings: BulkSettings, detector: PackedDetector, classes: Iterable[str], each: Map = map,
    promised: bool = False,
) -> Job:  # fmt: skip
    """The job that was begun in `output`, or a new one, which is not written yet; what cannot be done is refused."""
    output, classes = output.rstrip("/"), tuple(classes)
    files = find_files(source)
    if _lies_in(output, source) or any(_lies_in(file.path, output) for file in files):
        raise ConfigError(f"{output}: expected a folder apart from the input, found one in the other.")
    identity = identity_of(files, digest_of(detector), settings)
    plan = load_plan(output, settings, identity) or make_plan(files, settings, identity, each)
    Place(source).refuse_clash(plan.schema.names, added_names(classes, settings.prefix, promised, settings.sentiment))
    return Job(plan, output, detector, classes)


def run_job(
    job: Job, process: Process, max_bad: float = 0.01, progress: Callable[[int], None] = lambda rows: None,
    learned: Callable[[int], None] = lambda sentences: None,
) -> Counts:  # fmt: skip
    """Process the partitions that are not finished, count all of them, and write the summary.

    It stops as soon as so many rows are bad that their share of the whole input exceeds `max_bad`. `learned` gets
    how many unlabelled sentences the detector learned from.
    """
    started = time.perf_counter()
    if load_plan(job.output, job.plan.settings, job.plan.identity) is None:
        save_plan(job.plan, job.output)
    if todo := unfinished(job.plan, job.output):
        job = replace(job, detector=adapted_detector(job.plan, job.output, job.detector))
        learned(pile_size(job.detector))
    left = {partition.number for partition in todo}
    total, now = Counts(aspects=dict.fromkeys(job.classes, 0)), 0
    with ThreadPoolExecutor(_AT_ONCE) as pool:
        done = [partition for partition in job.plan.partitions if partition.number not in left]
        for counts in pool.map(lambda partition: read_counts(partition, job.output), done):
            _count(job, total, counts, max_bad, progress)
    for counts in process(job, todo) if todo else ():
        now += counts.rows + counts.bad
        _count(job, total, counts, max_bad, progress)
    remove_temporary_files(job.output)
    summary = to_json(_summary(job, total, now, time.perf_counter() - started))
    write_file(f"{job.output}/{SUMMARY}", summary.encode())
    return total


def process_locally(job: Job, partitions: list[Partition]) -> Iterator[Counts]:
    """One after another in this process: what a cluster must give too, and what tests compare it with."""
    worker = Worker(unpack(job.detector), job.plan, job.output)
    yield from map(worker.process, partitions)


def job_summary(total: Counts, classes: Iterable[str], model: InferenceModel | None = None) -> Summary:
    """As `fewaspect detect` has it."""
    return Summary(
        tuple(classes), total.rows, total.sentences, total.without, counts=Counter(total.aspects),
        languages=Counter(total.languages), model=model,
    )  # fmt: skip


def job_table(total: Counts, classes: Iterable[str]) -> Table:
    """For the terminal, as `fewaspect detect` shows it, with bad rows, and how many texts were not in the cache."""
    table = summary_table(job_summary(total, classes))
    table.title = f"{total.rows:,} rows, {total.bad:,} bad ones beside"
    rate = total.sentences / max(total.seconds, 1e-9)
    table.caption = f"{total.sentences:,} sentences, {rate:,.0f} per second and actor; {total.read:,} texts were new"
    return table


def _count(job: Job, total: Counts, counts: Counts, max_bad: float, progress: Callable[[int], None]) -> None:
    total.add(counts)
    progress(counts.rows + counts.bad)
    if total.bad > max_bad * job.plan.rows:
        raise DataError(
            f"{total.bad:,} of {job.plan.rows:,} rows are bad so far, more than the share of {max_bad:g} that is "
            f"allowed; the first: {total.first_fault}.\nAll are in {job.output}/{BAD}. Mend them, or go on with a "
            "larger --max-bad."
        )


def _summary(job: Job, total: Counts, now: int, seconds: float) -> dict[str, Any]:
    """`seconds` and the rate are of the last run only, if the job was interrupted."""
    return {
        **{name: value for name, value in asdict(total).items() if name != "seconds"},
        "partitions": len(job.plan.partitions),
        "work_seconds": round(total.seconds, 3),
        "last_run": {"rows": now, "seconds": round(seconds, 3), "rows_per_second": round(now / max(seconds, 1e-9), 1)},
        "settings": job.plan.identity["settings"],
        "input": job.plan.identity["input"],
        "detector": job.plan.identity["detector"],
    }


def _lies_in(path: str, folder: str) -> bool:
    return filesystem(path)[1].startswith(filesystem(folder)[1].rstrip("/") + "/")

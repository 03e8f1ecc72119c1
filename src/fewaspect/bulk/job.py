"""A job: plan it or take up its plan, finish what is not finished, count, and say what was found in all."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from typing import Any

from fewaspect.bulk.packing import Packed, digest_of
from fewaspect.bulk.partition import BAD, Counts, counts_of, unfinished
from fewaspect.bulk.plan import BulkSettings, Each, Part, Plan, identity_of, load_plan, make_plan, save_plan
from fewaspect.bulk.storage import filesystem, find_files, put, remove_leftovers
from fewaspect.core.errors import ConfigError, DataError
from fewaspect.core.settings import to_json
from fewaspect.data.formats.places import Place
from fewaspect.detector.tables import added_names
from fewaspect.reviews.rows import Layout

SUMMARY = "_summary.json"
_AT_ONCE = 16  # files looked into, which is waiting for the most part


@dataclass(frozen=True)
class Job:
    """What is to be done: the plan, where its results go, and by which detector."""

    plan: Plan
    output: str
    detector: Packed
    classes: tuple[str, ...]


def prepare(
    source: str, output: str, settings: BulkSettings, detector: Packed, classes: Iterable[str], each: Each = map
) -> Job:
    """The job that was begun in `output`, or a new one, which is not written yet; what cannot be done is refused."""
    output, classes = output.rstrip("/"), tuple(classes)
    files = find_files(source)
    if _lies_in(output, source) or any(_lies_in(file.path, output) for file in files):
        raise ConfigError(f"{output}: expected a folder apart from the input, found one in the other.")
    identity = identity_of(files, digest_of(detector), settings)
    plan = load_plan(output, settings, identity) or make_plan(files, settings, identity, each)
    Layout(classes).refuse_clash(plan.schema.names, added_names(classes, settings.prefix), Place(source))
    return Job(plan, output, detector, classes)


Work = Callable[[Job, list[Part]], Iterator[Counts]]


def run(job: Job, work: Work, max_bad: float = 0.01, progress: Callable[[int], None] = lambda rows: None) -> Counts:
    """Finish the partitions that are not, count all of them, and write the summary.

    It stops as soon as so many rows are bad that their share of the whole input exceeds `max_bad`.
    """
    started = time.perf_counter()
    if load_plan(job.output, job.plan.settings, job.plan.identity) is None:
        save_plan(job.plan, job.output)
    todo = unfinished(job.plan, job.output)
    left = {part.number for part in todo}
    total, now = Counts(aspects=dict.fromkeys(job.classes, 0)), 0
    with ThreadPoolExecutor(_AT_ONCE) as pool:
        done = [part for part in job.plan.parts if part.number not in left]
        for counts in pool.map(lambda part: counts_of(part, job.output), done):
            _count(job, total, counts, max_bad, progress)
    for counts in work(job, todo) if todo else ():
        now += counts.rows + counts.bad
        _count(job, total, counts, max_bad, progress)
    remove_leftovers(job.output)
    put(f"{job.output}/{SUMMARY}", to_json(_summary(job, total, now, time.perf_counter() - started)).encode())
    return total


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
    """`seconds` and the rate are those of the last run alone, if the job was interrupted."""
    return {
        **{name: value for name, value in asdict(total).items() if name != "seconds"},
        "partitions": len(job.plan.parts),
        "work_seconds": round(total.seconds, 3),
        "last_run": {"rows": now, "seconds": round(seconds, 3), "rows_per_second": round(now / max(seconds, 1e-9), 1)},
        "settings": job.plan.identity["settings"],
        "input": job.plan.identity["input"],
        "detector": job.plan.identity["detector"],
    }


def _lies_in(path: str, folder: str) -> bool:
    return filesystem(path)[1].startswith(filesystem(folder)[1].rstrip("/") + "/")

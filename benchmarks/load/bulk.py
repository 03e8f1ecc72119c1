"""Bulk detection on this machine: rows per second, memory of driver and actors, and what a larger cluster would meet.

    python benchmarks/load/bulk.py [--rows 200000] [--actors 1 2] [--parts 2000] [--json docs/results/bulk.json]

The rows are reviews of one or two sentences of the sample set, each with a number, so that no text repeats. Each job
is `fewaspect bulk` in a process of its own with one thread per actor, the largest on all rows, others on a fifth;
before, between and after the jobs the bare detector reads some of the same rows, in as many processes as the next job
has actors. Then the parts that one machine does for all: handing out partitions, listing files, reading footers,
dividing text.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import mean
from typing import Any

import psutil
import pyarrow as pa
import pyarrow.parquet as pq

from detect_memory import generated_reviews
from fewaspect import AspectDetector
from fewaspect.bulk.partition_reader import CHUNK
from fewaspect.bulk.partitioning import partition_file
from fewaspect.bulk.ray_cluster import start_ray
from fewaspect.bulk.storage import find_files
from fewaspect.data.sample_set import load_showcase
from fewaspect.experiments.results_file import publish
from fewaspect.reviews.formats import InputFormat


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=200_000)
    parser.add_argument("--partition-rows", type=int, default=5000)
    parser.add_argument("--bare-rows", type=int, default=5000, help="that the bare detector reads each time")
    parser.add_argument("--actors", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--parts", type=int, default=2000, help="empty partitions and small files to handle")
    parser.add_argument("--json", type=Path)
    parser.add_argument(
        "--bare", nargs=3, metavar=("MODEL", "INPUT", "ROWS"), help="arguments of each process without Ray"
    )
    arguments = parser.parse_args()
    if arguments.bare:
        model, source, rows = arguments.bare
        print(*bare_rate(model, source, int(rows)))
        return
    with tempfile.TemporaryDirectory() as folder:
        result = measure(Path(folder), arguments)
    publish(result, arguments.json)


def measure(folder: Path, arguments: argparse.Namespace) -> dict[str, Any]:
    model, source = folder / "model", folder / "reviews.parquet"
    AspectDetector().fit(load_showcase().examples).save(model)
    texts = [f"Table {number}: {text}" for number, text in enumerate(generated_reviews(arguments.rows))]
    size = min(arguments.partition_rows, arguments.rows)
    pq.write_table(pa.table({"id": range(len(texts)), "text": texts}), source, row_group_size=size)
    del texts
    jobs = []
    for actors in arguments.actors:
        before = bare(model, source, arguments.bare_rows, actors)
        rows = arguments.rows if actors == max(arguments.actors) else max(size, arguments.rows // 5)
        job = run_job(source, folder / f"out-{actors}", model, actors, size, rows)
        after = bare(model, source, arguments.bare_rows, actors)
        job["bare_rows_per_second"] = mean([before[0], after[0]])  # of each of as many processes
        job["bare_rows_per_cpu_second"] = mean([before[1], after[1]])
        job["share_of_bare"] = job["rows_per_second"] / (actors * job["bare_rows_per_second"])
        job["share_of_bare_by_cpu"] = job["rows_per_cpu_second"] / job["bare_rows_per_cpu_second"]
        jobs.append(job)
        print(job, flush=True)
    first, last = jobs[0], jobs[-1]
    return {
        "rows": arguments.rows,
        "partition_rows": size,
        "jobs": jobs,
        "scaling": last["rows_per_second"] / first["rows_per_second"],
        "single_parts": single_parts(folder, arguments.parts),
    }


def bare(model: Path, source: Path, rows: int, processes: int) -> tuple[float, float]:
    """Rows per second of each, with nothing around the detector, one thread each; also of a core's own time."""
    command = [sys.executable, __file__, "--bare", str(model), str(source), str(rows)]
    running = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=one_thread()) for _ in range(processes)]
    rates = [[float(rate) for rate in process.communicate()[0].split()] for process in running]
    return mean(rate for rate, _ in rates), mean(rate for _, rate in rates)


def bare_rate(model: str, source: str, rows: int) -> tuple[float, float]:
    detector = AspectDetector.load(model)
    texts = pq.read_table(source).slice(0, rows)["text"].to_pylist()
    detector.predict_proba(texts[:100])
    begun, used = time.perf_counter(), time.process_time()
    for start in range(0, len(texts), CHUNK):
        detector.predict_proba(texts[start : start + CHUNK])
    return len(texts) / (time.perf_counter() - begun), len(texts) / (time.process_time() - used)


def run_job(source: Path, output: Path, model: Path, actors: int, size: int, rows: int) -> dict[str, Any]:
    """The command on the first rows, and the largest memory that it and its actors held."""
    options = {"model": model, "actors": actors, "threads": 1, "partition-rows": size, "limit": rows}
    command = ["bulk", source, output, *(part for name, value in options.items() for part in (f"--{name}", value))]
    driver = subprocess.Popen([sys.executable, "-m", "fewaspect", *map(str, command), "--quiet"], env=one_thread())
    peaks: dict[str, dict[int, float]] = {"driver": {}, "actors": {}, "cpu": {}}
    while driver.poll() is None:
        record_peaks(driver.pid, peaks)
        time.sleep(0.5)
    if driver.returncode:
        raise SystemExit(f"the job failed with {driver.returncode}")
    summary = json.loads((output / "_summary.json").read_text())
    return {
        "actors": actors,
        "rows": summary["rows"],
        "rows_per_second": summary["last_run"]["rows_per_second"],  # by the clock, the start of the actors included
        "rows_per_second_at_work": actors * summary["rows"] / summary["work_seconds"],  # without waiting and writing
        "rows_per_cpu_second": summary["rows"] / sum(peaks["cpu"].values()),  # the start of the actors included
        "sentences": summary["sentences"],
        "driver_megabytes": max(peaks["driver"].values()),
        "actor_megabytes": sorted(peaks["actors"].values()),
    }


def record_peaks(driver: int, peaks: dict[str, dict[int, float]]) -> None:
    try:
        family = psutil.Process(driver).children(recursive=True)
        peaks["driver"][driver] = peak_of(driver)
        for process in family:
            if "ray::MapWorker" in " ".join(process.cmdline()):
                peaks["actors"][process.pid] = peak_of(process.pid)
                peaks["cpu"][process.pid] = sum(process.cpu_times()[:2])
    except (psutil.Error, OSError, StopIteration):
        pass  # one of them has just ended


def peak_of(process: int) -> float:
    """Megabytes that a process held at most so far."""
    lines = Path(f"/proc/{process}/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("VmHWM")) / 2**10


def single_parts(folder: Path, parts: int) -> dict[str, float]:
    """What one process does for the whole job, per second."""
    found = {}
    with start_ray(threads=1) as cluster:
        from ray.data import ActorPoolStrategy, from_items

        items = [{"part": json.dumps({"number": n, "path": "s3://bucket/file", "start": n})} for n in range(parts)]
        pool = ActorPoolStrategy(size=cluster.actors, max_tasks_in_flight_per_actor=2)
        data = from_items(items, override_num_blocks=parts).map_batches(Nothing, batch_size=1, compute=pool)
        done = iter(data.iter_rows())
        next(done)  # the actors have started
        rest, found["partitions_handed_out_per_second"] = timed(lambda: list(done), parts - 1)
        assert len(rest) == parts - 1
    (small := folder / "small").mkdir()
    pq.write_table(pa.table({"text": ["a"]}), small / "0.parquet")
    for number in range(1, parts):
        (small / f"{number}.parquet").write_bytes((small / "0.parquet").read_bytes())
    files, found["files_listed_per_second"] = timed(lambda: find_files(str(small)), parts)
    _, found["footers_read_per_second"] = timed(
        lambda: [partition_file(file.path, InputFormat.PARQUET, "utf-8", 1000) for file in files], parts
    )
    for format in (InputFormat.JSONL, InputFormat.CSV):
        path = folder / f"text.{format.value}"
        lines = [f'{{"id": {n}, "text": "the soup was cold at table {n}"}}\n' for n in range(50_000)]
        rows = ["id,text\n", *(f"{n},the soup was cold at table {n}\n" for n in range(50_000))]
        path.write_text("".join(lines if format is InputFormat.JSONL else rows))
        name = f"rows_of_{format.value}_divided_per_second"
        _, found[name] = timed(
            lambda path=path, format=format: partition_file(str(path), format, "utf-8", 1000), 50_000
        )
    return found


class Nothing:
    """An actor without work."""

    def __call__(self, batch: dict[str, Any]) -> dict[str, Any]:
        return batch


def timed(work: Any, count: int) -> tuple[Any, float]:
    begun = time.perf_counter()
    answer = work()
    return answer, count / (time.perf_counter() - begun)


def one_thread() -> dict[str, str]:
    return {**os.environ, "OMP_NUM_THREADS": "1"}


if __name__ == "__main__":
    main()

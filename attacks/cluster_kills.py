"""Bulk jobs on a Ray of its own, in which the driver, an actor or a machine is killed at a random instant.

`python -m attacks.cluster_kills --what actor --kills 50`. One Ray serves all jobs. When an actor or a machine is
killed the job must end with all rows; after a killed driver the same job, begun again, must.
"""

from __future__ import annotations

import argparse
import os
import signal
import sys
import tempfile
import threading
import time
import traceback
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

from attacks.kills import child
from attacks.record import add_record_option, record, recorded
from attacks.victims import reviews, rows

QUIET = {"RAY_BACKEND_LOG_LEVEL": "fatal", "RAY_USAGE_STATS_ENABLED": "0", "RAY_DEDUP_LOGS": "0"}
STORE = 80 << 20


class Cluster:
    """Ray with one machine that stays, and jobs over the same small file."""

    def __init__(self, folder: Path) -> None:
        from ray.cluster_utils import Cluster as Machines

        from fewaspect import AspectDetector
        from fewaspect.bulk.packing import pack

        reviews(folder)
        self.folder = folder
        self.packed = pack(AspectDetector().fit({"food": ["cold soup"], "staff": ["a rude waiter"]}))
        self.machines = _started(
            lambda: Machines(initialize_head=True, head_node_args={"num_cpus": 1, "object_store_memory": STORE})
        )
        self.begun = threading.Event()

    def work(self, output: Path, actors: int = 1) -> None:
        """A whole job; `begun` once a partition is done."""
        from fewaspect.bulk.ray_cluster import start_ray

        with start_ray(self.machines.address, actors) as cluster:
            self.run(output, cluster.process)

    def run(self, output: Path, process: Callable[..., Any]) -> None:
        from fewaspect.bulk.job import prepare_job, run_job
        from fewaspect.bulk.plan import BulkSettings
        from fewaspect.reviews.formats import InputFormat

        settings = BulkSettings(InputFormat.CSV, rows=5, adapt=False)
        source, out = str(self.folder / "r.csv"), str(output / "out")
        run_job(
            prepare_job(source, out, settings, self.packed, ("food", "staff")), process,
            progress=lambda done: self.begun.set(),
        )  # fmt: skip

    def kill_driver(self, output: Path, random: Random) -> bool:
        """Whether it was in the midst of the job, which is then done again here."""
        from fewaspect.bulk.job import process_locally

        driver = child(self.work, output)
        until = time.monotonic() + 120
        while not list((output / "out").glob("*.parquet")) and time.monotonic() < until:
            time.sleep(0.01)
        time.sleep(random.random() * 0.5)
        os.kill(driver, signal.SIGKILL)
        killed = os.waitstatus_to_exitcode(os.waitpid(driver, 0)[1]) == -signal.SIGKILL
        killed &= not (output / "out" / "_summary.json").exists()
        time.sleep(0.5)  # its actor ends after it
        self.run(output, process_locally)
        return killed

    def kill_actor(self, output: Path, random: Random) -> bool:
        return self._during(output, 1, random, _kill_a_worker)

    def kill_machine(self, output: Path, random: Random) -> bool:
        second = _started(lambda: self.machines.add_node(num_cpus=1, object_store_memory=STORE))

        def lose() -> bool:
            self.machines.remove_node(second, allow_graceful=False)
            return True

        return self._during(output, 2, random, lose)

    def _during(self, output: Path, actors: int, random: Random, kill: Callable[[], bool]) -> bool:
        """Whether something was killed while the job went on."""
        self.begun.clear()
        killed: list[bool] = []
        over = threading.Event()

        def strike() -> None:
            self.begun.wait(120)
            time.sleep(random.random() * 0.3)
            killed.append(not over.is_set() and kill())

        striking = threading.Thread(target=strike)
        striking.start()
        try:
            self.work(output, actors)
        finally:
            over.set()
            striking.join()
        return killed[0]


def _started(start: Callable[[], Any]) -> Any:
    """Ray gives up a start that takes half a minute, as on a busy machine."""
    for _ in range(9):
        try:
            return start()
        except Exception as error:
            print(f"Ray did not start ({str(error)[:60]}); once more", flush=True)
    return start()


def _kill_a_worker() -> bool:
    import psutil

    for process in psutil.Process().children(recursive=True):
        try:
            if "ray::MapWorker" in " ".join(process.cmdline()):
                process.kill()
                return True
        except psutil.Error:
            continue
    return False


WHAT = {"driver": Cluster.kill_driver, "actor": Cluster.kill_actor, "machine": Cluster.kill_machine}


def attack(cluster: Cluster, what: str, number: int, seed: int, expected: Any) -> tuple[bool, list[str]]:
    with tempfile.TemporaryDirectory() as place:
        try:
            killed = WHAT[what](cluster, Path(place), Random(f"{seed}:{what}:{number}"))
            if rows(Path(place)) != expected:
                return killed, [f"{what} {number}: other rows than without a kill"]
            if left := list((Path(place) / "out").glob(".*.part")):
                return killed, [f"{what} {number}: {left} is left"]
        except Exception:
            return False, [f"{what} {number}: {traceback.format_exc()}"]
    return killed, []


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--what", choices=WHAT, action="append")
    parser.add_argument("--kills", type=int, default=50)
    parser.add_argument("--seconds", type=float, default=900, help="of each, at most")
    add_record_option(parser)
    given, failed = parser.parse_args(), 0
    os.environ.update(QUIET)
    with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryDirectory() as whole:
        from fewaspect.bulk.job import process_locally

        cluster = Cluster(Path(folder))
        cluster.run(Path(whole), process_locally)
        expected = rows(Path(whole))
        for what in given.what or WHAT:
            begun, before = time.time(), recorded(f"kills of bulk on Ray: {what}", given.seed, given.record)
            killed, late, faults = (before.get(name, 0) for name in ("count", "too_late", "broken"))
            while killed < given.kills and time.time() < begun + given.seconds:
                in_time, broken = attack(cluster, what, killed + late, given.seed, expected)
                print(*broken, sep="\n", end="\n" if broken else "", flush=True)
                killed, late, faults = killed + in_time, late + (not in_time), faults + len(broken)
            failed += faults
            record(
                f"kills of bulk on Ray: {what}", given.record, count=killed, wanted=given.kills, broken=faults,
                seed=given.seed, too_late=late, seconds=before.get("seconds", 0) + time.time() - begun,
                again=f"python -m attacks.cluster_kills --what {what} --kills {given.kills} --seed {given.seed}",
            )  # fmt: skip
        cluster.machines.shutdown()
    return bool(failed)


if __name__ == "__main__":
    sys.exit(main())

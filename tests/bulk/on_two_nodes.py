"""A program: a bulk job on a cluster of two machines, simulated by Ray, one of which is lost on the way.

    python on_two_nodes.py INPUT OUTPUT MODEL PARTITION_ROWS

When a quarter of the rows is done, an actor is killed; when half is done, a machine with all that runs on it.
"""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path

import psutil
import ray
from ray.cluster_utils import Cluster as Machines

from fewaspect import AspectDetector
from fewaspect.bulk.job import prepare_job, run_job
from fewaspect.bulk.packing import pack
from fewaspect.bulk.plan import BulkSettings, format_of
from fewaspect.bulk.ray_cluster import start_ray
from fewaspect.bulk.storage import find_files


def free_cores_in_the_end(seconds: float = 60) -> float:
    """0 once the killed actor has its successor, which takes a while on a busy machine."""
    end = time.monotonic() + seconds
    while (free := ray.available_resources().get("CPU", 0.0)) and time.monotonic() < end:
        time.sleep(0.2)
    return free


def main(source: str, output: str, model: str, rows: str) -> None:
    machines = Machines(initialize_head=True, head_node_args={"num_cpus": 1, "object_store_memory": 80 << 20})
    second = machines.add_node(num_cpus=1, object_store_memory=80 << 20)
    detector = AspectDetector.load(model)
    settings = BulkSettings(format_of(find_files(source), None), rows=int(rows))
    seen = {"done": 0, "actors_killed": 0, "free_before": -1.0, "machines_after": 2}
    with start_ray(machines.address) as cluster:
        job = prepare_job(source, output, settings, pack(detector), detector.classes_, cluster.map)

        def progress(done: int) -> None:
            seen["done"] += done
            if not seen["actors_killed"] and seen["done"] >= job.plan.rows / 4:
                seen["actors_killed"] = kill_an_actor()
            if seen["machines_after"] == 2 and seen["done"] >= job.plan.rows / 2:
                seen["free_before"] = free_cores_in_the_end()
                machines.remove_node(second, allow_graceful=False)
                seen["machines_after"] = 1

        total = run_job(job, cluster.process, progress=progress)
    machines.shutdown()
    print(
        json.dumps(
            {**seen, "rows": total.rows, "bad": total.bad, "finished": len(list(Path(output).glob("*.parquet")))}
        )
    )


def kill_an_actor() -> int:
    """The first of this cluster's."""
    for process in psutil.Process().children(recursive=True):
        if "ray::MapWorker" in " ".join(process.cmdline()):
            process.kill()
            return 1
    return 0


if __name__ == "__main__":
    main(*sys.argv[1:])

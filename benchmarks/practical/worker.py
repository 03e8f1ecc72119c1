"""Measures systems of the practical comparison in a process of its own; the jobs come in a file.

A line of JSON is written for each job as soon as it is measured: {"job": its number, "measured": ...}.
"""

from __future__ import annotations

import json
import os
import resource
import sys
import time
import traceback
from pathlib import Path
from typing import Any, TextIO

import numpy as np

from systems import SYSTEMS, System

CALIBRATION_BINS = 15
FEWEST_EMPTIES = 20  # with fewer, their accuracy is not reported


def quality(probabilities: np.ndarray, decided: np.ndarray, truth: np.ndarray) -> dict[str, float | None]:
    """The numbers on (texts, N) arrays; average precision over aspects that occur, empties where there are enough."""
    from fewaspect.detector.metrics import calibration_error, measure

    measured = measure([], probabilities, decided, truth, {})
    enough = measured["empties"] >= FEWEST_EMPTIES
    return {
        "macro_f1": measured["macro_f1"],
        "micro_f1": measured["micro_f1"],
        "mean_average_precision": measured["mean_average_precision"],
        "empties": measured["empties"],
        "empty_accuracy": measured["empty_accuracy"] if enough else None,
        "answers_per_sentence": float(decided.sum() / len(decided)),
        "calibration_error": calibration_error(probabilities, truth, CALIBRATION_BINS),
    }


def peak_memory() -> float:
    """The most memory this process had resident, in megabytes.

    From /proc where it is: what `getrusage` says after an exec includes the process that started this one.
    """
    status = Path("/proc/self/status")
    if status.is_file():
        line = next(line for line in status.read_text().splitlines() if line.startswith("VmHWM"))
        return int(line.split()[1]) / 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (1024**2 if sys.platform == "darwin" else 1024)


def measure_job(job: dict[str, Any], drawn: dict[str, Any], timed: bool = False) -> dict[str, Any]:
    """Fit one system to one draw and tag the test sentences: quality and environment; times and memory if `timed`."""
    names, texts = drawn["names"], drawn["texts"]
    rows = np.array(drawn["example_rows"], dtype=int).reshape(-1, len(names))
    system = SYSTEMS[job["system"]](job["seed"], timed)
    started, cpu = time.perf_counter(), time.process_time()
    system.fit(drawn["examples"], rows, names, drawn["pile"])
    ready, ready_cpu = time.perf_counter() - started, time.process_time() - cpu
    found: dict[str, Any] = {}
    if timed:
        started, cpu = time.perf_counter(), time.process_time()
        decided = system.answer(texts)
        answered, answered_cpu = time.perf_counter() - started, time.process_time() - cpu
        found = {
            "seconds_to_be_ready": ready,
            "cpu_seconds_to_be_ready": ready_cpu,
            "sentences_per_second": len(texts) / answered,
            "sentences_per_cpu_second": len(texts) / answered_cpu,
            "peak_memory_mb": peak_memory(),
        }
        probabilities = system.rank(texts)
    else:
        decided, probabilities = system.answer_and_rank(texts)
    truth = np.array(drawn["rows"], dtype=bool)
    return {**quality(probabilities, decided, truth), **found, "environment": environment(system)}


def environment(system: System) -> dict[str, Any]:
    from importlib.metadata import version

    from fewaspect.training.environment import describe_environment

    described = describe_environment()
    described["packages"].update({name: version(name) for name in system.packages})
    return described


def measure_all(work: dict[str, Any], out: TextIO) -> int:
    """Measure the jobs one after another; how many failed. Why one failed is told on standard error."""
    failed = 0
    for number, job in enumerate(work["jobs"]):
        try:
            measured = measure_job(job, work["draws"][job["draw"]], work["timed"])
        except Exception:
            traceback.print_exc()
            failed += 1
        else:
            print(json.dumps({"job": number, "measured": measured}), file=out, flush=True)
    return failed


def main() -> None:
    """Lines go to what was standard output; what libraries print there goes to standard error."""
    os.environ.update(HF_HUB_OFFLINE="1", HF_DATASETS_OFFLINE="1", TOKENIZERS_PARALLELISM="false")
    work = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))
    with os.fdopen(os.dup(1), "w", encoding="utf-8") as out:
        os.dup2(2, 1)
        failed = measure_all(work, out)
    raise SystemExit(failed > 0)


if __name__ == "__main__":
    main()

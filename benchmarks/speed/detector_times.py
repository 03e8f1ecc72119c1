"""How long a detector takes to be ready, to take one more aspect and to read one sentence; with 20 and 200 aspects.

What depends on all aspects together is fitted with the first sentence after a change.

    python benchmarks/speed/detector_times.py [--repeats 20]

The sentences are those of the sample set that ships with the package. Writes docs/results/detector-times.json.
"""

from __future__ import annotations

import argparse
import warnings
from pathlib import Path
from typing import Any

import numpy as np

from fewaspect import AspectDetector
from fewaspect.data.sample_set import load_sample
from fewaspect.detector.support import ExampleWarning
from fewaspect.experiments.results_file import publish
from timing import milliseconds

OUT = Path(__file__).parents[2] / "docs" / "results" / "detector-times.json"
SHOTS = 5


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repeats", type=int, default=20)
    parser.add_argument("--out", type=Path, default=OUT)
    arguments = parser.parse_args()
    warnings.simplefilter("ignore", ExampleWarning)
    texts = list(dict.fromkeys(text for part in load_sample().values() for text in part.texts))
    first = milliseconds(lambda: AspectDetector().fit({"warm": texts[:1]}).predict(texts[:1]))
    result: dict[str, Any] = {"seconds from imported to the first answer": first / 1000}
    for aspects in (20, 200):
        result[f"{aspects} aspects, milliseconds"] = measured(aspects, texts, arguments.repeats)
    publish({**result, "repeats": arguments.repeats, "examples per aspect": SHOTS}, arguments.out)


def measured(aspects: int, texts: list[str], repeats: int) -> dict[str, Any]:
    """Examples are the texts one after another; beyond their number, they are numbered to be new ones."""
    supply = (f"{text} {turn}" if turn else text for turn in range(10**6) for text in texts)
    examples = {f"aspect {n}": [next(supply) for _ in range(SHOTS)] for n in range(aspects)}
    detector = AspectDetector()
    ready = milliseconds(lambda: detector.fit(examples))
    adding, removing, first, reading = [], [], [], []
    for turn in range(repeats):
        new = [next(supply) for _ in range(SHOTS)]
        adding.append(milliseconds(lambda new=new: detector.add_aspect("one more", new)))
        removing.append(milliseconds(lambda: detector.remove_aspect("one more")))
        first.append(milliseconds(lambda turn=turn: detector.predict([texts[turn % len(texts)]])))
        reading.append(milliseconds(lambda turn=turn: detector.predict([texts[(turn + 7) % len(texts)]])))
    return {
        "fit": ready, "add one with 5 examples": spread(adding), "remove one": spread(removing),
        "tag the first sentence after a change": spread(first), "tag one sentence": spread(reading),
    }  # fmt: skip


def spread(values: list[float]) -> dict[str, float]:
    low, middle, high = np.percentile(values, [5, 50, 95])
    return {"median": float(middle), "5 %": float(low), "95 %": float(high)}


if __name__ == "__main__":
    main()

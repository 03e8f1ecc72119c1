"""Does "more examples are likely to help" come true? The signal of each aspect beside what more examples then gave.

    python benchmarks/practical/growth.py --data FOLDER [--sets validation] [--seeds 0 1 2]
    python benchmarks/practical/growth.py --table

With 10, 20 and 50 examples of each aspect, `detector.growth()` gives each its signal. Then all aspects get the next
number of examples, up to 20, 50 and 100, and the change of an aspect's average precision on up to 600 sentences of the
other half is divided by how often its examples were doubled. Records go to docs/results/growth.jsonl.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from draws import draw, load_set
from fewaspect import AspectDetector
from fewaspect.data.labelled import LabelledSentence
from fewaspect.detector.labelling.growth import CONTRADICTORY, GROWING, LEVEL
from fewaspect.detector.model import InferenceModel, load_model
from fewaspect.experiments.results_file import Record, merge_results, read_results
from fewaspect.inference.encoding_cache import CachingEncoder
from fewaspect.training.environment import describe_environment
from studies_of_labels import framed, run

OUT = Path(__file__).parents[2] / "docs" / "results" / "growth.jsonl"
KEY = ("set", "shots", "seed")
STEPS, TEST = (10, 20, 50, 100), 600
LEAST = 1.3  # times as many examples, for an aspect to count


def main() -> None:
    run(__doc__ or "", OUT, range(3), measure, page)


def measure(data: Path, sets: Sequence[str], seeds: Sequence[int], out: Path, again: bool) -> None:
    known = {(r["set"], r["seed"]) for r in read_results(out)} if out.exists() and not again else set()
    environment = describe_environment()
    for name in sets:
        wanted = [seed for seed in seeds if (name, seed) not in known]
        if not wanted:
            continue
        sentences, model = load_set(name, data), load_model()
        model = replace(model, encoder=CachingEncoder(model.encoder, 2 << 30))
        for seed in wanted:
            records = [
                {"set": name, "shots": shots, "seed": seed, "environment": environment, "aspects": found}
                for shots, found in grown(sentences, seed, model)
            ]
            merge_results(out, records, KEY)
            print(name, seed, [len(r["aspects"]) for r in records], flush=True)


def grown(
    sentences: Sequence[LabelledSentence], seed: int, model: InferenceModel
) -> Iterator[tuple[int, list[Record]]]:
    """By number of examples, the signals and what came of them; aspects that got no more are left out."""
    before: tuple[int, AspectDetector, dict[str, float]] | None = None
    for shots in STEPS:
        drawn = draw(sentences, shots, seed, TEST)
        detector = AspectDetector(model).fit(drawn.examples, np.array(drawn.example_rows), names=drawn.names)
        aspects = detector.evaluate(drawn.texts, np.array(drawn.rows))["aspects"]
        quality = {name: row["average_precision"] for name, row in aspects.items()}
        if before is not None:
            yield before[0], list(compared(before[1], before[2], detector, quality))
        before = shots, detector, quality


def compared(
    first: AspectDetector, quality: dict[str, float], second: AspectDetector, better: dict[str, float]
) -> Iterator[Record]:
    shots = second.shots_
    for name, row in first.growth().items():
        doublings = math.log2(max(shots[name], 1) / max(row.examples, 1))
        if quality[name] is not None and doublings >= math.log2(LEAST) and row.half is not None and row.all is not None:
            yield {
                "aspect": name, "examples": row.examples, "signal": row.signal, "half": round(row.half, 4),
                "all": round(row.all, 4), "contradicted": round(row.contradicted, 4),
                "average_precision": round(quality[name], 4),
                "gain": round((better[name] - quality[name]) / doublings, 4),
            }  # fmt: skip


INTRODUCTION = """\
# Enough examples? What the signals are worth

Made by `python benchmarks/practical/growth.py --data FOLDER` from [growth.jsonl](growth.jsonl); `--table` writes this
page from the records alone.

With 10, 20 and 50 examples of each aspect, `detector.growth()` gives a signal from the examples alone. Then all aspects
got more, up to 20, 50 and 100. *Gain*: of an aspect's average precision on 600 other sentences, in points for each
doubling of its examples, ± the standard error over aspects. *Average precision*: with the examples that the signal was
given for, in percent. The limits of the signals were chosen on the validation sets. A single aspect's gain is mostly
noise (its standard deviation is in the last column): the signals sort aspects, they promise nothing for one.
"""


def page(records: Sequence[Record]) -> str:
    return framed(INTRODUCTION, records, lambda here, _: [table(here), difference(here)])


def table(records: Sequence[Record]) -> str:
    lines = [
        "| examples | signal | aspects | gain | average precision | deviation of a single gain |",
        "|---|---|---|---|---|---|",
    ]
    for shots in (None, *STEPS[:-1]):
        for signal in (GROWING, LEVEL, CONTRADICTORY):
            own = [
                row for r in records if shots in (None, r["shots"]) for row in r["aspects"] if row["signal"] == signal
            ]
            if len(own) > 1:
                gains = [100 * row["gain"] for row in own]
                quality = 100 * statistics.mean(row["average_precision"] for row in own)
                deviation = statistics.stdev(gains)
                lines.append(
                    f"| {shots or 'all'} | {signal} | {len(own)} | {statistics.mean(gains):.1f} ± "
                    f"{deviation / math.sqrt(len(own)):.1f} | {quality:.1f} | {deviation:.1f} |"
                )
    return "\n".join([*lines, ""])


def difference(records: Sequence[Record]) -> str:
    """Of the two signals that ought to differ."""
    gains = [
        [100 * row["gain"] for r in records for row in r["aspects"] if row["signal"] == signal]
        for signal in (GROWING, LEVEL)
    ]
    if min(map(len, gains)) < 2:
        return ""
    mean = statistics.mean(gains[0]) - statistics.mean(gains[1])
    error = math.sqrt(sum(statistics.variance(own) / len(own) for own in gains))
    return f"Gain of growing aspects minus that of level ones: {mean:.1f} ± {error:.1f}.\n"


if __name__ == "__main__":
    main()

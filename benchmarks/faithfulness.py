"""Do the marked words decide? The probability of an answered aspect without them, and without as many others.

    python benchmarks/faithfulness.py --data FOLDER [--shots 5] [--seeds 0 1] [--sentences 100]

On the sets of the practical comparison: of each tagged sentence of at least six words, the words with the most evidence
for its best aspect are taken away, or as many at random, or those with the least. Explanations that are faithful make
the first fall the most. Writes docs/results/faithfulness.json.
"""

from __future__ import annotations

import argparse
import warnings
from pathlib import Path

import numpy as np

from fewaspect import AspectDetector
from fewaspect.detector.support import ExampleWarning
from measuring import publish
from practical_draw import SETS, draw, load_set

OUT = Path(__file__).parent.parent / "docs" / "results" / "faithfulness.json"
FEWEST_WORDS = 6
REMOVED = (1, 2, 3)
WAYS = ("most evidence", "at random", "least evidence")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--shots", type=int, default=5)
    parser.add_argument("--seeds", type=int, nargs="+", default=[0, 1])
    parser.add_argument("--sentences", type=int, default=100, help="Per set and seed, before choosing tagged ones.")
    parser.add_argument("--out", type=Path, default=OUT)
    arguments = parser.parse_args()
    warnings.simplefilter("ignore", ExampleWarning)
    drops: dict[tuple[str, int], list[float]] = {(way, k): [] for way in WAYS for k in REMOVED}
    for name in SETS:
        sentences = load_set(name, arguments.data)
        for seed in arguments.seeds:
            drawn = draw(sentences, arguments.shots, seed, arguments.sentences)
            detector = AspectDetector().fit(drawn.examples, np.array(drawn.example_rows), names=drawn.names)
            found = fallen(detector, drawn.texts, np.random.default_rng(seed))
            for key, values in found.items():
                drops[key] += values
            print(f"{name}, seed {seed}: {len(found[WAYS[0], 1])} sentences", flush=True)
    result = {
        "shots": arguments.shots, "seeds": arguments.seeds, "sets": list(SETS),
        "sentences": len(drops[WAYS[0], 1]),
        "fall of the probability": {
            way: {str(k): summary(np.array(drops[way, k])) for k in REMOVED} for way in WAYS
        },
        "share of sentences where the most evidence falls further than random": {
            str(k): float(np.mean(np.array(drops[WAYS[0], k]) > np.array(drops[WAYS[1], k]))) for k in REMOVED
        },
    }  # fmt: skip
    publish(result, arguments.out)
    for way in WAYS:
        print(f"{way:>15}", *(f"-{k}: {summary(np.array(drops[way, k]))['mean']:.3f}" for k in REMOVED))


def fallen(detector: AspectDetector, texts: list[str], rng: np.random.Generator) -> dict[tuple[str, int], list[float]]:
    """How far the probability of each sentence's best aspect falls, by what is taken away and how many words."""
    before: list[tuple[float, int]] = []
    shortened: list[str] = []
    for analysis in detector.analyze_many(texts):
        words = [word for word in analysis.words if any(map(str.isalnum, word.text))]
        if not analysis.aspects or len(words) < FEWEST_WORDS or len(analysis.sentences) != 1:
            continue
        best = analysis.aspects[0]
        by_evidence = np.argsort([-word.evidence.get(best, 0.0) for word in words], kind="stable")
        before.append((analysis.probabilities[best], list(analysis.probabilities).index(best)))
        for way in WAYS:
            order = {"most evidence": by_evidence, "least evidence": by_evidence[::-1]}.get(way)
            chosen = rng.permutation(len(words)) if order is None else order
            for k in REMOVED:
                gone = sorted((words[i] for i in chosen[:k]), key=lambda word: -word.start)
                text = analysis.text
                for word in gone:
                    text = text[: word.start] + text[word.end :]
                shortened.append(text)
    after = iter(detector.predict_proba(shortened))
    found: dict[tuple[str, int], list[float]] = {(way, k): [] for way in WAYS for k in REMOVED}
    for probability, column in before:
        for way in WAYS:
            for k in REMOVED:
                found[way, k].append(float(probability - next(after)[column]))
    return found


def summary(values: np.ndarray) -> dict[str, float]:
    half = 1.96 * values.std(ddof=1) / np.sqrt(len(values))
    return {"mean": float(values.mean()), "low": float(values.mean() - half), "high": float(values.mean() + half)}


if __name__ == "__main__":
    main()

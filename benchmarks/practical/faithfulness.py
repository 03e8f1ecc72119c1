"""Do the marked words decide? The probability of an answered aspect without them, and without as many others.

    python benchmarks/practical/faithfulness.py --data FOLDER [--shots 5] [--seeds 0 1] [--sentences 100]

On the sets of the practical comparison: of each tagged sentence of at least six words, the words with the most evidence
for its best aspect are taken away, or as many at random, or those with the least. Explanations that are faithful make
the first fall the most. Writes docs/results/faithfulness.json.
"""

from __future__ import annotations

import argparse
import warnings
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from draws import SETS, draw, load_set
from fewaspect import AspectDetector
from fewaspect.detector.explain import Analysis, WordEvidence
from fewaspect.detector.support import ExampleWarning
from fewaspect.experiments.results_file import publish

OUT = Path(__file__).parents[2] / "docs" / "results" / "faithfulness.json"
FEWEST_WORDS = 6
REMOVED = (1, 2, 3)
WAYS = ("most evidence", "at random", "least evidence")
CASES = [(way, k) for way in WAYS for k in REMOVED]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--shots", type=int, default=5)
    parser.add_argument("--seeds", type=int, nargs="+", default=[0, 1])
    parser.add_argument("--sentences", type=int, default=100, help="Per set and seed, before choosing tagged ones.")
    parser.add_argument("--out", type=Path, default=OUT)
    arguments = parser.parse_args()
    warnings.simplefilter("ignore", ExampleWarning)
    drops: dict[tuple[str, int], list[float]] = {case: [] for case in CASES}
    for name in SETS:
        sentences = load_set(name, arguments.data)
        for seed in arguments.seeds:
            drawn = draw(sentences, arguments.shots, seed, arguments.sentences)
            detector = AspectDetector().fit(drawn.examples, np.array(drawn.example_rows), names=drawn.names)
            found = probability_drops(detector, drawn.texts, np.random.default_rng(seed))
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


def probability_drops(
    detector: AspectDetector, texts: list[str], rng: np.random.Generator
) -> dict[tuple[str, int], list[float]]:
    """How far the probability of each sentence's best aspect falls, by which words are removed and how many."""
    analyses = [
        analysis
        for analysis in detector.analyze_many(texts)
        if analysis.aspects and len(words_of(analysis)) >= FEWEST_WORDS and len(analysis.sentences) == 1
    ]
    after = detector.predict_proba([text for analysis in analyses for text in shortened(analysis, rng)])
    drops: dict[tuple[str, int], list[float]] = {case: [] for case in CASES}
    for number, analysis in enumerate(analyses):
        best = analysis.aspects[0]
        column = list(analysis.probabilities).index(best)
        for case, row in zip(CASES, after[number * len(CASES) :], strict=False):
            drops[case].append(float(analysis.probabilities[best] - row[column]))
    return drops


def words_of(analysis: Analysis) -> list[WordEvidence]:
    return [word for word in analysis.words if any(map(str.isalnum, word.text))]


def shortened(analysis: Analysis, rng: np.random.Generator) -> Iterator[str]:
    """The text without some of its words, for each of the `CASES`."""
    words = words_of(analysis)
    by_evidence = np.argsort([-word.evidence.get(analysis.aspects[0], 0.0) for word in words], kind="stable")
    orders = {"most evidence": by_evidence, "at random": rng.permutation(len(words))}
    orders["least evidence"] = by_evidence[::-1]
    for way, k in CASES:
        text = analysis.text
        for word in sorted((words[i] for i in orders[way][:k]), key=lambda word: -word.start):
            text = text[: word.start] + text[word.end :]
        yield text


def summary(values: np.ndarray) -> dict[str, float]:
    half = 1.96 * values.std(ddof=1) / np.sqrt(len(values))
    return {"mean": float(values.mean()), "low": float(values.mean() - half), "high": float(values.mean() + half)}


if __name__ == "__main__":
    main()

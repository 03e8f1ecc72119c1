"""Polarity of each aspect: the shipped model beside VADER, logistic regression and the most frequent polarity.

    python benchmarks/practical/sentiment.py --data FOLDER [--systems fewaspect vader] [--seeds 0]
    python benchmarks/practical/sentiment.py --table
    python benchmarks/practical/sentiment.py --data FOLDER --own-polarities
    python benchmarks/practical/sentiment.py --data FOLDER --held-out

On the four sets of polarity/visible, and on sentences of our own (sentiment_challenge.jsonl). Gold aspects are given;
no system has seen a sentence of these sets. Logistic regressions are trained on the sets that the branch was trained
on. "end to end": aspects are detected from five examples each, then polarities told. "speed": detection with and
without sentiment, one after the other, in one process. Measurements are merged into docs/results/sentiment.jsonl; what
is there for this model is not measured again. `--held-out` prints what the detector tells of the sets on which the
branch was chosen: what the model card says of the branch alone. VADER needs `pip install vaderSentiment==3.3.2`.
"""

from __future__ import annotations

import argparse
import json
import statistics
import time
import warnings
from collections.abc import Callable, Sequence
from functools import cached_property, partial
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

import own_polarities
from draws import draw
from fewaspect import AspectDetector
from fewaspect.core.files import atomic_write
from fewaspect.core.polarity_metrics import measure_polarity
from fewaspect.data.labelled import LabelledSentence
from fewaspect.data.labels import describe_aspect
from fewaspect.data.polarity import MIXED, POLARITIES, PolarSentence, read_polarities
from fewaspect.detector.model import load_model
from fewaspect.detector.support import ExampleWarning
from fewaspect.experiments.results_file import merge_results, read_results
from fewaspect.training.environment import describe_environment
from sentiment_page import METRICS, page
from sentiment_peers import Regressions, majority, vader

RESULTS = Path(__file__).parents[2] / "docs" / "results" / "sentiment.jsonl"
OWN_RESULTS = RESULTS.with_name("own-polarities.jsonl")
CHALLENGE = Path(__file__).with_name("sentiment_challenge.jsonl")
KEY = ("set", "system", "seed")
SETS = {
    "restaurants": "semeval14_restaurants",
    "laptops": "acos_laptop",
    "books": "memd_books",
    "courses": "oats_coursera",
}
PEERS = ("vader", "logistic", "logistic-attended", "majority")
SYSTEMS = ("fewaspect", *PEERS, "challenge", "end-to-end", "speed")
TRUTH = {name: n for n, name in enumerate((*POLARITIES, MIXED))}
SHOTS, TEXTS, SPEED_TEXTS, SPEED_RUNS = 5, 800, 500, 7
HELD_OUT = ("flight_absa", "student_feedback_kushan", "drug_review_psytar", "api_review_aspects")
NOT_TRAINED_ON = (
    "customer_reviews_hu_liu", "drug_reviews_druglib", "semeval15_hotels", "us_airline_tweets", *HELD_OUT,
)  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, help="The folder that holds polarity/.")
    parser.add_argument("--systems", nargs="+", choices=SYSTEMS, default=list(SYSTEMS))
    parser.add_argument("--seeds", nargs="+", type=int, default=[0, 1, 2], help="Of the draws of examples.")
    parser.add_argument("--out", type=Path, default=RESULTS, help="The results file; the page is written beside it.")
    parser.add_argument("--table", action="store_true", help="Only write the page from the results there are.")
    parser.add_argument("--own-polarities", action="store_true", help="Only what polarities of one's own change.")
    parser.add_argument("--held-out", action="store_true", help="Only print the sets on which the branch was chosen.")
    arguments = parser.parse_args()
    if not arguments.table:
        if arguments.data is None:
            parser.error("--data FOLDER is needed, except with --table")
        warnings.simplefilter("ignore", ExampleWarning)
    if arguments.held_out:
        held_out(arguments.data / "polarity" / "train")
        return
    if arguments.own_polarities:
        if not arguments.table:
            own_polarities.measure(arguments.data / "polarity", OWN_RESULTS, arguments.seeds, NOT_TRAINED_ON)
        own_polarities.write_page(OWN_RESULTS)
        return
    if not arguments.table:
        Study(arguments.data / "polarity", arguments.out, arguments.seeds).measure(arguments.systems)
    with atomic_write(arguments.out.with_suffix(".md")) as file:
        file.write(page(read_results(arguments.out)))
    print(f"wrote {arguments.out.with_suffix('.md')}")


class Study:
    """What is missing of the results file is measured and written, a record at a time."""

    def __init__(self, data: Path, out: Path, seeds: Sequence[int]) -> None:
        self.data, self.out, self.seeds = data, out, seeds
        self.model = load_model()
        self.identity = sentiment_identity(self.model.folder)
        known = read_results(out) if out.exists() else []
        self.done = {tuple(r[field] for field in KEY) for r in known if r["model"] == self.of_system(r["system"])}

    def of_system(self, system: str) -> str:
        """The model that a record depends on: others than the branch have the encoder alone."""
        return self.model.identity["weights"] if system in PEERS else self.identity

    @cached_property
    def regressions(self) -> Regressions:
        paths = [path for path in sorted((self.data / "train").glob("*.jsonl")) if path.stem not in NOT_TRAINED_ON]
        return Regressions(self.model, [row for path in paths for row in read_polarities(path)])

    def measure(self, systems: Sequence[str]) -> None:
        if "vader" in systems and not find_spec("vaderSentiment"):
            print("not installed, and left out: vaderSentiment")
            systems = [system for system in systems if system != "vader"]
        if "challenge" in systems:
            self.challenge()
        for name, file in SETS.items():
            rows = read_polarities(self.data / "visible" / f"{file}.jsonl")
            for system in systems:
                if system in ("fewaspect", *PEERS):
                    self.keep(name, system, 0, partial(self.gold, system, [row for row in rows if row.polarities]))
            for seed in self.seeds if "end-to-end" in systems else ():
                self.keep(name, "end-to-end", seed, partial(self.end_to_end, rows, seed))
            if "speed" in systems:
                self.keep(name, "speed", 0, partial(self.speed, rows))

    def keep(self, name: str, system: str, seed: int, measured: Callable[[], dict[str, Any]]) -> None:
        """One record, unless it is there."""
        if (name, system, seed) in self.done:
            return
        record = {"set": name, "system": system, "seed": seed, "model": self.of_system(system), **measured()}
        merge_results(self.out, [{**record, "environment": describe_environment()}], KEY)
        print(record, flush=True)

    def gold(self, system: str, rows: Sequence[PolarSentence]) -> dict[str, Any]:
        """Gold aspects given."""
        told = self.told(system, rows)
        measured = measure_polarity(told, *truth_of(rows))
        return {
            **measured,
            "calibration_error": measured["calibration_error"] if system not in ("vader", "majority") else None,
        }

    def told(self, system: str, rows: Sequence[PolarSentence]) -> np.ndarray:
        """(pairs, 3)."""
        if system == "fewaspect":
            return gold_probabilities(rows)
        if system == "vader":
            return vader(rows)
        if system == "majority":
            return majority(rows)
        return self.regressions(rows, attended=system == "logistic-attended")

    def challenge(self) -> None:
        lines = [json.loads(line) for line in CHALLENGE.read_text(encoding="utf-8").splitlines()]
        kinds = [line["kind"] for line in lines]
        rows = read_polarities(CHALLENGE)
        for system in ("fewaspect", *PEERS):
            if system == "vader" and not find_spec("vaderSentiment"):
                continue
            for kind in (*dict.fromkeys(kinds), "all"):
                own = [row for row, other in zip(rows, kinds, strict=True) if kind in (other, "all")]
                self.keep(f"challenge: {kind}", system, 0, partial(self.gold, system, own))

    def end_to_end(self, rows: Sequence[PolarSentence], seed: int) -> dict[str, Any]:
        """Macro-F1 over pairs of aspect and polarity, with aspects detected from five examples and with gold ones."""
        named = [PolarSentence(row.text, {describe_aspect(n): p for n, p in row.polarities.items()}) for row in rows]
        drawn = draw([LabelledSentence(row.text, tuple(row.polarities)) for row in named], SHOTS, seed, TEXTS)
        detector = AspectDetector().fit(drawn.examples, labels_of(drawn.names, drawn.example_rows))
        gold = {row.text: {n: p for n, p in row.polarities.items() if n in drawn.names} for row in named}
        truth = [gold[text] for text in drawn.texts]
        detected = detector.sentiment(drawn.texts)
        given = detector.sentiment(drawn.texts, aspects=[list(own) for own in truth])
        return {
            "shots": SHOTS, "texts": len(drawn.texts), "aspects": drawn.names, "draw": drawn.digest,
            "pair_f1": pair_f1(truth, answers(detected)), "pair_f1_gold_aspects": pair_f1(truth, answers(given)),
            "answered": sum(map(len, detected)) / len(detected),
        }  # fmt: skip

    def speed(self, rows: Sequence[PolarSentence]) -> dict[str, Any]:
        """Sentences per CPU second without and with sentiment, alternating; the median of the ratios of two runs."""
        named = [LabelledSentence(row.text, tuple(map(describe_aspect, row.polarities))) for row in rows]
        drawn = draw(named, SHOTS, 0, SPEED_TEXTS)
        detector = AspectDetector().fit(drawn.examples, labels_of(drawn.names, drawn.example_rows))
        times: dict[bool, list[float]] = {False: [], True: []}
        for _ in range(SPEED_RUNS + 1):
            for sentiment in (False, True):
                started = time.process_time()
                found = detector.predict_texts(drawn.texts, sentiment=sentiment)
                times[sentiment].append(time.process_time() - started)
        ratios = [without / with_it for without, with_it in zip(times[False][1:], times[True][1:], strict=True)]
        sentences, asked = int(found.sentences.sum()), sum(map(len, found.sentiments or ()))
        return {
            "sentences": sentences, "answered": asked / len(drawn.texts), "speed_ratio": statistics.median(ratios),
            "speed_ratios": ratios, "sentences_per_second": sentences / min(times[False]),
            "sentences_per_second_with_sentiment": sentences / min(times[True]),
        }  # fmt: skip


def held_out(folder: Path) -> None:
    """A line for each set, one with the means, in percent, and one about answers that are mixed."""
    branch = load_model().sentiment
    assert branch is not None
    found, mixed = [], np.zeros(3, dtype=int)  # mixed in truth, answered as mixed, both
    for name in HELD_OUT:
        rows = [row for row in read_polarities(folder / f"{name}.jsonl") if row.polarities]
        told, truth = gold_probabilities(rows), truth_of(rows)
        found.append(measure_polarity(told, *truth))
        real, answered = np.array(truth[0]) == TRUTH[MIXED], told[:, ::2].min(axis=1) >= branch.mixed_least
        mixed += [real.sum(), answered.sum(), (real & answered).sum()]
        print(name, *(f"{metric} {100 * value:.1f}" for metric in METRICS if (value := found[-1][metric]) is not None))
    known = {metric: [value for own in found if (value := own[metric]) is not None] for metric in METRICS}
    print("mean", *(f"{metric} {100 * statistics.mean(values):.1f}" for metric, values in known.items()))
    print("mixed in truth, in the answers, in both:", *mixed)


def sentiment_identity(folder: Path | None) -> str:
    """The digest of the branch that is measured."""
    assert folder is not None
    return str(json.loads((folder / "model.json").read_text(encoding="utf-8"))["files"]["sentiment.onnx"])


def truth_of(rows: Sequence[PolarSentence]) -> tuple[list[int], list[int]]:
    """Of every pair its polarity and the number of its sentence."""
    polarities = [TRUTH[polarity] for row in rows for polarity in row.polarities.values()]
    return polarities, [number for number, row in enumerate(rows) for _ in row.polarities]


def gold_probabilities(rows: Sequence[PolarSentence]) -> np.ndarray:
    """(pairs, 3) of a detector that knows the aspects by their names alone."""
    names = list(dict.fromkeys(name for row in rows for name in row.polarities))
    detector = AspectDetector().fit({name: [] for name in names})
    found = detector.sentiment([row.text for row in rows], aspects=[list(row.polarities) for row in rows])
    return np.array([[own[p] for p in POLARITIES] for told in found for own in told.values()])


def labels_of(names: Sequence[str], rows: Sequence[Sequence[int]]) -> list[list[str]]:
    return [[name for name, own in zip(names, row, strict=True) if own] for row in rows]


def answers(found: Sequence[dict[str, dict[str, float]]]) -> list[dict[str, str]]:
    """The most probable polarity of each aspect."""
    return [{name: max(own, key=lambda p: own[p]) for name, own in told.items()} for told in found]


def pair_f1(truth: Sequence[dict[str, str]], found: Sequence[dict[str, str]]) -> float:
    """Mean F1 over the pairs of aspect and polarity that occur; an aspect that is mixed in a text is left out there."""
    kept = [{n: p for n, p in own.items() if true.get(n) != MIXED} for true, own in zip(truth, found, strict=True)]
    real = [set(own.items()) for own in truth]
    made = [set(own.items()) for own in kept]
    scores = []
    for pair in {pair for own in real for pair in own if pair[1] != MIXED}:
        right = sum(pair in one and pair in other for one, other in zip(real, made, strict=True))
        scores.append(2 * right / (sum(pair in one for one in real) + sum(pair in one for one in made)))
    return float(np.mean(scores))


if __name__ == "__main__":
    main()

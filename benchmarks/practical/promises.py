"""Are promises of precision kept on unseen sentences, and how much is accepted?

    python benchmarks/practical/promises.py --data FOLDER [--sets validation] [--seeds 0 1]
    python benchmarks/practical/promises.py --table

For each set and seed: a detector of 10 examples per aspect, tuned to a precision of 0.8, 0.9 and 0.95 at confidence 0.9
on 50 to 400 labelled sentences that are no examples, and on the examples alone; then all sentences of the other half
are answered. Beside it: the same test on the probabilities as they are, with one threshold for all aspects; the lowest
threshold whose measured precision reaches the target; and the target itself as the threshold.

Measurements are merged into docs/results/promises.jsonl; what is there is not measured again. `--table` writes
promises.md from that file alone.
"""

from __future__ import annotations

import argparse
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from draws import MOST_TEXTS, chosen_sets, frequent_aspects, load_set, pick_examples, shortened
from fewaspect import AspectDetector
from fewaspect.core.files import atomic_write
from fewaspect.data.labelled import LabelledSentence
from fewaspect.detector.labelling.target_precision import Goal, promise_on_examples, promise_on_texts
from fewaspect.detector.model import InferenceModel, load_model
from fewaspect.detector.support import ExampleWarning
from fewaspect.detector.thresholds import left_out_probabilities
from fewaspect.experiments.results_file import merge_results, read_results
from fewaspect.inference.encoding_cache import CachingEncoder
from fewaspect.training.environment import describe_environment
from promises_page import page

RESULTS = Path(__file__).parents[2] / "docs" / "results" / "promises.jsonl"
KEY = ("set", "seed", "labels")
SHOTS = 10
LABELS = (0, 50, 100, 200, 400)  # 0: the examples alone
TARGETS = (0.8, 0.9, 0.95)
CONFIDENCE = 0.9
ENOUGH = 20  # accepted answers of an aspect in the other half, for its own promise to be judged


class Case(NamedTuple):
    """A detector's probabilities and the truth, (texts, N) each: of the examples left out, of labels, of the rest."""

    names: list[str]
    thresholds: np.ndarray  # (N,)
    examples: tuple[np.ndarray, np.ndarray]
    labelled: tuple[np.ndarray, np.ndarray]
    unseen: tuple[np.ndarray, np.ndarray]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, help="The folder that holds practical/, fewasp/ and corpus/validation/.")
    parser.add_argument("--sets", default="visible,validation", help="visible, validation, or names with commas.")
    parser.add_argument("--seeds", nargs="+", type=int, default=[0, 1, 2, 3, 4])
    parser.add_argument("--out", type=Path, default=RESULTS, help="The results file; the table is written beside it.")
    parser.add_argument("--table", action="store_true", help="Only write the table from the results there are.")
    arguments = parser.parse_args()
    if not arguments.table:
        if arguments.data is None:
            parser.error("--data FOLDER is needed, except with --table")
        warnings.simplefilter("ignore", ExampleWarning)
        for name in chosen_sets(arguments.sets):
            measure_set(name, arguments.data, arguments.seeds, arguments.out)
    if not arguments.out.exists():
        raise SystemExit(f"{arguments.out}: expected a file of measurements, found none. Measure first: --data FOLDER.")
    with atomic_write(arguments.out.with_suffix(".md")) as file:
        file.write(page(read_results(arguments.out)))
    print(f"wrote {arguments.out.with_suffix('.md')}")


def measure_set(name: str, data: Path, seeds: Sequence[int], out: Path) -> None:
    """All seeds that are not there, each kept at once; a sentence is encoded once for all of them."""
    known = {(r["set"], r["seed"]) for r in read_results(out)} if out.exists() else set()
    missing = [seed for seed in seeds if (name, seed) not in known]
    if not missing:
        return
    sentences = shortened(load_set(name, data), MOST_TEXTS)
    model = load_model()
    model = replace(model, encoder=CachingEncoder(model.encoder))
    environment = describe_environment()
    for seed in missing:
        case = make_case(sentences, seed, model)
        records = [
            {"set": name, "seed": seed, "labels": labels, "shots": SHOTS, "confidence": CONFIDENCE, **measured,
             "environment": environment}
            for labels in LABELS
            if (measured := measure(case, labels)) is not None
        ]  # fmt: skip
        merge_results(out, records, KEY)
        print(f"{name}, seed {seed}: {len(records)} numbers of labels", flush=True)


def make_case(sentences: Sequence[LabelledSentence], seed: int, model: InferenceModel) -> Case:
    """Examples from the first quarter, labels from the second, a fair sample; the other half is unseen."""
    names = frequent_aspects(sentences)
    texts = [sentence.text for sentence in sentences]
    rows = np.array([[name in sentence.aspects for name in names] for sentence in sentences], dtype=bool)
    order = np.random.default_rng(seed).permutation(len(sentences))
    first, labelled, unseen = np.split(order, [len(order) // 4, len(order) // 2])
    examples = pick_examples(rows, first, SHOTS)
    detector = AspectDetector(model).fit([texts[i] for i in examples], rows[examples].astype(int), names=names)
    left_out = left_out_probabilities(model, detector._encoded(), None)
    thresholds = np.array(list(detector.thresholds_.values()))

    def read(part: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        return detector.predict_proba([texts[i] for i in part]), rows[part]

    return Case(names, thresholds, (left_out, detector.examples_.membership), read(labelled), read(unseen))


def measure(case: Case, labels: int) -> dict[str, Any] | None:
    """What each method accepts of the unseen sentences and how much of it is right; None if there are fewer labels."""
    p, y = case.labelled if labels else case.examples
    if labels > len(y):
        return None
    p, y = (part[:labels] if labels else part for part in (p, y))
    unseen, truth = case.unseen
    decided = unseen >= case.thresholds
    methods = {method: {} for method in ("fewaspect", "one threshold", "measured", "trusted")}
    aspects = {}
    for target in TARGETS:
        for method, thresholds in methods_of(case, p, y, Goal(target, CONFIDENCE), labels):
            accepted = decided & (unseen >= thresholds)
            methods[method][str(target)] = [int(accepted.sum()), int((accepted & truth).sum())]
        aspects[str(target)] = each_aspect(case, p, y, Goal(target, CONFIDENCE), labels)
    return {
        "sentences": len(truth), "names": len(case.names), "answers": int(decided.sum()),
        "right_answers": int((decided & truth).sum()), "true_aspects": int(truth.sum()), "accepted": methods,
        "aspects_alone": aspects,
    }  # fmt: skip


def methods_of(
    case: Case, p: np.ndarray, y: np.ndarray, goal: Goal, labels: int
) -> Iterator[tuple[str, np.ndarray | float]]:
    """Names of methods with what they ask of a probability."""
    promise = promise_on_texts if labels else promise_on_examples
    promised = promise(case.names, p, y, case.thresholds, goal)
    yield "fewaspect", as_thresholds(row.threshold for row in promised.values())
    answered = p >= case.thresholds
    own, right = p[answered], y[answered]
    order = np.argsort(-own, kind="stable")
    own, correct, counts = own[order], np.cumsum(right[order]), np.arange(1, len(own) + 1)
    yield "one threshold", from_the_top(own, correct, goal)
    enough = np.flatnonzero(correct >= goal.precision * counts)
    yield "measured", float(own[enough[-1]]) if len(enough) else np.inf
    yield "trusted", goal.precision


def from_the_top(own: np.ndarray, correct: np.ndarray, goal: Goal) -> float:
    """Learn-then-test in its plain form: from as few answers as can hold the goal, a tenth more at each test."""
    count, cut = goal.fewest, np.inf
    while count <= len(own) and goal.holds(int(correct[count - 1]), count):
        cut = float(own[count - 1])
        if count == len(own):
            break
        count = min(len(own), max(count + 1, int(1.1 * count)))
    return cut


def each_aspect(case: Case, p: np.ndarray, y: np.ndarray, goal: Goal, labels: int) -> dict[str, int]:
    """Promises of single aspects: how many were made, could be judged, and of these were kept."""
    promise = promise_on_texts if labels else promise_on_examples
    promised = promise(case.names, p, y, case.thresholds, goal, per_aspect=True)
    accepted = case.unseen[0] >= as_thresholds(row.threshold for row in promised.values())
    right = (accepted & case.unseen[1]).sum(axis=0)
    judged = accepted.sum(axis=0) >= ENOUGH
    kept = judged & (right >= goal.precision * accepted.sum(axis=0))
    made = sum(row.threshold is not None for row in promised.values())
    return {"made": made, "judged": int(judged.sum()), "kept": int(kept.sum()), "accepted": int(accepted.sum())}


def as_thresholds(values: Iterator[float | None]) -> np.ndarray:
    return np.array([np.inf if value is None else value for value in values])


if __name__ == "__main__":
    main()

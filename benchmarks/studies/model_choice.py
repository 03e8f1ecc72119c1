"""What models and thresholds are chosen by: `AspectDetector` on the eight validation sets of the corpus.

    python benchmarks/studies/model_choice.py --data FOLDER [--model FOLDER --name NAME] [--seeds 0 1]

Draws as in the practical comparison, with 1, 5, 10 and 50 examples of each aspect, without and with a pile. For each,
as means over sets and seeds: mean average precision, calibration error, and macro-F1 and empty accuracy at several
thresholds. They are merged into docs/results/model-choice.jsonl by the name of the model.

The probability model of the shipped model has learned its few weights on tasks of these sets; the model card has
numbers that were cross-validated. Ranking within an aspect hardly depends on them.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1] / "practical"))

from draws import SHOTS, VALIDATION, Draw, draw, load_set
from fewaspect import AspectDetector
from fewaspect.detector.metrics import calibration_error, measure
from fewaspect.experiments.results_file import merge_results
from fewaspect.training.environment import describe_environment

RESULTS = Path(__file__).parents[2] / "docs" / "results" / "model-choice.jsonl"
KEY = ("model", "shots", "pile")
PRECISION = "mean_average_precision"
THRESHOLDS = (0.3, 0.35, 0.4, 0.45, 0.5, 0.55)
TEST, FEWEST_EMPTIES = 600, 20


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True, help="The folder that holds corpus/.")
    parser.add_argument("--model", type=Path, help="An exported model; the shipped one if none is named.")
    parser.add_argument("--name", default="shipped", help="What the model is called in the results.")
    parser.add_argument("--seeds", nargs="+", type=int, default=[0, 1])
    parser.add_argument("--out", type=Path, default=RESULTS)
    arguments = parser.parse_args()
    sets = {name: load_set(name, arguments.data) for name in VALIDATION}
    for shots in SHOTS:
        drawn = {(name, seed): draw(sets[name], shots, seed, TEST) for name in sets for seed in arguments.seeds}
        for pile in (False, True):
            rows = {key: quality(arguments.model, one, pile) for key, one in drawn.items()}
            record = {"model": arguments.name, "shots": shots, "pile": pile, **means(list(rows.values()))}
            about = {"seeds": len(arguments.seeds), "sets": len(sets), "environment": describe_environment()}
            own = {name: [rows[name, seed][PRECISION] for seed in arguments.seeds] for name in sets}
            by_set = {name: round(100 * float(np.mean(found)), 2) for name, found in own.items()}
            merge_results(arguments.out, [{**record, "by_set": by_set, **about}], KEY)
            print(line(record), flush=True)


def quality(model: Path | None, drawn: Draw, pile: bool) -> dict[str, float]:
    """Of one draw; not a number where there is too little to measure."""
    detector = AspectDetector(model=model)
    rows = np.array(drawn.example_rows, dtype=int)
    detector.fit(drawn.examples, rows, names=drawn.names, unlabelled=drawn.pile if pile else [])
    p, truth = detector.predict_proba(drawn.texts), np.array(drawn.rows, dtype=bool)
    found = {"calibration_error": calibration_error(p, truth)}
    for threshold in THRESHOLDS:
        measured = measure([], p, p >= threshold, truth, {})
        enough = measured["empties"] >= FEWEST_EMPTIES
        found[PRECISION] = measured[PRECISION] or np.nan
        found[f"macro_f1_{threshold}"] = measured["macro_f1"]
        found[f"empty_accuracy_{threshold}"] = measured["empty_accuracy"] if enough else np.nan
    return found


def means(rows: Sequence[dict[str, float]]) -> dict[str, float]:
    """In percent, of those that could be measured."""
    return {name: round(100 * float(np.nanmean([row[name] for row in rows])), 2) for name in rows[0]}


def line(record: dict[str, Any]) -> str:
    decided = [f"{record[f'macro_f1_{t}']:.1f}/{record[f'empty_accuracy_{t}']:.0f}" for t in THRESHOLDS]
    return (
        f"{record['model']} {record['shots']:>2} examples {'with' if record['pile'] else 'without'} a pile: "
        f"{record[PRECISION]:.1f}, calibration {record['calibration_error']:.1f}, "
        f"macro-F1/empties at {THRESHOLDS}: {' '.join(decided)}"
    )


if __name__ == "__main__":
    main()

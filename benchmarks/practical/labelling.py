"""Simulated labelling: what `suggest` teaches with each label, beside chance and the strategies of others.

    python benchmarks/practical/labelling.py --data FOLDER [--sets validation] [--strategies suggest random] [--seeds 0]
    python benchmarks/practical/labelling.py --table

A detector starts with one example of each of the up to twelve most frequent aspects of a set and has read
sentences without labels. In each round a strategy chooses ten of them, a person who is never wrong labels all their
aspects, and the detector is fitted again. Mean average precision and macro-F1 are measured on sentences of the other
half. Every strategy starts from the same examples, has the same detector and the same embeddings.

Each sentence is encoded once. Measurements are merged into docs/results/labelling.jsonl; what is there is not measured
again, so the script can be stopped and started at will; what another model or version made is measured again. `--table`
writes labelling.md and the figure from this file alone. The strategies of others need
`pip install --constraint constraints.txt scikit-activeml==1.0.1 small-text==1.4.1` and are left out without it.
"""

from __future__ import annotations

import argparse
import warnings
from collections.abc import Sequence
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path

import numpy as np

from draws import chosen_sets, load_set
from fewaspect.core.files import atomic_write
from fewaspect.data.labelled import LabelledSentence
from fewaspect.detector.model import load_model
from fewaspect.detector.support import ExampleWarning
from fewaspect.experiments.results_file import Record, merge_results, read_results
from fewaspect.inference.encoding_cache import CachingEncoder
from fewaspect.training.environment import describe_environment
from simulation.labelling_page import page, write_curves
from simulation.labelling_pool import LabellingPool
from simulation.labelling_strategies import INSTALL, PACKAGES, STRATEGIES, Round

RESULTS = Path(__file__).parents[2] / "docs" / "results" / "labelling.jsonl"
KEY = ("set", "seed", "strategy")
MEASURED = (0, 20, 60, 100, 130, 160, 200)  # labels
IN_ROUND = 10
POOL, TEST = 600, 400  # texts that can be labelled, and that the detector is measured on


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, help="The folder that holds practical/, fewasp/ and corpus/validation/.")
    parser.add_argument("--sets", default="visible,validation", help="visible, validation, or names with commas.")
    parser.add_argument("--strategies", nargs="+", choices=STRATEGIES, default=list(STRATEGIES), help="These alone.")
    parser.add_argument("--seeds", nargs="+", type=int, default=[0, 1, 2, 3, 4])
    parser.add_argument("--out", type=Path, default=RESULTS, help="The results file; the page is written beside it.")
    parser.add_argument("--table", action="store_true", help="Only write the page from the results there are.")
    arguments = parser.parse_args()
    if not arguments.table:
        if arguments.data is None:
            parser.error("--data FOLDER is needed, except with --table")
        warnings.simplefilter("ignore", ExampleWarning)
        missing = {
            package for name in arguments.strategies for package in PACKAGES.get(name, ()) if not find_spec(package)
        }
        if missing:
            print(f"not installed, and their strategies left out: {', '.join(missing)}. To have them: {INSTALL}")
        strategies = [name for name in arguments.strategies if missing.isdisjoint(PACKAGES.get(name, ()))]
        sets = {name: load_set(name, arguments.data) for name in chosen_sets(arguments.sets)}
        for seed in arguments.seeds:
            for name, sentences in sets.items():
                measure_draw(name, sentences, strategies, seed, arguments.out)
    results = read_results(arguments.out)
    with atomic_write(arguments.out.with_suffix(".md")) as file:
        file.write(page(results))
    for path in (arguments.out.with_suffix(".md"), *write_curves(results, arguments.out.parent / "figures")):
        print(f"wrote {path}")


def measure_draw(
    name: str, sentences: Sequence[LabelledSentence], strategies: Sequence[str], seed: int, out: Path
) -> None:
    """What is missing of one draw, or was made by another model."""
    shipped = load_model()
    model = replace(shipped, encoder=CachingEncoder(shipped.encoder))
    known = read_results(out) if out.exists() else []
    done = {tuple(r[field] for field in KEY) for r in known if r["model"] == model.identity["weights"]}
    missing = [strategy for strategy in strategies if (name, seed, strategy) not in done]
    if not missing:
        return
    pool = LabellingPool(model, sentences, seed, POOL, TEST)
    shared = {
        "set": name, "seed": seed, "model": model.identity["weights"], "draw": pool.drawn.digest,
        "aspects": pool.names, "pool": len(pool.pool.texts), "test": len(pool.test.texts), "in_round": IN_ROUND,
        "environment": describe_environment(),
    }  # fmt: skip
    records = [{**shared, "strategy": strategy, **simulate(pool, strategy, seed)} for strategy in missing]
    merge_results(out, records, KEY)
    for record in records:
        print(f"{name}, seed {seed}, {record['strategy']}: {record['curve'][-1]}", flush=True)


def simulate(pool: LabellingPool, strategy: str, seed: int) -> Record:
    """The curve of one strategy: what is measured after so many labels, until the pool is empty."""
    random, labelled = np.random.default_rng(seed), list(pool.start)
    unlabelled = np.array([i for i, text in enumerate(pool.pool.texts) if text not in set(labelled)])
    curve, labels = [], 0
    while True:
        now = Round(pool, labelled, unlabelled, min(IN_ROUND, len(unlabelled)), random)
        ends = labels >= MEASURED[-1] or len(unlabelled) < IN_ROUND
        if ends or labels in MEASURED:
            curve.append({"labels": labels, **pool.measure(now.state)})
        if ends:
            return {"curve": curve}
        chosen = STRATEGIES[strategy](now)
        labelled = [*labelled, *(pool.pool.texts[i] for i in unlabelled[chosen])]
        unlabelled, labels = np.delete(unlabelled, chosen), labels + len(chosen)


if __name__ == "__main__":
    main()

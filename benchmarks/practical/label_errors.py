"""Are wrong labels among the examples found? A tenth of them made wrong, and the lists that are to name them.

    python benchmarks/practical/label_errors.py --data FOLDER [--sets validation] [--seeds 0 1 2 3 4]
    python benchmarks/practical/label_errors.py --table

Of the examples of a draw, 10 or 50 of each aspect, a tenth gets a wrong label, by turns: one of its aspects replaced by
another, one dropped, one added. `detector.label_issues()` lists the examples to check; counted is the share of the
wrong ones among as many as a tenth of the examples at the top of the whole list. Beside it, cleanlab's multi-label
`find_label_issues` on the probabilities of a cross-validated logistic regression over the same embeddings, its ranking
on the detector's own left-out probabilities, and chance. A list that is too short is filled up at random.

Records are merged into docs/results/label-errors.jsonl; what is there is not measured again. cleanlab is no dependency
of the project; without it, its rows are left out: `pip install cleanlab==2.9.0`.
"""

from __future__ import annotations

import math
import statistics
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from draws import Draw, draw, load_set
from fewaspect import AspectDetector
from fewaspect.detector.labelling.left_out import left_out_logits
from fewaspect.detector.model import InferenceModel, load_model
from fewaspect.detector.support import ExampleWarning
from fewaspect.experiments.results_file import Record, merge_results, read_results
from fewaspect.inference.encoding_cache import CachingEncoder
from fewaspect.training.environment import describe_environment
from studies_of_labels import framed, run
from tuning import out_of_fold, spread_folds

OUT = Path(__file__).parents[2] / "docs" / "results" / "label-errors.jsonl"
KEY = ("set", "shots", "seed", "system")
SHOTS, SHARE = (10, 50), 0.1
KINDS = ("replaced", "dropped", "added")
SYSTEMS = {
    "fewaspect": "label_issues",
    "cleanlab": "cleanlab, logistic regression",
    "cleanlab-own": "cleanlab's ranking, probabilities of the detector",
}


def main() -> None:
    run(__doc__ or "", OUT, range(5), measure, page)


def measure(data: Path, sets: Sequence[str], seeds: Sequence[int], out: Path, again: bool) -> None:
    systems = [name for name in SYSTEMS if name == "fewaspect" or find_spec("cleanlab")]
    known = {tuple(r[name] for name in KEY) for r in read_results(out)} if out.exists() and not again else set()
    environment = describe_environment()
    for name in sets:
        jobs = [(K, s) for K in SHOTS for s in seeds if any((name, K, s, system) not in known for system in systems)]
        if not jobs:
            continue
        sentences, model = load_set(name, data), load_model()
        model = replace(model, encoder=CachingEncoder(model.encoder, 2 << 30))
        for shots, seed in jobs:
            records = [
                {"set": name, "shots": shots, "seed": seed, "environment": environment, **found}
                for found in compared(draw(sentences, shots, seed, 1), seed, model, systems)
            ]
            merge_results(out, records, KEY)
            print(name, shots, seed, {r["system"]: r["found"] for r in records}, flush=True)


def compared(drawn: Draw, seed: int, model: InferenceModel, systems: Sequence[str]) -> Iterator[Record]:
    rng = np.random.default_rng(seed)
    rows, wrong = with_errors(np.array(drawn.example_rows, dtype=bool), rng)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ExampleWarning)
        detector = AspectDetector(model).fit(drawn.examples, rows.astype(int), names=drawn.names)
    place = {text: i for i, text in enumerate(drawn.examples)}
    kinds = [wrong.get(place[text]) for text in detector.examples_.texts]
    number = {text: i for i, text in enumerate(detector.examples_.texts)}
    membership = detector.examples_.membership
    for system in systems:
        if system == "fewaspect":
            listed = [number[issue.text] for issue in detector.label_issues(least=0)]
            shown = [number[issue.text] for issue in detector.label_issues()]
        elif system == "cleanlab":
            listed = cleanlab_issues(membership, regression_probabilities(detector, membership))
            shown = listed
        else:
            shown = []
            listed = cleanlab_ranking(membership, 1 / (1 + np.exp(-left_out_logits(model, detector._fitted()))))
        left = [i for i in rng.permutation(len(kinds)).tolist() if i not in set(listed)]
        top = [*listed, *left][: max(1, round(SHARE * len(kinds)))]
        yield {
            "system": system, "examples": len(kinds), "wrong": sum(kind is not None for kind in kinds),
            "looked_at": len(top), **shares(kinds, top),
            "listed": len(shown), "listed_wrong": sum(kinds[i] is not None for i in shown),
        }  # fmt: skip


def with_errors(rows: np.ndarray, rng: np.random.Generator) -> tuple[np.ndarray, dict[int, str]]:
    """(S, N) with a tenth of the rows made wrong, and how each of those was."""
    rows, wrong = rows.copy(), {}
    for turn, row in enumerate(rng.choice(len(rows), max(1, round(SHARE * len(rows))), replace=False).tolist()):
        own, others = np.flatnonzero(rows[row]), np.flatnonzero(~rows[row])
        kind = KINDS[turn % 3] if len(others) else "dropped"
        if kind != "added":
            rows[row, rng.choice(own)] = False
        if kind != "dropped":
            rows[row, rng.choice(others)] = True
        wrong[row] = kind
    return rows, wrong


def shares(kinds: Sequence[str | None], top: Sequence[int]) -> dict[str, Any]:
    """Of the wrong ones, and of each kind, how many are among the first."""
    found = {"found": sum(kinds[i] is not None for i in top) / max(1, sum(kind is not None for kind in kinds))}
    for kind in KINDS:
        found[kind] = sum(kinds[i] == kind for i in top) / max(1, kinds.count(kind))
    return {name: round(value, 4) for name, value in found.items()}


def regression_probabilities(detector: AspectDetector, membership: np.ndarray) -> np.ndarray:
    """(S, N) of logistic regressions fitted to four fifths of the examples, as in the practical comparison."""
    from sklearn.linear_model import LogisticRegression
    from sklearn.multiclass import OneVsRestClassifier

    classifier = OneVsRestClassifier(LogisticRegression(C=10, class_weight="balanced", max_iter=1000))
    rows = membership.astype(int)
    return out_of_fold(classifier, detector._fitted().example_vectors, rows, spread_folds(rows))


def cleanlab_issues(membership: np.ndarray, probabilities: np.ndarray) -> list[int]:
    from cleanlab.multilabel_classification.filter import find_label_issues

    labels = [np.flatnonzero(row).tolist() for row in membership]
    ranked = find_label_issues(labels, probabilities, return_indices_ranked_by="self_confidence", n_jobs=1)
    return [int(i) for i in ranked]


def cleanlab_ranking(membership: np.ndarray, probabilities: np.ndarray) -> list[int]:
    from cleanlab.multilabel_classification.rank import get_label_quality_scores

    labels = [np.flatnonzero(row).tolist() for row in membership]
    return [int(i) for i in np.argsort(get_label_quality_scores(labels, probabilities), kind="stable")]


INTRODUCTION = """\
# Label errors among the examples

Made by `python benchmarks/practical/label_errors.py --data FOLDER` from [label-errors.jsonl](label-errors.jsonl);
`--table` writes this page from the records alone.

10 or 50 examples of each aspect, a tenth of them made wrong, by turns: an aspect replaced by another, dropped, or
added. The share of the wrong ones, in percent, among the first tenth of each list: as many as there are wrong ones, so
that 100 would be a perfect list and 10 is chance. ± is the standard error over sets and seeds. The sets have label
errors of their own, which count as right here: no list can be perfect. The rule of `label_issues` was chosen on the
validation sets.

* label_issues: `detector.label_issues(least=0)`, the whole ranking; listed by default: without `least=0`.
* cleanlab, logistic regression: `find_label_issues` for several labels (cleanlab 2.9.0), ranked by self-confidence, on
  probabilities of scikit-learn's logistic regression over the same embeddings, five-fold.
* cleanlab's ranking, probabilities of the detector: `get_label_quality_scores` on the left-out probabilities that
  `label_issues` goes by.
"""


def page(records: Sequence[Record]) -> str:
    return framed(INTRODUCTION, records, lambda here, sets: [table(here), by_set(here, sets)])


def table(records: Sequence[Record]) -> str:
    lines = [
        "| examples | | found | replaced | dropped | added | listed by default | of these wrong |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for shots in SHOTS:
        for system, title in SYSTEMS.items():
            rows = [r for r in records if r["shots"] == shots and r["system"] == system]
            if rows:
                cells = [mean_and_error([r[name] for r in rows]) for name in ("found", *KINDS)]
                listed, wrong = (sum(r[name] for r in rows) for name in ("listed", "listed_wrong"))
                if listed:
                    share = statistics.mean(r["listed"] / r["examples"] for r in rows)
                    cells += [f"{share:.0%} of the examples", f"{wrong / listed:.0%}"]
                lines.append(f"| {shots} | {title} | {' | '.join([*cells, '', ''][:6])} |")
        lines.append(f"| {shots} | chance | 10.0 | 10.0 | 10.0 | 10.0 | | 10% |")
    return "\n".join([*lines, ""])


def by_set(records: Sequence[Record], sets: Sequence[str]) -> str:
    """Found with 10 / 50 examples, set by set."""
    lines = [f"| found with {' / '.join(map(str, SHOTS))} | {' | '.join(sets)} |", "|---" * (len(sets) + 1) + "|"]
    for system, title in SYSTEMS.items():
        cells = []
        for name in sets:
            rows = [[r for r in records if (r["set"], r["system"], r["shots"]) == (name, system, K)] for K in SHOTS]
            cells.append(
                " / ".join(f"{100 * statistics.mean(r['found'] for r in own):.1f}" if own else "-" for own in rows)
            )
        lines.append(f"| {title} | {' | '.join(cells)} |")
    return "\n".join([*lines, ""])


def mean_and_error(values: Sequence[float]) -> str:
    error = statistics.stdev(values) / math.sqrt(len(values)) if len(values) > 1 else 0.0
    return f"{100 * statistics.mean(values):.1f} ± {100 * error:.1f}"


if __name__ == "__main__":
    main()

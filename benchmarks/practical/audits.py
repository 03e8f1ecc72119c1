"""Do the intervals of `detector.audit` hold what they promise, and how wide are they?

    python benchmarks/practical/audits.py --data FOLDER [--sets validation] [--seeds 0 1 2 3 4]
    python benchmarks/practical/audits.py --table

A detector gets ten examples of each aspect from one random half of a set; the other half is what is audited, and
its labels are the truth. Of 50, 100 and 200 checked sentences, the intervals of precision, recall and F1 of every
aspect are compared with the truth on the whole half: how often they hold it, how wide they are. Two audits of each
draw, with seeds of their own. Beside them, the same number of sentences drawn uniformly, with the same estimate and
with what is usual (Wilson intervals of the sample's precision and recall); and the sentences of the audit with an
estimate by strata and inclusion weights.

Records are merged into docs/results/audits.jsonl; what is there is not measured again. `--table` writes audits.md.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from draws import draw, load_set
from fewaspect import AspectDetector
from fewaspect.detector.labelling.audit import Audit, draw_audit, draw_sizes, inclusion
from fewaspect.detector.labelling.audit_result import Checked
from fewaspect.detector.model import InferenceModel, load_model
from fewaspect.experiments.results_file import Record, merge_results, read_results
from fewaspect.inference.encoding_cache import CachingEncoder
from fewaspect.training.environment import describe_environment
from studies_of_labels import framed, run

OUT = Path(__file__).parents[2] / "docs" / "results" / "audits.jsonl"
KEY = ("set", "labels", "seed", "system")
SHOTS, LABELS, REPEATS = 10, (50, 100, 200), 2
SYSTEMS = {
    "audit": "audit",
    "uniform": "uniform draw, the same estimate",
    "strata": "the audit's sentences, estimate by strata and weights",
    "wilson": "uniform draw, Wilson intervals",
}
CONFIDENCES = (0.9, 0.95)
METRICS = ("precision", "recall", "f1")
PRIOR = 2.0  # labels that the mean probability of a stratum counts for, in the estimate by strata


class Pile(NamedTuple):
    """Sentences of one half with (P, N) probabilities, what is answered and what is true."""

    names: list[str]
    probabilities: np.ndarray
    thresholds: np.ndarray
    answered: np.ndarray
    truth: np.ndarray

    @property
    def true_values(self) -> dict[str, np.ndarray]:
        """(N,) of each metric; nan where nothing is answered."""
        right = (self.answered & self.truth).sum(axis=0)
        answered, positives = self.answered.sum(axis=0), self.truth.sum(axis=0)
        with np.errstate(invalid="ignore"):
            return {
                "precision": right / answered,
                "recall": right / positives,
                "f1": 2 * right / (answered + positives),
            }


def main() -> None:
    run(__doc__ or "", OUT, range(5), measure, page)


def measure(data: Path, sets: Sequence[str], seeds: Sequence[int], out: Path, again: bool) -> None:
    known = {tuple(r[name] for name in KEY) for r in read_results(out)} if out.exists() and not again else set()
    environment = describe_environment()
    for name in sets:
        wanted = [seed for seed in seeds if any((name, n, seed, s) not in known for n in LABELS for s in SYSTEMS)]
        if not wanted:
            continue
        sentences, model = load_set(name, data), load_model()
        model = replace(model, encoder=CachingEncoder(model.encoder, 2 << 30))
        for seed in wanted:
            pile = read_pile(sentences, seed, model)
            records = [
                {"set": name, "labels": n, "seed": seed, "system": system, "environment": environment, **found}
                for n in LABELS
                for system, found in audited(pile, n, seed)
            ]
            merge_results(out, records, KEY)
            of_audit = next(r for r in records if r["system"] == "audit")
            print(f"{name}, seed {seed}: {of_audit['f1']}", flush=True)


def read_pile(sentences: Any, seed: int, model: InferenceModel) -> Pile:
    drawn = draw(sentences, SHOTS, seed, len(sentences))
    detector = AspectDetector(model).fit(drawn.examples, np.array(drawn.example_rows), names=drawn.names)
    probabilities, thresholds = detector.predict_proba(drawn.texts), np.array(list(detector.thresholds_.values()))
    return Pile(drawn.names, probabilities, thresholds, probabilities >= thresholds, np.array(drawn.rows, dtype=bool))


def audited(pile: Pile, n: int, seed: int) -> Iterator[tuple[str, Record]]:
    """The record of each system."""
    P = len(pile.truth)
    held: dict[str, list[dict[str, Any]]] = {system: [] for system in SYSTEMS}
    for repeat in range(REPEATS):
        number = REPEATS * seed + repeat
        every = draw_audit(
            pile.names, [f"sentence {i}" for i in range(P)], pile.probabilities, pile.thresholds, P, number
        )
        uniform = np.random.default_rng(number).permutation(P)[:n]
        audits = {
            "audit": replace(every, sentences=every.sentences[:n]),
            "uniform": replace(every, sentences=tuple(every.sentences[i] for i in uniform)),
        }
        for system, audit in audits.items():
            held[system].append(compared(pile, *drawn_intervals(pile, audit)))
        rows = np.array([s.index for s in audits["audit"].sentences], dtype=int)
        held["strata"].append(compared(pile, strata_intervals(pile, rows, number)))
        rows = np.array([s.index for s in audits["uniform"].sentences], dtype=int)
        held["wilson"].append(compared(pile, wilson_intervals(pile, rows)))
        if repeat == 0 and n == LABELS[0]:
            held["audit"][0] |= halved(pile, every, n)
    for system, found in held.items():
        yield system, {"sentences": P, "aspects": len(pile.names), **averaged(found)}


Intervals = dict[tuple[str, float], tuple[np.ndarray, np.ndarray]]  # by metric and confidence: (N,) low and high


def labels_of(pile: Pile, audit: Audit) -> list[list[str]]:
    return [[n for n, has in zip(pile.names, pile.truth[s.index], strict=True) if has] for s in audit.sentences]


def drawn_intervals(pile: Pile, audit: Audit) -> tuple[Intervals, dict[str, Any]]:
    """Of the aspects, and of all answers together: whether micro and macro F1 are held."""
    outcomes = Checked.of(audit, labels_of(pile, audit)).outcomes(audit)
    found: Intervals = {}
    for metric in METRICS:
        for c in CONFIDENCES:
            low, high = np.quantile(getattr(outcomes, metric), ((1 - c) / 2, (1 + c) / 2), axis=1)
            found[metric, c] = low, high
    truth, both = pile.true_values, (pile.answered & pile.truth).sum()
    of_all = {"macro_f1": outcomes.f1.mean(axis=0), "micro_f1": outcomes.together.f1[0]}
    true = {
        "macro_f1": float(truth["f1"].mean()),
        "micro_f1": 2 * both / (pile.answered.sum() + pile.truth.sum()),
    }
    extra = {}
    for name, draws in of_all.items():
        held, width = [], []
        for c in CONFIDENCES:
            low, high = np.quantile(draws, ((1 - c) / 2, (1 + c) / 2))
            held.append(float(low - 1e-9 <= true[name] <= high + 1e-9))
            width.append(float(high - low))
        extra[name] = {"held": held, "width": width, "error": [abs(float(np.median(draws)) - true[name])]}
    return found, extra


def strata_intervals(pile: Pile, rows: np.ndarray, seed: int) -> Intervals:
    """A Beta posterior for each aspect and stratum of its probability, by the effective number of weighted labels."""
    rng, draws = np.random.default_rng(seed), 1000
    weights = 1 / inclusion(draw_sizes(pile.probabilities, pile.answered), len(rows))[rows]
    samples: dict[str, list[np.ndarray]] = {metric: [] for metric in METRICS}
    for p, y, t in zip(pile.probabilities.T, pile.truth.T, pile.thresholds, strict=True):
        counts = []
        for low, high in ((t, 2.0), (t / 4, t), (0.02, t / 4), (-1.0, 0.02)):
            inside = (p >= low) & (p < high)
            w, own = weights[inside[rows]], y[rows][inside[rows]]
            effective = w.sum() ** 2 / max((w**2).sum(), 1e-12)
            rate, prior = (w * own).sum() / max(w.sum(), 1e-12), p[inside].mean() if inside.any() else 0.5
            a, b = PRIOR * prior + effective * rate, PRIOR * (1 - prior) + effective * (1 - rate)
            counts.append(own.sum() + rng.binomial(inside.sum() - len(own), rng.beta(a + 1e-6, b + 1e-6, draws)))
        right, positives, answered = counts[0], sum(counts), (p >= t).sum()
        samples["precision"].append(right / max(answered, 1))
        samples["recall"].append(right / np.maximum(positives, 1))
        samples["f1"].append(2 * right / np.maximum(answered + positives, 1))
    found: Intervals = {}
    for metric in METRICS:
        for c in CONFIDENCES:
            low, high = np.quantile(np.stack(samples[metric]), ((1 - c) / 2, (1 + c) / 2), axis=1)
            found[metric, c] = low, high
    return found


def wilson_intervals(pile: Pile, rows: np.ndarray) -> Intervals:
    """Of precision among the answered ones of the sample and of recall among its positives; of F1 there is none."""
    answered, truth = pile.answered[rows], pile.truth[rows]
    both = (answered & truth).sum(axis=0)
    found: Intervals = {}
    for c in CONFIDENCES:
        z = statistics.NormalDist().inv_cdf((1 + c) / 2)
        for metric, whole in (("precision", answered.sum(axis=0)), ("recall", truth.sum(axis=0))):
            n = np.maximum(whole, 1e-9)
            centre, spread = both / n + z * z / (2 * n), z * np.sqrt(both / n * (1 - both / n) / n + (z / (2 * n)) ** 2)
            low, high = (centre - spread) / (1 + z * z / n), (centre + spread) / (1 + z * z / n)
            found[metric, c] = np.where(whole > 0, low, 0.0), np.where(whole > 0, high, 1.0)
    return found


def compared(pile: Pile, intervals: Intervals, extra: dict[str, Any] | None = None) -> dict[str, Any]:
    """By metric: share of aspects whose interval holds the truth and mean width at each confidence; mean error."""
    truth, result = pile.true_values, dict(extra or {})
    for metric in METRICS:
        if (metric, CONFIDENCES[0]) not in intervals:
            continue
        true = truth[metric]
        there = ~np.isnan(true)
        ends = [intervals[metric, c] for c in CONFIDENCES]
        result[metric] = {
            "held": [float(((low - 1e-9 <= true) & (true <= high + 1e-9))[there].mean()) for low, high in ends],
            "width": [float((high - low)[there].mean()) for low, high in ends],
        }
    return result


def halved(pile: Pile, every: Audit, n: int) -> dict[str, Any]:
    """How wide the interval of micro F1 is with the further labels that were said to halve it, by what it was."""
    first = replace(every, sentences=every.sentences[:n])
    before = first.result(labels_of(pile, first))
    second = replace(every, sentences=every.sentences[: n + before.more])
    after = second.result(labels_of(pile, second))
    return {"halving": (after.f1.high - after.f1.low) / (before.f1.high - before.f1.low), "more": before.more}


def averaged(found: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Means over the repeats, number by number."""
    result: dict[str, Any] = {}
    for name in sorted({key for one in found for key in one}):
        values = [one[name] for one in found if name in one]
        if isinstance(values[0], dict):
            result[name] = {
                part: [round(float(v), 4) for v in np.mean([x[part] for x in values], axis=0)] for part in values[0]
            }
        else:
            result[name] = round(float(np.mean(values)), 4)
    return result


INTRODUCTION = """\
# How good is it? The intervals of an audit

Made by `python benchmarks/practical/audits.py --data FOLDER` from [audits.jsonl](audits.jsonl); `--table` writes this
page from the records alone.

A detector with 10 examples of each aspect from one random half of a set; the other half (200 to 1,900 sentences) is
audited. Of 50, 100 or 200 of its sentences the true labels are shown. *Held*: the share of intervals of single aspects
that hold the truth on the whole half, at 90 / 95 % confidence, in percent, with the standard error over sets and seeds.
*Width*: of the 90 % intervals, in points, mean over aspects. Means over sets and seeds, two audits of each draw. The
spreads of the recalibration and the shares of the draw were chosen on the validation sets.

* audit: `detector.audit(texts, n)` and its `result`.
* uniform draw, the same estimate: sentences drawn uniformly, the rest as in the audit.
* the audit's sentences, estimate by strata and weights: four strata of each aspect's probability, a Beta posterior in
  each by the effective number of labels, weighted by the inverse of the chance to be drawn; nothing is shared between
  aspects.
* uniform draw, Wilson intervals: of the precision and the recall in the sample; from 0 to 1 where it has none.
"""


def page(records: Sequence[Record]) -> str:
    return framed(INTRODUCTION, records, lambda here, _: [table(here), *overall(here)])


def table(records: Sequence[Record]) -> str:
    lines = [
        "| labels | | precision held | width | recall held | width | F1 held | width |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for n in LABELS:
        for system, title in SYSTEMS.items():
            rows = [r for r in records if r["labels"] == n and r["system"] == system]
            if rows:
                cells = [cell for metric in METRICS for cell in cells_of(rows, metric)]
                lines.append(f"| {n} | {title} | {' | '.join(cells)} |")
    return "\n".join([*lines, ""])


def cells_of(rows: Sequence[Record], metric: str) -> tuple[str, str]:
    if metric not in rows[0]:
        return "-", "-"
    held = [100 * np.array([r[metric]["held"][c] for r in rows]) for c in (0, 1)]
    error = held[0].std(ddof=1) / math.sqrt(len(rows)) if len(rows) > 1 else 0.0
    width = 100 * statistics.mean(r[metric]["width"][0] for r in rows)
    return f"{held[0].mean():.1f} ± {error:.1f} / {held[1].mean():.1f}", f"{width:.1f}"


def overall(records: Sequence[Record]) -> Iterator[str]:
    """Of all answers together, what sets differ by, and what halving took."""
    own = [r for r in records if r["system"] == "audit"]
    for n in LABELS:
        rows = [r for r in own if r["labels"] == n]
        if rows:
            said = (
                f"{title} {' held, width '.join(cells_of(rows, key))}"
                for key, title in (("micro_f1", "micro-F1"), ("macro_f1", "macro-F1"))
            )
            yield f"All answers together, audit of {n}: {'; '.join(said)}."
    least = min(
        (statistics.mean(r["f1"]["held"][0] for r in own if r["set"] == name), name) for name in {r["set"] for r in own}
    )
    yield f"\nThe set whose F1 intervals hold least: {least[1]}, {100 * least[0]:.1f} at 90 %."
    halving = [r for r in own if "halving" in r]
    if halving:
        ratio, more = (statistics.mean(r[key] for r in halving) for key in ("halving", "more"))
        yield (
            f"With as many further labels as were said to halve the interval of micro-F1 after {LABELS[0]} "
            f"({more:.0f} on average), it is {ratio:.2f} times as wide.\n"
        )


if __name__ == "__main__":
    main()

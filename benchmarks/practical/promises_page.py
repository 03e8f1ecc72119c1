"""The page on promises of precision, from its records alone."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from typing import Any

from curves import interval
from records import GROUPS, Result

METHODS = {
    "fewaspect": "`tune(precision=...)`",
    "one threshold": "the bound, one threshold for all aspects",
    "measured": "measured precision, no bound",
    "trusted": "the probability trusted",
}
INTRODUCTION = """\
# Promises of precision: kept, and how much is accepted

Made by `python benchmarks/practical/promises.py --data FOLDER` from [promises.jsonl](promises.jsonl); `--table` writes
this page from the records alone.

The sets of the [practical comparison](practical.md), of each at most 2,400 texts in a seeded order. Of a random half,
the first part gives {shots} examples per aspect, the second the labelled sentences, a fair sample, those with none of
the aspects included; a set that has fewer than a row asks for is left out of it. "Examples": no labels but the
examples, each left out once. The other half is unseen. The promise: at least the target share of the accepted answers
is right, with confidence {confidence}.

* Kept: on the unseen sentences no smaller share of the accepted answers is right; where nothing is accepted, nothing is
  broken. In brackets the 95 % interval (Clopper-Pearson) over draws. A promise that holds exactly fails this in every
  second case, for the unseen sentences are a sample, too; *refuted* are those whose measured precision is below the
  target beyond chance (one-sided, 5 %).
* Made: the share of the draws in which anything is accepted; then, how many of these promises were kept.
* Accepted: of the answers at the ordinary thresholds, and of all aspects that are there: means over sets, with 95 %
  intervals over the seeds (Student's t).
* The bound, one threshold for all aspects: learn-then-test in its plain form, on the probabilities as they are, from
  the top. Measured precision: the lowest threshold at which the labels have the target, as one would choose it by
  hand. The probability trusted: what reaches the target by its own probability.

The parameters of `tune(precision=...)` were chosen on the validation sets; the visible ones were measured once, after.
"""


def page(results: Sequence[Result]) -> str:
    """The whole page; a group of sets that was not measured is left out."""
    one = results[0]
    parts = [INTRODUCTION.format(shots=one["shots"], confidence=one["confidence"])]
    for group, sets in GROUPS.items():
        if here := [result for result in results if result["set"] in sets]:
            count, seeds = len({r["set"] for r in here}), len({r["seed"] for r in here})
            parts += [f"## {group[0].upper()}{group[1:]}: {count} sets, {seeds} seeds\n", table(here), beside(here)]
            parts += [alone(here), by_set(here, sets)]
    environment = one["environment"]
    machine = f"Python {environment['python']}, {environment['processor']}, {environment['system']}"
    packages = ", ".join(f"{name} {version}" for name, version in environment["packages"].items())
    return "\n".join([*parts, f"{machine}; {packages}.\n"])


def table(results: Sequence[Result]) -> str:
    """What `tune(precision=...)` does, by target and number of labels."""
    lines = ["| target | labels | kept | refuted | made | kept of those | accepted of the answers | of all aspects |"]
    lines.append("|---" * 8 + "|")
    for target in targets(results):
        for labels in numbers(results):
            lines.append(f"| {target} | {labels or 'examples'} | {row(results, 'fewaspect', target, labels)} |")
    return "\n".join([*lines, ""])


def beside(results: Sequence[Result]) -> str:
    """All methods: the share of promises kept, and of the answers accepted."""
    lines = [
        "Promises kept; of the answers accepted; both in percent, with "
        + " / ".join(f"{labels} labels" if labels else "the examples" for labels in numbers(results))
        + ":\n",
        "| | " + " | ".join(f"target {target}" for target in targets(results)) + " |",
        "|---" * (1 + len(targets(results))) + "|",
    ]
    for method, title in METHODS.items():
        cells = []
        for target in targets(results):
            found = [outcomes(results, method, target, labels) for labels in numbers(results)]
            kept = " / ".join(f"{100 * statistics.mean(o['kept'] for o in own):.0f}" for own in found)
            accepted = " / ".join(f"{100 * mean_of(own, 'share')['mean']:.0f}" for own in found)
            cells.append(f"{kept}; {accepted}")
        lines.append(f"| {title} | {' | '.join(cells)} |")
    return "\n".join([*lines, ""])


def alone(results: Sequence[Result]) -> str:
    """Promises of single aspects, `per_aspect=True`."""
    lines = [
        "Promises of single aspects (`per_aspect=True`): made, of all aspects; kept, of those with at least 20 "
        "accepted answers in the other half; accepted, of the answers:\n",
        "| labels | " + " | ".join(f"target {target}" for target in targets(results)) + " |",
        "|---" * (1 + len(targets(results))) + "|",
    ]
    for labels in numbers(results):
        cells = []
        for target in targets(results):
            own = [result for result in results if result["labels"] == labels]
            total = {k: sum(r["aspects_alone"][target][k] for r in own) for k in ("made", "judged", "kept", "accepted")}
            share = statistics.mean(r["aspects_alone"][target]["accepted"] / r["answers"] for r in own)
            made = f"{total['made']} of {sum(r['names'] for r in own)}"
            cells.append(f"{made}; {total['kept']} of {total['judged']}; {100 * share:.1f} %")
        lines.append(f"| {labels or 'examples'} | {' | '.join(cells)} |")
    return "\n".join([*lines, ""])


def by_set(results: Sequence[Result], sets: Sequence[str]) -> str:
    """Kept draws and accepted share with the most labels that a set has, and how right its answers are anyway."""
    lines = [
        "By set, with the most labels it has: draws in which the promise was kept, and accepted of the answers:\n",
        "| set | labels | right, of all answers | " + " | ".join(f"target {t}" for t in targets(results)) + " |",
        "|---" * (3 + len(targets(results))) + "|",
    ]
    for name in sets:
        if not (own := [r for r in results if r["set"] == name]):
            continue
        most = max(r["labels"] for r in own)
        own = [r for r in own if r["labels"] == most]
        right = statistics.mean(r["right_answers"] / r["answers"] for r in own)
        cells = []
        for target in targets(results):
            found = outcomes(own, "fewaspect", target, most)
            share = statistics.mean(o["share"] for o in found)
            cells.append(f"{sum(o['kept'] for o in found)} of {len(found)}; {100 * share:.1f} %")
        lines.append(f"| {name} | {most} | {100 * right:.0f} % | {' | '.join(cells)} |")
    return "\n".join([*lines, ""])


def row(results: Sequence[Result], method: str, target: str, labels: int) -> str:
    found = outcomes(results, method, target, labels)
    kept, made = sum(o["kept"] for o in found), [o for o in found if o["made"]]
    low, high = clopper_pearson(kept, len(found))
    of_those = f"{sum(o['kept'] for o in made)} of {len(made)}" if made else "-"
    shares = (mean_of(found, name) for name in ("share", "recall"))
    accepted = [f"{100 * s['mean']:.1f} % ({100 * max(0.0, s['low']):.1f} to {100 * s['high']:.1f})" for s in shares]
    return " | ".join(
        [
            f"{100 * kept / len(found):.1f} % ({100 * low:.0f} to {100 * high:.0f}) of {len(found)}",
            str(sum(o["refuted"] for o in found)), f"{100 * len(made) / len(found):.0f} %", of_those, *accepted,
        ]
    )  # fmt: skip


def outcomes(results: Sequence[Result], method: str, target: str, labels: int) -> list[dict[str, Any]]:
    """Of each draw: whether anything was accepted, whether the promise was kept or refuted, and what was accepted."""
    from scipy.stats import binom

    found = []
    for result in results:
        if result["labels"] == labels:
            accepted, right = result["accepted"][method][target]
            refuted = accepted > 0 and binom.cdf(right, accepted, float(target)) < 0.05
            found.append(
                {"seed": result["seed"], "made": accepted > 0, "kept": right >= float(target) * accepted,
                 "refuted": bool(refuted), "share": accepted / max(result["answers"], 1),
                 "recall": right / max(result["true_aspects"], 1)}
            )  # fmt: skip
    return found


def mean_of(found: Sequence[dict[str, Any]], name: str) -> dict[str, float]:
    """Mean over sets, with its interval over the seeds."""
    seeds = sorted({o["seed"] for o in found})
    return interval([statistics.mean(o[name] for o in found if o["seed"] == seed) for seed in seeds])


def clopper_pearson(right: int, cases: int) -> tuple[float, float]:
    from scipy.stats import beta

    low = float(beta.ppf(0.025, right, cases - right + 1)) if right else 0.0
    return low, float(beta.ppf(0.975, right + 1, cases - right)) if right < cases else 1.0


def targets(results: Sequence[Result]) -> list[str]:
    return sorted(results[0]["accepted"]["fewaspect"], key=float)


def numbers(results: Sequence[Result]) -> list[int]:
    return sorted({result["labels"] for result in results})

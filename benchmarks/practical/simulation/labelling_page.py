"""The page and the figure of simulated labelling, from the records alone."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from curves import interval
from draws import SETS, VALIDATION
from fewaspect.experiments.results_file import Record
from records import MACRO_F1, PRECISION, Metric

if TYPE_CHECKING:
    from matplotlib.figure import Figure

TITLES = {
    "suggest": "`suggest`", "random": "at random", "uncertainty": "nearest to a threshold",
    "suggest-0.1": "`suggest` of version 0.1", "typiclust": "TypiClust (scikit-activeml)",
    "max-herding": "MaxHerding (scikit-activeml)", "coreset": "greedy coreset (small-text)",
    "cvirs": "CVIRS (small-text)",
}  # fmt: skip
METRICS = (PRECISION, MACRO_F1)
SHOWN = (0, 20, 60, 100, 130, 160, 200)
CHANCE, OURS = "random", "suggest"
NAME = "labelling"
INTRO = """# Simulated labelling

What a label teaches, by which sentence is chosen for it. `python benchmarks/practical/labelling.py --data FOLDER` makes
the numbers; `--table` writes this page from [labelling.jsonl](labelling.jsonl) alone.

A detector starts with one example of each of the up to twelve most frequent aspects and has read at most
{pool} sentences without labels. In each round ten of them are chosen, and a person who is never wrong labels all their
aspects ("none of these" included). Measured on {test} sentences of the other half, means over {sets} sets and {seeds}
seeds, in percent; an interval is that of the mean over seeds (95 %, Student's t). Where there are fewer than 200
of them, the last point stands for those after it. All strategies choose from the same texts, by the same embeddings
and the same detector.

The rule of `suggest` is the best, by a few tenths, of some 60 that were tried on the validation sets, seeds 0 and 1
(most of them with 700 texts and rounds of 20), and was fixed before this was measured. What it shows on these draws
may flatter it: the visible sets, and the other seeds of the validation sets, are the test.
"""
CHOSEN_ON = (0, 1)  # seeds of the validation sets


def page(results: Sequence[Record]) -> str:
    """Markdown."""
    groups = {"All sets": (*VALIDATION, *SETS), "Validation sets": VALIDATION, "Visible sets": tuple(SETS)}
    there = {r["set"] for r in results}
    size = {name: max(r[name] for r in results) for name in ("pool", "test")}
    parts = [INTRO.format(**size, sets=len(there), seeds=len({r["seed"] for r in results}))]
    parts += ["## What was aimed at", aims(results, [name for name in groups["All sets"] if name in there])]
    for title, names in groups.items():
        sets = [name for name in names if name in there]
        if sets:
            parts += [f"## {title} ({len(sets)})", *(table(results, metric, sets) for metric in METRICS)]
            parts += [needed(results, sets)]
    parts += ["## By set", by_set(results, [name for name in groups["All sets"] if name in there])]
    parts += ["![Average precision and macro-F1 against labels](figures/labelling.png)"]
    return "\n\n".join(part.strip() for part in parts) + "\n"


def aims(results: Sequence[Record], sets: Sequence[str]) -> str:
    """Each aim with what was found, whether or not it was reached."""
    fresh = [r for r in results if r["set"] in VALIDATION and r["seed"] not in CHOSEN_ON]
    seen = [r for r in results if r["set"] in VALIDATION and r["seed"] in CHOSEN_ON]
    tests = {
        "all draws": results, "validation sets, the draws of the choice": seen, "validation sets, other draws": fresh,
        "visible sets": [r for r in results if r["set"] in SETS],
    }  # fmt: skip
    head = ["`suggest` beside chance", "average precision, 60 (aim +2)", "130", "macro-F1, 60 (aim +3)", "130"]
    lines = [_row(head), _row(["---"] * len(head))]
    for title, some in tests.items():
        names = sorted({r["set"] for r in some})
        if names:
            cells = [f"{gap(some, OURS, metric, names, k):+.1f}" for metric in METRICS for k in (60, 130)]
            lines.append(_row([title, *cells]))
    worst = {name: gap(results, OURS, PRECISION, [name], 130) for name in sets}
    behind = ", ".join(
        f"{name} ({value:+.1f})" for name, value in sorted(worst.items(), key=lambda i: i[1]) if value < -1
    )
    others = [name for name in TITLES if name != OURS and any(r["strategy"] == name for r in results)]
    lines.append("")
    for metric in METRICS:
        ahead = [TITLES[o] for o in others if gap(results, o, metric, sets, 60) > gap(results, OURS, metric, sets, 60)]
        lines.append(f"Better in {metric.title} after 60 labels: {', '.join(ahead) or 'none'}.")
    lines.append(f"Behind chance by more than 1 of average precision after 130 labels: {behind or 'no set'}.")
    return "\n".join([*lines, needed(results, sets) + " The aim was 130."])


def gap(results: Sequence[Record], strategy: str, metric: Metric, sets: Sequence[str], labels: int) -> float:
    """What a strategy is better by than chance, mean over seeds and sets."""
    own, chance = (seed_curves(results, name, metric, sets) for name in (strategy, CHANCE))
    return statistics.mean(own[seed][labels] - chance[seed][labels] for seed in own if seed in chance)


def table(results: Sequence[Record], metric: Metric, sets: Sequence[str]) -> str:
    """A row for each strategy, a column for each number of labels; what it is better by than chance after 60 labels."""
    head = ["", *map(str, SHOWN), "60 labels, beside chance", "130 labels, beside chance"]
    lines = [f"{metric.title} after so many labels:", "", _row(head), _row(["---"] * len(head))]
    chance = seed_curves(results, CHANCE, metric, sets)
    for strategy, title in TITLES.items():
        own = seed_curves(results, strategy, metric, sets)
        if not own:
            continue
        cells = [f"{statistics.mean(curve[k] for curve in own.values()):.1f}" for k in SHOWN]
        for k in (60, 130):
            gaps = [own[seed][k] - chance[seed][k] for seed in own if seed in chance]
            found = interval(gaps)
            cells.append(
                "" if strategy == CHANCE else f"{found['mean']:+.1f} ({found['low']:+.1f} to {found['high']:+.1f})"
            )
        lines.append(_row([title, *cells]))
    return "\n".join(lines)


def needed(results: Sequence[Record], sets: Sequence[str]) -> str:
    """How many labels each strategy needs for the average precision that chance has after 200."""
    goal = np.mean([curve[200] for curve in seed_curves(results, CHANCE, PRECISION, sets).values()])
    found = []
    for strategy, title in TITLES.items():
        if own := seed_curves(results, strategy, PRECISION, sets):
            means = {k: np.mean([curve[k] for curve in own.values()]) for k in next(iter(own.values()))}
            found.append(f"{title} {_reached(means, float(goal))}")
    return f"Labels until the average precision that chance has after 200 ({goal:.1f}): {', '.join(found)}."


def by_set(results: Sequence[Record], sets: Sequence[str]) -> str:
    """What `suggest` is better by than chance on each set."""
    marks = [(metric, k) for metric in METRICS for k in (60, 100, 130, 200)]
    head = ["set", *(f"{metric.title}, {k}" for metric, k in marks)]
    lines = ["`suggest` minus chance, mean over seeds:", "", _row(head), _row(["---"] * len(head))]
    for name in sets:
        cells = []
        for metric, k in marks:
            cells.append(f"{gap(results, OURS, metric, [name], k):+.1f}")
        lines.append(_row([name, *cells]))
    return "\n".join(lines)


def seed_curves(
    results: Sequence[Record], strategy: str, metric: Metric, sets: Sequence[str]
) -> dict[int, dict[int, float]]:
    """By seed and number of labels the mean over the sets, for seeds for which all of them were measured."""
    found: dict[int, list[dict[int, float]]] = {}
    for r in results:
        if r["strategy"] == strategy and r["set"] in sets:
            points = {p["labels"]: metric.scale * p[metric.key] for p in r["curve"]}
            marks = {k: points[max(p for p in points if p <= k)] for k in SHOWN}
            found.setdefault(r["seed"], []).append(marks)
    whole = {seed: curves for seed, curves in sorted(found.items()) if len(curves) == len(sets)}
    return {seed: {k: statistics.mean(c[k] for c in curves) for k in curves[0]} for seed, curves in whole.items()}


def write_curves(results: Sequence[Record], folder: Path) -> list[Path]:
    """The figure and its numbers."""
    from fewaspect.experiments.figures.figure_style import output_folder, write_figure

    sets = sorted({r["set"] for r in results})
    curves = {
        metric.title: {s: own for s in TITLES if (own := _mean_curve(results, s, metric, sets))} for metric in METRICS
    }
    return write_figure(output_folder(folder), NAME, lambda: draw_curves(curves, len(sets)), curves)


def draw_curves(curves: dict[str, dict[str, dict[str, float]]], sets: int) -> Figure:
    from matplotlib.figure import Figure

    from fewaspect.experiments.figures.figure_style import COLOURS, LINES, MARKERS

    figure = Figure(figsize=(9.5, 4.6))
    for panel, (title, by_strategy) in zip(figure.subplots(1, len(curves)), curves.items(), strict=True):
        for number, (strategy, points) in enumerate(by_strategy.items()):
            style = number % len(COLOURS)
            panel.plot(
                [int(k) for k in points], list(points.values()), label=TITLES[strategy].replace("`", ""),
                color=COLOURS[style], marker=MARKERS[number % len(MARKERS)], linestyle=LINES[number % len(LINES)],
                linewidth=2.2 if strategy == OURS else 1.0, markersize=3.5,
            )  # fmt: skip
        panel.set_xlabel("labels")
        panel.set_ylabel(f"{title} in %, mean of {sets} sets")
    handles, labels = panel.get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=4, fontsize=8)
    return figure


def _mean_curve(results: Sequence[Record], strategy: str, metric: Metric, sets: Sequence[str]) -> dict[str, float]:
    own = seed_curves(results, strategy, metric, sets)
    return {str(k): statistics.mean(c[k] for c in own.values()) for k in next(iter(own.values()))} if own else {}


def _reached(means: dict[int, float], goal: float) -> str:
    """The number of labels, between two points by a straight line."""
    points = sorted(means.items())
    for (k, low), (after, high) in pairwise(points):
        if high >= goal:
            return str(round(k + (after - k) * (goal - low) / (high - low))) if goal > low else str(k)
    return "more than 200"


def _row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"

"""Learning curves of the practical comparison: quality against the number of examples, from records alone."""

from __future__ import annotations

import math
import statistics
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from records import (
    GROUPS,
    MACRO_F1,
    PRECISION,
    TITLES,
    Metric,
    Result,
    applicable,
    check_draws,
    of_one_version,
    seed_means,
    select,
)

if TYPE_CHECKING:
    from matplotlib.figure import Figure

EXAMPLES = [1, 2, 5, 10, 20, 50, 100, 200]
CURVES = ["fewaspect", "fewaspect-pile", "logistic", "logistic-tuned", "logistic-mpnet"]
METRICS = (PRECISION, MACRO_F1)
NAME = "learning-examples"

Curves = dict[str, dict[str, dict[str, list[dict[str, float]]]]]  # group, metric, system, points


def write_curves(results: Sequence[Result], folder: Path) -> list[Path]:
    """The figure and its numbers, if there are points; what older versions of the detector made is left out."""
    from fewaspect.experiments.figures.figure_style import output_folder, write_figure

    check_draws(results)
    curves = learning_curves(of_one_version(results)[0])
    if not curves:
        return []
    return write_figure(output_folder(folder), NAME, lambda: draw_curves(curves), curves)


def learning_curves(results: Sequence[Result]) -> Curves:
    """By group of sets, metric and system: the mean over sets and seeds at each number of examples.

    A point needs all sets of the group that any system has; its seeds are those that all of these sets have.
    """
    shown = [result for result in results if result["system"] in CURVES and result["shots"] in EXAMPLES]
    curves: Curves = {}
    for group, names in GROUPS.items():
        for metric in METRICS:
            sets = applicable(shown, metric, names)
            for system in CURVES:
                rows = select(shown, system=system)
                if points := [p for K in EXAMPLES if (p := point(rows, K, metric, sets))]:
                    curves.setdefault(group, {}).setdefault(metric.title, {})[system] = points
    return curves


def point(rows: Sequence[Result], shots: int, metric: Metric, sets: Sequence[str]) -> dict[str, Any] | None:
    means = list(seed_means(select(rows, shots=shots), metric, sets).values())
    return {"examples": shots, "sets": len(sets), "seeds": len(means), **interval(means)} if means else None


def interval(numbers: Sequence[float]) -> dict[str, float]:
    """Mean and 95 % interval of the mean over draws (Student's t); of one draw, the number itself."""
    from scipy.stats import t

    mean, n = statistics.mean(numbers), len(numbers)
    half = float(t.ppf(0.975, n - 1)) * statistics.stdev(numbers) / math.sqrt(n) if n > 1 else 0.0
    return {"mean": mean, "low": mean - half, "high": mean + half}


def draw_curves(curves: Curves) -> Figure:
    """A row for each metric, a column for each group of sets; the number of examples on a logarithmic axis."""
    from matplotlib.figure import Figure

    from fewaspect.experiments.figures.figure_style import COLOURS, LINES, MARKERS

    figure = Figure(figsize=(8.5, 6.4))
    panels = figure.subplots(len(METRICS), len(curves), sharex=True, squeeze=False)
    for column, (group, by_metric) in enumerate(curves.items()):
        for row, metric in enumerate(METRICS):
            panel = panels[row][column]
            for number, system in enumerate(CURVES):
                if points := by_metric.get(metric.title, {}).get(system):
                    middle = [p["mean"] for p in points]
                    reach = [[p["mean"] - p["low"] for p in points], [p["high"] - p["mean"] for p in points]]
                    panel.errorbar(
                        [p["examples"] for p in points], middle, yerr=reach, label=TITLES[system], capsize=2,
                        color=COLOURS[number], marker=MARKERS[number], linestyle=LINES[number], elinewidth=0.8,
                    )  # fmt: skip
            panel.set_xscale("log")
            panel.set_xticks(EXAMPLES, [str(K) for K in EXAMPLES])
            panel.minorticks_off()
            panel.set_ylabel(f"{metric.title} in %")
        panels[0][column].set_title(f"{group} ({sets_of(by_metric)})")
        panels[-1][column].set_xlabel("examples per aspect, at most")
    handles, labels = panels[0][0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=3)
    return figure


def sets_of(by_metric: dict[str, dict[str, list[dict[str, float]]]]) -> str:
    """How many sets the means are over, and of how many draws."""
    points = [p for by_system in by_metric.values() for own in by_system.values() for p in own]
    seeds = sorted({int(p["seeds"]) for p in points})
    draws = str(seeds[0]) if len(seeds) == 1 else f"{seeds[0]} to {seeds[-1]}"
    return f"mean of {int(points[0]['sets'])}, {draws} draws"

"""Loss parts and validation scores of training runs against the step."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fewaspect.core.errors import WRONG_VALUE, CheckpointError
from fewaspect.experiments.figures.figure_style import COLOURS, LINES, MARKERS, run_labels
from fewaspect.training.run_folder import RunFolder

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

WIDTH = 10.0  # inches
COLUMNS = 3
_SCORES = {"validation_auc": "validation AUC in %", "validation_f1": "validation F1 in %"}


@dataclass(frozen=True)
class LearningCurve:
    """The history of a run: the step of each validation; by name, the scores and the mean losses since the last one."""

    label: str
    steps: list[int]
    values: dict[str, list[float]]


def read_curves(paths: Sequence[Path]) -> list[LearningCurve]:
    """The histories of run folders."""
    return [_read_curve(path, label) for path, label in zip(paths, run_labels(paths), strict=True)]


def _read_curve(path: Path, label: str) -> LearningCurve:
    file = RunFolder(path).history
    try:
        return _curve(label, json.loads(file.read_text(encoding="utf-8")))
    except (FileNotFoundError, NotADirectoryError):
        raise CheckpointError(
            f"{path}: expected a run with history.json, found none. It appears with the first validation of a training."
        ) from None
    except WRONG_VALUE as error:
        raise CheckpointError(f"{file}: expected the history of a training run, found {error!r}.") from error


def _curve(label: str, history: list[dict[str, Any]]) -> LearningCurve:
    names = [name for name in history[0] if name != "step"]
    values = {name: [float(entry[name]) for entry in history] for name in names}
    if not set(_SCORES) <= set(names) or not all(math.isfinite(v) for of in values.values() for v in of):
        raise ValueError("no finite validation scores")
    return LearningCurve(label, [int(entry["step"]) for entry in history], values)


def draw_learning_curves(curves: Sequence[LearningCurve]) -> Figure:
    """A panel per quantity with a line per run: total loss, its parts, then the validation scores."""
    from matplotlib.figure import Figure

    parts = dict.fromkeys(name for curve in curves for name in curve.values if not name.startswith("validation_"))
    quantities = {"loss": "training loss", **{p: f"{p} loss" for p in parts if p != "loss"}, **_SCORES}
    rows = math.ceil(len(quantities) / COLUMNS)
    figure = Figure(figsize=(WIDTH, 1.1 + 2.4 * rows))
    panels = figure.subplots(rows, COLUMNS, squeeze=False).ravel()
    for panel, (name, title) in zip(panels, quantities.items(), strict=False):
        _draw_quantity(panel, curves, name, title)
    for panel in panels[len(quantities) :]:
        panel.set_visible(False)
    for panel in panels[: len(quantities)][-COLUMNS:]:
        panel.set_xlabel("step")
    handles, labels = panels[0].get_legend_handles_labels()
    fitting = int(WIDTH / (0.7 + 0.08 * max(map(len, labels))))  # inches of a handle and of a letter
    figure.legend(handles, labels, loc="outside lower center", ncols=max(1, fitting), handlelength=3.2)
    figure.suptitle("Means since the last validation; the parts of the loss are weighted and add up to it", fontsize=9)
    return figure


def _draw_quantity(panel: Axes, curves: Sequence[LearningCurve], name: str, title: str) -> None:
    from matplotlib.ticker import MaxNLocator

    for number, curve in enumerate(curves):
        if name in curve.values:
            panel.plot(curve.steps, curve.values[name], label=curve.label, **_line_style(number))
    panel.set_title(title, loc="left")
    panel.xaxis.set_major_locator(MaxNLocator(5, integer=True))
    panel.yaxis.set_major_locator(MaxNLocator(5))


def _line_style(number: int) -> dict[str, Any]:
    return {
        "color": COLOURS[number % len(COLOURS)],
        "linestyle": LINES[number % len(LINES)],
        "marker": MARKERS[number % len(MARKERS)],
        "markersize": 4.5,
    }

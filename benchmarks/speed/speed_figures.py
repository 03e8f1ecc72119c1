"""The figures of the speed page."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from matplotlib import pyplot
from matplotlib.figure import Figure

from fewaspect.experiments.figures.figure_style import COLOURS, write_figure

LABELS = {
    "onnx-int8": "fewaspect, int8\n(default)",
    "fewaspect detect": "fewaspect detect,\nfrom file to file",
    "onnx": "fewaspect, ONNX,\nfp32",
    "torch": "fewaspect, torch",
    "sentence-transformers": "sentence-transformers,\nencode alone",
    "setfit": "SetFit, predict",
}
PEERS = ("sentence-transformers", "setfit")


def throughput_figure(detection: dict[str, Any], path: Path) -> None:
    """Sentences per second of each system, with the slowest and the fastest of its turns."""
    measured = detection["sentences_per_second"]
    rates = {name: {part: measured[name][part] for part in ("median", "least", "most")} for name in LABELS}

    def draw() -> Figure:
        drawn, axes = pyplot.subplots(figsize=(7, 3.6))
        for place, (name, rate) in enumerate(rates.items()):
            reach = [[rate["median"] - rate["least"]], [rate["most"] - rate["median"]]]
            colour = "#b0b0b0" if name in PEERS else COLOURS[1]
            axes.barh(place, rate["median"], xerr=reach, color=colour, height=0.62)
            axes.text(rate["most"] + 6, place, f"{rate['median']:.0f}", va="center")
        axes.set_yticks(range(len(rates)), [LABELS[name] for name in rates])
        axes.invert_yaxis()
        axes.grid(False)
        axes.grid(True, axis="x")
        axes.set_xlabel(f"sentences per second, {detection['threads']} threads (median, least and most)")
        return drawn

    write_figure(path.parent, path.stem, draw, rates)


def memory_figure(result: dict[str, Any], path: Path) -> None:
    """Peak memory and time of each kind of work against the number of sentences."""
    parts = ("sentences", "anonymous_mb", "mapped_mb", "seconds")
    kinds = {
        kind: [{part: row[part] for part in parts} for row in result[kind]]
        for kind in ("detection", "training", "evaluation")
    }

    def draw() -> Figure:
        drawn, (memory, seconds) = pyplot.subplots(1, 2, figsize=(8, 3.2))
        for (kind, rows), colour, marker in zip(kinds.items(), COLOURS[1:], "osD", strict=False):
            sizes = [row["sentences"] for row in rows]
            memory.plot(sizes, [row["anonymous_mb"] for row in rows], marker=marker, color=colour, label=kind)
            seconds.plot(sizes, [row["seconds"] for row in rows], marker=marker, color=colour, label=kind)
        memory.set(xscale="log", xlabel="sentences", ylabel="peak of allocated memory, MB")
        memory.set_ylim(bottom=0)
        seconds.set(xscale="log", yscale="log", xlabel="sentences", ylabel="seconds, start included")
        memory.legend()
        return drawn

    write_figure(path.parent, path.stem, draw, kinds)

"""Maps of prototypes side by side, one panel per run, coloured and numbered by aspect."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from fewaspect.experiments.figures.prototype_map import PrototypeMap

_SHAPES = "osD^vP*X<>"
_DARK = ("#1b4f9c", "#b02a00", "#1e6b34", "#6a2c91", "#7a4a1e", "#a3005f", "#333333", "#5f6b00", "#00616b", "#8a6500")
_LIGHT = ("#7fb2f0", "#ff9b73", "#86cf98", "#c9a0e6", "#d3a982", "#f58fc6", "#a6a6a6", "#c3cf4a", "#6fcfd9", "#ecc94b")


def draw_prototypes(data: PrototypeMap) -> Figure:
    """Shape and lightness tell aspects apart without colour; the number at the centre of each does so at a glance."""
    from matplotlib.figure import Figure

    panels_wide = len(data.labels)
    legend_columns = max(2, min(5, round(1.6 * panels_wide)))
    legend_rows = -(-len(data.names) // legend_columns)
    figure = Figure(figsize=(max(5.0, 3.7 * panels_wide), 4.3 + 0.17 * legend_rows))
    panels = figure.subplots(1, panels_wide, squeeze=False)[0]
    for panel, label, positions, silhouette in zip(panels, data.labels, data.positions, data.silhouettes, strict=True):
        _draw_panel(panel, positions, data.aspects)
        panel.set_title(label, fontweight="bold")
        panel.set_xlabel(f"silhouette {silhouette:.3f}", fontsize=10)
    figure.legend(
        *_legend(data), loc="outside lower center", ncols=legend_columns, fontsize=7.5, handletextpad=0.1,
        columnspacing=1.0, labelspacing=0.25,
    )  # fmt: skip
    shown = len(data.aspects)
    share = f"all {shown:,}" if shown == data.prototypes else f"{shown:,} of {data.prototypes:,}"
    figure.suptitle(
        f"Prototypes of {data.setting}: t-SNE of {share}; silhouette of all, by cosine distance", fontsize=9
    )
    return figure


def _draw_panel(panel: Axes, positions: np.ndarray, aspects: np.ndarray) -> None:
    from matplotlib.patheffects import withStroke

    shown = np.unique(aspects)
    for aspect in shown:
        points = positions[aspects == aspect]
        style = _marker_style(aspect)
        size = 8 if style["marker"] == "*" else 5  # a star has little area
        panel.scatter(points[:, 0], points[:, 1], s=size, linewidths=0, rasterized=True, **style)
    centre, half = (positions.max(axis=0) + positions.min(axis=0)) / 2, 0.53 * np.ptp(positions, axis=0).max()
    numbers = push_apart(np.stack([densest_point(positions[aspects == aspect]) for aspect in shown]), 0.085 * half)
    for aspect, (x, y) in zip(shown, numbers, strict=True):
        panel.text(
            x, y, str(aspect + 1), ha="center", va="center", fontsize=8.5, fontweight="bold",
            path_effects=[withStroke(linewidth=2.2, foreground="white")],
        )  # fmt: skip
    panel.set(xlim=centre[0] + np.array([-half, half]), ylim=centre[1] + np.array([-half, half]), xticks=[], yticks=[])
    panel.set_box_aspect(1)
    panel.grid(False)
    for spine in panel.spines.values():
        spine.set(visible=True, color="#b0b0b0")


def densest_point(points: np.ndarray) -> np.ndarray:
    """(2,) where most of the points are: the middle of a cloud in pieces may lie in none of them."""
    counts, x_edges, y_edges = np.histogram2d(points[:, 0], points[:, 1], bins=12)
    column, row = np.unravel_index(counts.argmax(), counts.shape)
    centre = np.array([x_edges[column : column + 2].mean(), y_edges[row : row + 2].mean()])
    reach = 1.5 * np.array([x_edges[1] - x_edges[0], y_edges[1] - y_edges[0]])
    near = (np.abs(points - centre) <= reach).all(axis=1)
    return np.asarray(points[near].mean(axis=0))


def push_apart(places: np.ndarray, distance: float) -> np.ndarray:
    """(numbers, 2): places that are nearer than `distance` to each other pushed apart, the rest left alone."""
    places = places.astype(np.float64)
    for _ in range(100):
        for i in range(1, len(places)):
            for j in range(i):
                apart = places[i] - places[j]
                length = float(np.hypot(*apart))
                if length < distance:
                    way = apart / length if length > 0 else np.array([1.0, 0.0])
                    push = way * (distance - length) / 2
                    places[i] += push
                    places[j] -= push
    return places


def _marker_style(aspect: int) -> dict[str, Any]:
    shades = _LIGHT if (aspect // len(_SHAPES)) % 2 else _DARK
    return {"marker": _SHAPES[aspect % len(_SHAPES)], "color": shades[aspect % len(shades)]}


def _legend(data: PrototypeMap) -> tuple[list[Any], list[str]]:
    from matplotlib.lines import Line2D

    shown = np.unique(data.aspects).tolist()
    handles = [Line2D([], [], linestyle="none", markersize=5, markeredgewidth=0, **_marker_style(a)) for a in shown]
    return handles, [f"{aspect + 1}  {data.names[aspect]}" for aspect in shown]

"""Measured rows as bars beside the published table: three benchmarks, four settings, F1 and AUC."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import TYPE_CHECKING, Any

from fewaspect.core.errors import ResultError
from fewaspect.experiments.figures.cell_selection import METRICS, Cell, Measure, join_distinct, over_seeds, select
from fewaspect.experiments.published import benchmark_title, published, published_value

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

SETTINGS = ((5, 5), (5, 10), (10, 5), (10, 10))  # way and shot
OWN = ("lpn-oo", "lpn-wo", "lpn", "lpn-plus")
BEST = "best baseline"
REFERENCE = "lpn"  # whose published number is drawn across each group
SHOWN = ("f1", "auc")  # from top to bottom

_FACES = ("#ffffff", "#ffffff", "#c9c9c9", "#9ecae1", "#6baed6", "#2171b5", "#08306b")
_HATCHES = ("....", "xxxx", "", "////", "\\\\\\\\", "", "")


@dataclass(frozen=True)
class Bar:
    """One bar: what was measured, of which row, and the published number of the same system if there is one."""

    benchmark: str
    way: int
    shot: int
    metric: str
    label: str
    row: str
    measure: Measure
    published: float | None


@dataclass(frozen=True)
class Bars:
    """All bars, their labels from left to right, and the bars that no cell fills."""

    encoder: str
    labels: list[str]
    bars: list[Bar]
    missing: list[str]


def bars(cells: Sequence[Cell], *, encoder: str = "minilm", protocol: str = "disjoint") -> Bars:
    """The test cells of every row that has a bar; the baselines share one, for the best of them."""
    benchmarks = [*published()["benchmarks"]]
    tested = select(cells, split="test", encoder=encoder, protocol=protocol)
    rows = _rows_by_label([cell for cell in tested if cell["benchmark"] in benchmarks])
    if not rows:
        splits = join_distinct(f"{cell['benchmark']} ({cell['split']})" for cell in cells)
        raise ResultError(
            f"expected test cells of {', '.join(OWN)}, an untrained row or a baseline on {', '.join(benchmarks)}, "
            f"encoder {encoder}, sampler {protocol}; found rows: {join_distinct(c['row'] for c in cells)}, on: "
            f"{splits}, encoders: {join_distinct(c['encoder'] for c in cells)}."
        )
    found, missing = [], []
    for benchmark, (way, shot), (label, names) in product(benchmarks, SETTINGS, rows.items()):
        here = select(tested, benchmark=benchmark, way=way, shot=shot)
        if by_row := {row: of for row in names if (of := select(here, row=row))}:
            found += [_best_bar(by_row, metric, label) for metric in METRICS]
        else:
            missing.append(f"{label}, {benchmark}, {way}-way {shot}-shot")
    return Bars(encoder, list(rows), found, missing)


def _rows_by_label(cells: Sequence[Cell]) -> dict[str, list[str]]:
    """Label of each bar and the rows that may fill it: untrained ones, the baselines together, then our own."""
    titles = {cell["row"]: cell["title"] for cell in cells}
    untrained = {cell["row"] for cell in cells if cell.get("untrained")}
    baselines = {cell["row"]: None for cell in cells if not cell["method"].startswith("lpn")}
    rows = {titles[row]: [row] for row in sorted(untrained, reverse=True)}
    if trained := [row for row in baselines if row not in untrained]:
        rows[BEST] = trained
    return rows | {titles[row]: [row] for row in OWN if row in titles}


def _best_bar(cells: Mapping[str, Sequence[Cell]], metric: str, label: str) -> Bar:
    """The best of some rows in one setting, beside the published number of that system.

    For the best baseline, beside the best published baseline.
    """
    measured = {row: over_seeds(of, metric) for row, of in cells.items()}
    best = max(measured, key=lambda row: measured[row].mean)
    benchmark, way, shot = (cells[best][0][name] for name in ("benchmark", "way", "shot"))
    systems = [name for name in published()["systems"] if not name.startswith("lpn")] if label == BEST else [best]
    known = [published_value(benchmark, name, way, shot, metric) for name in systems]
    known_best = max((value for value in known if value is not None), default=None)
    return Bar(benchmark, way, shot, metric, label, best, measured[best], known_best)


def draw_bars(data: Bars) -> Figure:
    """A panel per benchmark and metric, a group of bars per setting; greys, hatches and order carry the meaning."""
    from matplotlib.figure import Figure

    benchmarks = [name for name in published()["benchmarks"] if any(bar.benchmark == name for bar in data.bars)]
    figure = Figure(figsize=(1.4 + 4.1 * len(benchmarks), 6.4))
    panels = figure.subplots(len(SHOWN), len(benchmarks), squeeze=False)
    for row, metric in zip(panels, SHOWN, strict=True):
        for benchmark, panel in zip(benchmarks, row, strict=True):
            _draw_panel(panel, data, benchmark, metric)
            panel.set_title(benchmark_title(benchmark), loc="left", fontweight="bold")
            floor = _floor(data, benchmark, metric)
            panel.set_ylim(floor, 100)
            panel.set_ylabel(f"{METRICS[metric]} in %, from {floor} on")
    figure.legend(*_legend(data), loc="outside lower center", ncols=5, handlelength=2.6, handleheight=1.3)
    figure.suptitle(
        f"Measured (bars, encoder {data.encoder}, thin lines: 95 % interval over episodes) and published", fontsize=10
    )
    return figure


def _draw_panel(panel: Axes, data: Bars, benchmark: str, metric: str) -> None:
    from matplotlib.patheffects import withStroke

    width = 0.84 / len(data.labels)
    for bar in data.bars:
        if (bar.benchmark, bar.metric) != (benchmark, metric):
            continue
        number = data.labels.index(bar.label)
        x = SETTINGS.index((bar.way, bar.shot)) + (number - (len(data.labels) - 1) / 2) * width
        panel.bar(x, bar.measure.mean, width, **_bar_style(data.labels, bar.label))
        panel.plot([x, x], [bar.measure.low, bar.measure.high], color="#d55e00", linewidth=1.0, zorder=3)
        if bar.published is not None:
            panel.plot(x, bar.published, **_DIAMOND)
    halo = [withStroke(linewidth=2.4, foreground="white")]  # else the line is lost on dark bars
    for place, (way, shot) in enumerate(SETTINGS):
        value = published_value(benchmark, REFERENCE, way, shot, metric)
        if value is not None:
            panel.plot([place - 0.46, place + 0.46], [value, value], path_effects=halo, **_DASHES)
    panel.set_xticks(range(len(SETTINGS)), [f"{way}-way\n{shot}-shot" for way, shot in SETTINGS])
    panel.tick_params(axis="x", length=0)
    panel.set_xlim(-0.52, len(SETTINGS) - 0.48)


_DIAMOND: dict[str, Any] = {
    "marker": "D", "markersize": 4, "markerfacecolor": "white", "markeredgecolor": "black", "linestyle": "none",
    "zorder": 4,
}  # fmt: skip
_DASHES: dict[str, Any] = {"color": "black", "linewidth": 1.0, "linestyle": (0, (4, 2)), "zorder": 3}


def _bar_style(labels: Sequence[str], label: str) -> dict[str, Any]:
    """Styles are counted from the right, where our own rows stand, so that these look the same in every chart."""
    number = labels.index(label) - len(labels)
    kind = max(number, -len(_FACES))
    return {"facecolor": _FACES[kind], "hatch": _HATCHES[kind], "edgecolor": "black", "linewidth": 0.6}


def _floor(data: Bars, benchmark: str, metric: str) -> int:
    """A round number a little below the lowest of a panel."""
    shown = [bar for bar in data.bars if (bar.benchmark, bar.metric) == (benchmark, metric)]
    across = [published_value(benchmark, REFERENCE, way, shot, metric) for way, shot in SETTINGS]
    marks = [value for value in (*across, *(bar.published for bar in shown)) if value is not None]
    lowest = min([bar.measure.low for bar in shown] + marks)
    step = 5 if metric == "f1" else 1
    return max(0, int((lowest - step / 4) // step) * step)


def _legend(data: Bars) -> tuple[list[Any], list[str]]:
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch

    handles: list[Any] = [Patch(**_bar_style(data.labels, label)) for label in data.labels]
    handles += [Line2D([], [], **_DIAMOND), Line2D([], [], **_DASHES)]
    return handles, [*data.labels, "published, same system", f"published {published()['systems'][REFERENCE]}"]

"""Measured rows as bars beside the published table: three benchmarks, four settings, F1 and AUC."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from fewaspect.errors import ResultError
from fewaspect.figures.cells import BENCHMARK_TITLES, METRICS, Cell, Measure, choose, listed, over_seeds
from fewaspect.figures.published import published

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

SETTINGS = ("5-way 5-shot", "5-way 10-shot", "10-way 5-shot", "10-way 10-shot")
OWN = ("lpn-oo", "lpn-wo", "lpn", "lpn-plus")
BEST = "best baseline"
REFERENCE = "LPN (w, w)"
SHOWN = ("f1", "auc")  # from top to bottom

_FACES = ("#ffffff", "#ffffff", "#c9c9c9", "#9ecae1", "#6baed6", "#2171b5", "#08306b")
_HATCHES = ("....", "xxxx", "", "////", "\\\\\\\\", "", "")


@dataclass(frozen=True)
class Bar:
    """One bar: what was measured, of which row, and the published number of the same system if there is one."""

    benchmark: str
    setting: str
    metric: str
    label: str
    row: str
    measure: Measure
    published: float | None


@dataclass(frozen=True)
class Bars:
    """All bars, the labels in the order they stand in, and the places that no cell fills."""

    encoder: str
    labels: list[str]
    bars: list[Bar]
    missing: list[str]

    def numbers(self) -> dict[str, Any]:
        return asdict(self)


def bars(cells: Sequence[Cell], *, encoder: str = "minilm", protocol: str = "disjoint") -> Bars:
    """The test cells of every row that has a bar, and of the baseline that is best in its place."""
    benchmarks = published()
    chosen = [c for c in choose(cells, split="test", encoder=encoder, protocol=protocol) if c.benchmark in benchmarks]
    rows = _rows(chosen)
    if not rows:
        raise ResultError(
            f"expected test cells of {', '.join(OWN)}, an untrained row or a baseline on {', '.join(benchmarks)}, "
            f"encoder {encoder}, sampler {protocol}; found rows: {listed(cell.row for cell in cells)}, on: "
            f"{listed(f'{c.benchmark} ({c.split})' for c in cells)}, encoders: {listed(c.encoder for c in cells)}."
        )
    found, missing = [], []
    for benchmark in benchmarks:
        for setting in SETTINGS:
            here = [cell for cell in chosen if (cell.benchmark, cell.setting) == (benchmark, setting)]
            for label, names in rows.items():
                made = [_bar(here, benchmark, setting, metric, label, names) for metric in METRICS]
                found += [bar for bar in made if bar]
                if None in made:
                    missing.append(f"{label}, {benchmark}, {setting}")
    return Bars(encoder, list(rows), found, missing)


def _rows(cells: Sequence[Cell]) -> dict[str, list[str]]:
    """Label of each bar and the rows that may fill it: untrained ones, the baselines together, then our own."""
    titles = {cell.row: cell.title for cell in cells}
    untrained = [cell.row for cell in cells if cell.untrained]
    baselines = [cell.row for cell in cells if not cell.untrained and not cell.method.startswith("lpn")]
    rows = {titles[row]: [row] for row in sorted(set(untrained), reverse=True)}
    if baselines:
        rows[BEST] = list(dict.fromkeys(baselines))
    return rows | {titles[row]: [row] for row in OWN if row in titles}


def _bar(
    cells: Sequence[Cell], benchmark: str, setting: str, metric: str, label: str, rows: Sequence[str]
) -> Bar | None:
    """The best of the rows in this place."""
    of_row = {row: of for row in rows if (of := choose(cells, row=row))}
    if not of_row:
        return None
    measured = {row: over_seeds(of, metric) for row, of in of_row.items()}
    best = max(measured, key=lambda row: measured[row].mean)
    return Bar(benchmark, setting, metric, label, best, measured[best], _published(benchmark, setting, metric, label))


def _published(benchmark: str, setting: str, metric: str, label: str) -> float | None:
    systems = published()[benchmark]
    if label == BEST:
        return max(of[setting][metric] for title, of in systems.items() if not title.startswith("LPN"))
    return systems[label][setting][metric] if label in systems else None


def draw_bars(data: Bars) -> Figure:
    """A panel per benchmark and metric, a group of bars per setting; greys, hatches and order carry the meaning."""
    from matplotlib.figure import Figure

    benchmarks = [name for name in published() if any(bar.benchmark == name for bar in data.bars)]
    figure = Figure(figsize=(1.4 + 4.1 * len(benchmarks), 6.4))
    panels = figure.subplots(len(SHOWN), len(benchmarks), sharey="row", squeeze=False)
    for row, metric in zip(panels, SHOWN, strict=True):
        for benchmark, panel in zip(benchmarks, row, strict=True):
            _draw_panel(panel, data, benchmark, metric)
            panel.set_title(BENCHMARK_TITLES[benchmark], loc="left", fontweight="bold")
        floor = _floor(data, metric)
        row[0].set_ylim(floor, 100)
        row[0].set_ylabel(f"{METRICS[metric]} in % (from {floor} on)")
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
        x = SETTINGS.index(bar.setting) + (number - (len(data.labels) - 1) / 2) * width
        panel.bar(x, bar.measure.mean, width, **_look(data.labels, bar.label))
        panel.plot([x, x], [bar.measure.low, bar.measure.high], color="#d55e00", linewidth=1.0)
        if bar.published is not None:
            panel.plot(x, bar.published, **_DIAMOND)
    halo = [withStroke(linewidth=2.4, foreground="white")]  # else the line is lost on dark bars
    for place, setting in enumerate(SETTINGS):
        value = published()[benchmark][REFERENCE][setting][metric]
        panel.plot([place - 0.46, place + 0.46], [value, value], path_effects=halo, **_DASHES)
    panel.set_xticks(range(len(SETTINGS)), [setting.replace(" ", "\n") for setting in SETTINGS])
    panel.tick_params(axis="x", length=0)
    panel.set_xlim(-0.52, len(SETTINGS) - 0.48)


_DIAMOND: dict[str, Any] = {
    "marker": "D", "markersize": 4, "markerfacecolor": "white", "markeredgecolor": "black", "linestyle": "none"
}  # fmt: skip
_DASHES: dict[str, Any] = {"color": "black", "linewidth": 1.0, "linestyle": (0, (4, 2))}


def _look(labels: Sequence[str], label: str) -> dict[str, Any]:
    """Looks are counted from the right, where our own rows stand, so that these look alike in every chart."""
    number = labels.index(label) - len(labels)
    kind = max(number, -len(_FACES))
    return {"facecolor": _FACES[kind], "hatch": _HATCHES[kind], "edgecolor": "black", "linewidth": 0.6}


def _floor(data: Bars, metric: str) -> int:
    """A whole ten a little below the least number of a metric."""
    shown = [bar for bar in data.bars if bar.metric == metric]
    least = min([bar.measure.low for bar in shown] + [bar.published for bar in shown if bar.published is not None])
    step = 10 if metric == "f1" else 2
    return max(0, int((least - 1) // step) * step)


def _legend(data: Bars) -> tuple[list[Any], list[str]]:
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch

    handles: list[Any] = [Patch(**_look(data.labels, label)) for label in data.labels]
    handles += [Line2D([], [], **_DIAMOND), Line2D([], [], **_DASHES)]
    return handles, [*data.labels, "published, same system", f"published {REFERENCE}"]

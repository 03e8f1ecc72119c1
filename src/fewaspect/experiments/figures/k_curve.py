"""AUC and F1 against the rank k of the bilinear shot weights, on validation aspects."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from fewaspect.core.errors import ResultError
from fewaspect.experiments.figures.cell_selection import METRICS, Cell, Measure, join_distinct, over_seeds, select
from fewaspect.experiments.figures.figure_style import COLOURS, MARKERS
from fewaspect.experiments.published import benchmark_title
from fewaspect.methods import method_entry

if TYPE_CHECKING:
    from matplotlib.figure import Figure

RANKS = (3, 10, 30, 100, 300, 600)  # the paper's


@dataclass(frozen=True)
class KCurve:
    """For each rank that was run: how many seeds, and each metric over them."""

    title: str
    setting: str
    ranks: list[int]
    seeds: list[int]
    curves: dict[str, list[Measure]]

    @property
    def missing(self) -> list[int]:
        return [rank for rank in RANKS if rank not in self.ranks]


def k_curve(
    cells: Sequence[Cell], *, method: str = "lpn", benchmark: str = "fewasp", way: int = 5, shot: int = 5,
    encoder: str = "minilm", protocol: str = "disjoint",
) -> KCurve:  # fmt: skip
    """The validation cells of a method, by rank."""
    place = {"benchmark": benchmark, "way": way, "shot": shot, "encoder": encoder, "protocol": protocol}
    by_rank: dict[int, list[Cell]] = {}
    for cell in select(cells, split="validation", method=method, **place):
        if not cell.get("untrained") and isinstance(rank := cell["settings"]["method"].get("rank"), int):
            by_rank.setdefault(rank, []).append(cell)
    name = benchmark_title(benchmark)
    setting = f"{name}, validation aspects, {way}-way {shot}-shot, encoder {encoder}, sampler {protocol}"
    if len(by_rank) < 2:
        raise ResultError(
            f"expected cells of {method} on {setting}, for several ranks k (settings.method.rank) out of "
            f"{join_distinct(RANKS)}; found k: {join_distinct(sorted(by_rank))}. Make them with `fewaspect benchmark`."
        )
    ranks = sorted(by_rank)
    curves = {metric: [over_seeds(by_rank[rank], metric) for rank in ranks] for metric in METRICS}
    return KCurve(method_entry(method).title, setting, ranks, [len(by_rank[rank]) for rank in ranks], curves)


def draw_k_curve(curve: KCurve) -> Figure:
    """One panel per metric; the ranks stand at equal distances, since each is about three times the one before."""
    from matplotlib.figure import Figure
    from matplotlib.ticker import MaxNLocator

    figure = Figure(figsize=(7.0, 3.2))
    places = range(len(curve.ranks))
    for number, (metric, panel) in enumerate(zip(METRICS, figure.subplots(1, 2), strict=True)):
        points = curve.curves[metric]
        errors = [[p.mean - p.low for p in points], [p.high - p.mean for p in points]]
        panel.errorbar(
            places, [p.mean for p in points], yerr=errors, color=COLOURS[number], marker=MARKERS[number],
            markersize=6, capsize=3, elinewidth=0.9,
        )  # fmt: skip
        panel.set_xticks(places, [str(rank) for rank in curve.ranks])
        panel.set_xlim(-0.5, len(curve.ranks) - 0.5)
        panel.yaxis.set_major_locator(MaxNLocator(6))
        panel.set_xlabel("rank k")
        panel.set_ylabel(f"{METRICS[metric]} in %")
    seeds = "1 seed" if set(curve.seeds) == {1} else f"means over {join_distinct(sorted(set(curve.seeds)))} seeds"
    figure.suptitle(f"{curve.title} on {curve.setting}\n{seeds}; bars: 95 % interval over episodes", fontsize=9)
    return figure

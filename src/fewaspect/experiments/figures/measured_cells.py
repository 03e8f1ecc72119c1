"""Cells as figures need them: typed, selected, averaged over seeds."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean
from typing import Any

from fewaspect.core.errors import ResultError
from fewaspect.experiments.cells import read_cells

METRICS = {"auc": "AUC", "f1": "F1"}


@dataclass(frozen=True)
class Measure:
    """A metric in percent: its mean and the ends of its 95 % interval."""

    mean: float
    low: float
    high: float


@dataclass(frozen=True)
class MeasuredCell:
    """One row of the tables with one seed in one setting, and its metrics."""

    row: str
    method: str
    title: str
    benchmark: str
    split: str
    encoder: str
    protocol: str
    way: int
    shot: int
    seed: int
    untrained: bool
    rank: int | None  # k of the bilinear form, where the method has one
    measures: dict[str, Measure]  # by name of the metric

    @property
    def setting(self) -> str:
        return f"{self.way}-way {self.shot}-shot"


def read_measured_cells(path: Path) -> list[MeasuredCell]:
    """Every cell of a results file or a grid folder; a record that is something else is an error."""
    return [_measured(cell) for cell in read_cells(path)]


def select(cells: Sequence[MeasuredCell], **wanted: object) -> list[MeasuredCell]:
    """The cells whose fields have these values."""
    return [cell for cell in cells if all(getattr(cell, name) == value for name, value in wanted.items())]


def over_seeds(cells: Sequence[MeasuredCell], metric: str) -> Measure:
    """Mean over seeds, with the mean of the interval's ends; a seed may be there once.

    All seeds meet the same episodes, so this is at least as wide as the interval of the averaged scores.
    """
    of_seed: dict[int, MeasuredCell] = {}
    for cell in cells:
        if (other := of_seed.setdefault(cell.seed, cell)) is not cell:
            raise ResultError(
                f"expected one cell per seed, found two with seed {cell.seed} on {cell.benchmark} ({cell.split}), "
                f'{cell.setting}: rows "{other.row}" and "{cell.row}". Keep one of them.'
            )
    measures = [cell.measures[metric] for cell in cells]
    return Measure(fmean(m.mean for m in measures), fmean(m.low for m in measures), fmean(m.high for m in measures))


def join_distinct(values: Iterable[object]) -> str:
    """Distinct values for a message."""
    return ", ".join(map(str, dict.fromkeys(values))) or "none"


def _measured(content: Mapping[str, Any]) -> MeasuredCell:
    names = ("row", "method", "title", "benchmark", "split", "encoder", "protocol", "way", "shot", "seed")
    rank = content["settings"]["method"].get("rank")
    return MeasuredCell(
        **{name: content[name] for name in names},
        untrained=content.get("untrained") is True,
        rank=rank if isinstance(rank, int) else None,
        measures={name: _measure(content, name) for name in METRICS},
    )


def _measure(content: Mapping[str, Any], name: str) -> Measure:
    values = (content[name], *content[f"{name}_interval"])
    if None in values:
        raise ResultError(
            f"expected {METRICS[name]} and its interval in every cell, found a cell without: {content['row']} on "
            f"{content['benchmark']}, seed {content['seed']}, {content['episodes']} episodes. Measure it on more."
        )
    return Measure(*values)

"""Cells for figures: selected by their fields, averaged over seeds."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Any

from fewaspect.core.errors import ResultError

METRICS = {"auc": "AUC", "f1": "F1"}

Cell = Mapping[str, Any]


@dataclass(frozen=True)
class Measure:
    """A metric in percent: its mean and the ends of its 95 % interval."""

    mean: float
    low: float
    high: float


def select(cells: Sequence[Cell], **wanted: object) -> list[Cell]:
    """The cells whose fields have these values."""
    return [cell for cell in cells if all(cell[name] == value for name, value in wanted.items())]


def over_seeds(cells: Sequence[Cell], metric: str) -> Measure:
    """Mean over seeds, with the mean of the interval's ends; a seed may be there once.

    All seeds meet the same episodes, so this is at least as wide as the interval of the averaged scores.
    """
    by_seed: dict[int, Cell] = {}
    for cell in cells:
        if (other := by_seed.setdefault(cell["seed"], cell)) is not cell:
            raise ResultError(
                f"expected one cell per seed, found two with seed {cell['seed']} on {_place(cell)}: rows "
                f'"{other["row"]}" and "{cell["row"]}". Keep one of them.'
            )
        if None in (cell[metric], *cell[f"{metric}_interval"]):
            raise ResultError(
                f"expected {METRICS[metric]} and its interval in every cell, found a cell without: {cell['row']} on "
                f"{_place(cell)}, seed {cell['seed']}, {cell['episodes']} episodes. Measure it on more."
            )
    ends = [cell[f"{metric}_interval"] for cell in cells]
    return Measure(
        fmean(cell[metric] for cell in cells), fmean(low for low, _ in ends), fmean(high for _, high in ends)
    )


def join_distinct(values: Iterable[object]) -> str:
    """Distinct values for a message."""
    return ", ".join(map(str, dict.fromkeys(values))) or "none"


def _place(cell: Cell) -> str:
    return f"{cell['benchmark']} ({cell['split']}), {cell['way']}-way {cell['shot']}-shot"

"""Estimate of the time that the rest of a grid takes, from the cells that are done."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from statistics import fmean
from typing import Any

from fewaspect.experiments.grid.grid_runs import Cell, Run


class Estimate:
    """Mean times of the most similar runs and cells; None while nothing similar is done."""

    def __init__(self) -> None:
        self._training: dict[tuple[Any, ...], dict[str, float]] = {}
        self._evaluation: dict[tuple[Any, ...], list[float]] = {}

    def add_training(self, run: Run, seconds: float) -> None:
        for key in _run_keys(run):
            self._training.setdefault(key, {})[run.name] = seconds / run.train.episodes

    def add_cell(self, run: Run, cell: Cell, found: Mapping[str, Any]) -> None:
        self.add_training(run, found["run_seconds"])
        for key in _cell_keys(cell):
            self._evaluation.setdefault(key, []).append(found["evaluation_seconds"])

    def training(self, run: Run) -> float | None:
        keys = [*_run_keys(run), (False,)]  # without a model, an untrained run is taken for a short training
        known = next((self._training[key] for key in keys if key in self._training), None)
        return None if known is None else fmean(known.values()) * run.train.episodes

    def evaluation(self, cell: Cell) -> float | None:
        known = next((self._evaluation[key] for key in _cell_keys(cell) if key in self._evaluation), None)
        return None if known is None else fmean(known)

    def total(self, runs: Iterable[Run], cells: Iterable[Cell]) -> str:
        """The time of trainings and cells as text; "more than" where part of it is not known."""
        parts = [self.training(run) for run in runs] + [self.evaluation(cell) for cell in cells]
        known = [part for part in parts if part is not None]
        if len(known) == len(parts):
            return format_duration(sum(known))
        return f"more than {format_duration(sum(known))}" if sum(known) else "?"


def format_duration(seconds: float) -> str:
    """ "40 s", "12 min", "3 h 5 min"."""
    if seconds < 90:
        return f"{seconds:.0f} s"
    hours, minutes = divmod(round(seconds / 60), 60)
    return f"{hours} h {minutes} min" if hours else f"{minutes} min"


def _run_keys(run: Run) -> list[tuple[Any, ...]]:
    """From the most to the least similar; the last says whether the run is untrained."""
    return [(run.row, run.train.benchmark, run.train.way, run.train.shot), (run.row,), (run.untrained,)]


def _cell_keys(cell: Cell) -> list[tuple[Any, ...]]:
    return [(cell.row, cell.benchmark), (cell.benchmark,), ()]

"""Cells of the benchmark grid as figures need them: read from their JSON files, chosen, averaged over seeds."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from fewaspect.errors import ResultError

METRICS = {"auc": "AUC", "f1": "F1"}
BENCHMARK_TITLES = {"fewasp-single": "FewAsp (single)", "fewasp-multi": "FewAsp (multi)", "fewasp": "FewAsp"}


@dataclass(frozen=True)
class Measure:
    """A metric in percent: its mean and the ends of its 95 % interval."""

    mean: float
    low: float
    high: float


@dataclass(frozen=True)
class Cell:
    """One row of the tables with one seed in one setting."""

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


def read_cells(folder: Path) -> list[Cell]:
    """Every cell of a folder, or of its subfolder `cells`; a JSON file that is something else is an error."""
    folder = folder / "cells" if (folder / "cells").is_dir() else folder
    if not folder.is_dir():
        raise ResultError(f"{folder}: expected a folder with the cells of `fewaspect benchmark`, found no such folder.")
    cells = [_cell(_read_json(path), path) for path in sorted(folder.glob("*.json"))]
    if not cells:
        raise ResultError(f"{folder}: expected cells of `fewaspect benchmark` (*.json), found none.")
    return cells


def choose(cells: Sequence[Cell], **wanted: object) -> list[Cell]:
    """The cells whose fields have these values."""
    return [cell for cell in cells if all(getattr(cell, name) == value for name, value in wanted.items())]


def over_seeds(cells: Sequence[Cell], metric: str) -> Measure:
    """Mean over seeds, with the mean of the interval's ends; a seed may be there once.

    All seeds meet the same episodes, so this is at least as wide as the interval of the averaged scores.
    """
    of_seed: dict[int, Cell] = {}
    for cell in cells:
        if (other := of_seed.setdefault(cell.seed, cell)) is not cell:
            raise ResultError(
                f"expected one cell per seed, found two with seed {cell.seed} on {cell.benchmark} ({cell.split}), "
                f'{cell.setting}: rows "{other.row}" and "{cell.row}". Keep one of them in the folder.'
            )
    measures = [cell.measures[metric] for cell in cells]
    mean, low, high = (math.fsum(getattr(m, end) for m in measures) / len(measures) for end in ("mean", "low", "high"))
    return Measure(mean, low, high)


def listed(values: Iterable[object]) -> str:
    """Distinct values for a message."""
    return ", ".join(map(str, dict.fromkeys(values))) or "none"


def _read_json(path: Path) -> dict[str, Any]:
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except (UnicodeDecodeError, json.JSONDecodeError) as error:
        raise ResultError(f"{path}: expected a cell of `fewaspect benchmark`, found damaged JSON: {error}") from error
    if not isinstance(content, dict):
        raise ResultError(f"{path}: expected a cell of `fewaspect benchmark`, found a {type(content).__name__}.")
    return content


def _cell(content: Mapping[str, Any], path: Path) -> Cell:
    names = ("row", "method", "title", "benchmark", "split", "encoder", "protocol")
    texts = {name: _field(path, content, name, str) for name in names}
    numbers = {name: _field(path, content, name, int) for name in ("way", "shot", "seed")}
    rank = _field(path, _field(path, content, "settings", dict), "method", dict).get("rank")
    return Cell(
        **texts,
        **numbers,
        untrained=content.get("untrained") is True,
        rank=rank if isinstance(rank, int) else None,
        measures={name: _measure(path, content, name) for name in METRICS},
    )


def _measure(path: Path, content: Mapping[str, Any], name: str) -> Measure:
    ends = _field(path, content, f"{name}_interval", list)
    if len(ends) != 2 or not all(_is_a(end, float) for end in ends):
        raise ResultError(f'{path}: expected "{name}_interval" to be two numbers, found {ends!r}.')
    return Measure(_field(path, content, name, float), *ends)


_KINDS = {str: "text", int: "a whole number", float: "a number", list: "a list", dict: "an object"}


def _field(path: Path, content: Mapping[str, Any], name: str, kind: type) -> Any:
    if name not in content:
        raise ResultError(
            f'{path}: expected a cell of `fewaspect benchmark`, found no "{name}". Keep other JSON files elsewhere.'
        )
    if not _is_a(content[name], kind):
        raise ResultError(f'{path}: expected "{name}" to be {_KINDS[kind]}, found {content[name]!r}.')
    return content[name]


def _is_a(value: object, kind: type) -> bool:
    if isinstance(value, bool):
        return False
    if kind is float:
        return isinstance(value, int | float) and math.isfinite(value)
    return isinstance(value, kind)

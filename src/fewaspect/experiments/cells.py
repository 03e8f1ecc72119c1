"""Cells: one flat JSON record per number of a table, with all that the number depends on.

A running grid keeps each cell in a file of its own, so that many processes can write at once; a finished one is
collected into a results file.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from fewaspect.core.errors import WRONG_VALUE, ResultError
from fewaspect.core.files import atomic_write
from fewaspect.core.settings import to_json
from fewaspect.experiments.results_file import numbered_results

KEY = ("row", "benchmark", "split", "way", "shot", "seed")
METRICS = ("auc", "f1", "oracle_count_f1", "count_accuracy", "always_one_accuracy")
_LARGEST = 2**53  # of integers that every program reads as they are; no count and no score comes near
_FIELDS: dict[str, type | tuple[type, ...]] = {
    **dict.fromkeys(("row", "method", "title", "benchmark", "split", "train", "encoder", "protocol"), str),
    **dict.fromkeys(("way", "shot", "queries", "seed", "episode_seed", "episodes"), int),
    **dict.fromkeys(("settings", "environment"), dict),
    **dict.fromkeys(("seconds", "run_seconds", "evaluation_seconds"), (int, float)),
}


def write_cell(path: Path, cell: Mapping[str, Any]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with atomic_write(path) as file:
        file.write(to_json(cell))


def read_cell(path: Path) -> dict[str, Any]:
    """A cell with every field that tables need; anything else is refused with what is wrong with it."""
    try:
        cell = json.loads(path.read_text(encoding="utf-8"))
        problem = _problem(cell)
    except (OSError, *WRONG_VALUE) as error:
        problem = f"a damaged file: {error}"
    if problem:
        raise ResultError(
            f"{path}: expected a cell of a benchmark, found {problem}\n"
            "In a grid's own folder, delete it, and the cell is made again; elsewhere, name one results file (*.jsonl)."
        )
    return dict(cell)


def read_cells(path: Path) -> list[dict[str, Any]]:
    """All cells of a results file, of a grid folder, or of the folder `cells` in it."""
    if path.is_file():
        cells = list(_collected(path))
    else:
        path = path / "cells" if (path / "cells").is_dir() else path
        cells = [read_cell(file) for file in sorted(path.glob("*.json"))]
    if not cells:
        raise ResultError(f"{path}: expected cells of a benchmark (*.json, or one *.jsonl file), found none.")
    return cells


def _collected(path: Path) -> Iterator[dict[str, Any]]:
    for number, cell in numbered_results(path):
        if problem := _problem(cell):
            raise ResultError(f"{path}, line {number}: expected a cell of a benchmark, found {problem}")
        yield cell


def _problem(cell: Any) -> str:
    """What keeps a JSON value from being a cell; empty if nothing does."""
    if not isinstance(cell, dict):
        return f"a {type(cell).__name__}."
    if not _is_writable(cell):
        return "text that is not Unicode, or numbers that are not finite."
    for name, kind in _FIELDS.items():
        value = cell.get(name)
        if not isinstance(value, kind) or isinstance(value, bool) or not _is_small(value):
            return f'"{name}" with the value {cell.get(name)!r}.'
    for name in METRICS:
        value, interval = cell.get(name, ""), cell.get(f"{name}_interval", "")
        if not (_is_score(value) and _is_interval(interval)):
            return f'"{name}" with the value {value!r} and the interval {interval!r}.'
    if not all(isinstance(cell["settings"].get(part), dict) for part in ("train", "method", "evaluation")):
        return '"settings" without train, method or evaluation.'
    return ""


def _is_writable(cell: dict[str, Any]) -> bool:
    """JSON also knows NaN in Python, and half of a surrogate pair, which no file can hold as text."""
    try:
        json.dumps(cell, ensure_ascii=False, allow_nan=False).encode("utf-8")
    except ValueError:
        return False
    return True


def _is_small(value: Any) -> bool:
    return not isinstance(value, int | float) or abs(value) < _LARGEST


def _is_score(value: Any) -> bool:
    """A number, or null where the metric is not defined."""
    return value is None or (isinstance(value, int | float) and not isinstance(value, bool) and _is_small(value))


def _is_interval(value: Any) -> bool:
    return isinstance(value, list) and len(value) == 2 and all(map(_is_score, value))

"""Cells on disk: one flat JSON file per number of a table, with all that the number depends on."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from fewaspect.core.errors import ConfigError, ResultError
from fewaspect.core.files import atomic_write
from fewaspect.core.settings import EvaluateSettings, TrainSettings, build_settings, differences, to_json
from fewaspect.experiments.grid import Cell, Run
from fewaspect.methods import method_entry

_TEXTS = ("row", "method", "title", "benchmark", "split", "train", "encoder", "protocol")
_NUMBERS = ("way", "shot", "queries", "seed", "episode_seed", "episodes")
METRICS = ("auc", "f1", "oracle_count_f1", "count_accuracy", "always_one_accuracy")


def describe_cell(run: Run, cell: Cell, result: Mapping[str, Any], trained: float, evaluated: float) -> dict[str, Any]:
    """An evaluation's result, flat: each metric a number in percent, its interval beside it; seconds likewise.

    `trained` are the seconds of the run's whole training, of which the cell bears an equal share.
    """
    flat: dict[str, Any] = {"row": cell.row}
    for name, value in result.items():
        if isinstance(value, Mapping) and {"mean", "low", "high"} <= value.keys():
            flat[name] = value["mean"]
            flat[f"{name}_interval"] = [value["low"], value["high"]]
        elif name not in ("settings", "environment", "seconds"):
            flat[name] = value
    share = trained / run.planned
    return {
        **flat,
        "title": run.title,
        "way": int(cell.evaluation.way),
        "shot": int(cell.evaluation.shot),
        "untrained": run.untrained,
        "seconds": share + evaluated,
        "training_seconds": share,
        "evaluation_seconds": evaluated,
        "run_seconds": trained,
        "settings": settings_of(run, cell),
        "environment": result["environment"],
    }


def settings_of(run: Run, cell: Cell) -> dict[str, dict[str, Any]]:
    return {**run.settings(), "evaluation": dataclasses.asdict(cell.evaluation)}


def write_cell(path: Path, cell: Mapping[str, Any]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with atomic_write(path) as file:
        file.write(to_json(cell))


def read_cell(path: Path) -> dict[str, Any]:
    """A cell with every field that tables need; anything else is refused with what is wrong with it."""
    try:
        cell = json.loads(path.read_text(encoding="utf-8"))
        problem = _problem(cell)
    except (OSError, UnicodeDecodeError, json.JSONDecodeError) as error:
        problem = f"a damaged file: {error}"
    if problem:
        raise ResultError(
            f"{path}: expected a cell of a benchmark, found {problem}\nDelete it, and the cell is made again."
        )
    return dict(cell)


def read_cells(folder: Path) -> list[dict[str, Any]]:
    """All cells of a folder, or of its subfolder `cells`."""
    folder = folder / "cells" if (folder / "cells").is_dir() else folder
    cells = [read_cell(path) for path in sorted(folder.glob("*.json"))]
    if not cells:
        raise ResultError(f"{folder}: expected cells of a benchmark (*.json), found none.")
    return cells


def finished_cell(path: Path, run: Run, cell: Cell) -> dict[str, Any] | None:
    """The cell if it is there; one that was made with other settings is refused."""
    if not path.is_file():
        return None
    found = read_cell(path)
    try:
        before = _complete(found["settings"], str(path))
    except ConfigError as error:
        raise ResultError(f"{path}: expected settings of this version, found others: {error}") from error
    changed = differences(before, settings_of(run, cell))
    if changed:
        raise ResultError(
            f"{path}: expected a cell made with the settings of the grid, found others: {'; '.join(changed)}.\n"
            "Choose another --out, or delete the cell to have it made again."
        )
    return found


def _complete(settings: Mapping[str, Any], where: str) -> dict[str, dict[str, Any]]:
    """Settings as they were saved; those that did not exist then have their defaults."""
    train = build_settings(TrainSettings, settings["train"], where)
    method = build_settings(method_entry(train.method).settings, settings["method"], where)
    evaluation = build_settings(EvaluateSettings, settings["evaluation"], where)
    return {
        "train": dataclasses.asdict(train),
        "method": dataclasses.asdict(method),  # type: ignore[call-overload]
        "evaluation": dataclasses.asdict(evaluation),
    }


def _problem(cell: Any) -> str:
    """What keeps a JSON value from being a cell; empty if nothing does."""
    if not isinstance(cell, dict):
        return f"a {type(cell).__name__}."
    for names, kind in ((_TEXTS, str), (_NUMBERS, int), (("settings", "environment"), dict)):
        for name in names:
            if not isinstance(cell.get(name), kind) or isinstance(cell.get(name), bool):
                return f'"{name}" with the value {cell.get(name)!r}.'
    for name in METRICS:
        value, interval = cell.get(name, ""), cell.get(f"{name}_interval", "")
        if not _is_number(value) or not isinstance(interval, list) or [*map(_is_number, interval)] != [True, True]:
            return f'"{name}" with the value {value!r} and the interval {interval!r}.'
    if not all(isinstance(cell["settings"].get(part), dict) for part in ("train", "method", "evaluation")):
        return '"settings" without train, method or evaluation.'
    for name in ("seconds", "run_seconds", "evaluation_seconds"):
        if not isinstance(cell.get(name), int | float):
            return f'"{name}" with the value {cell.get(name)!r}.'
    return ""


def _is_number(value: Any) -> bool:
    """A number, or null where the metric is not defined."""
    return value is None or (isinstance(value, int | float) and not isinstance(value, bool))

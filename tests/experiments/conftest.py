"""A small grid over the sample set with a tiny random encoder, and cells made up for the tables."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from fewaspect.experiments.grid.grid_config import load_config
from fewaspect.experiments.grid.grid_runs import Run, build_runs

SMALL = {
    "ways": [3],
    "shots": [2],
    "seeds": [0],
    "evaluation": {"episodes": 6, "queries": 2},
    "training": {"episodes": 6, "validate_every": 2, "validation_episodes": 4, "queries": 2, "way": 3, "shot": 2},
    "benchmarks": {"sample": {}},
    "rows": {"lpn": {}, "lpn-oo": {}},
}


@pytest.fixture
def grid_file(encoder_folder: Callable[..., Path], tmp_path: Path) -> Callable[..., Path]:
    """Writes a config: the small grid, changed where the call says so."""

    def write(name: str = "grid.yaml", **changes: Any) -> Path:
        path = tmp_path / name
        path.write_text(json.dumps({**SMALL, "encoder": str(encoder_folder("bert")), **changes}))  # JSON is YAML
        return path

    return write


@pytest.fixture
def runs(grid_file: Callable[..., Path]) -> Callable[..., list[Run]]:
    """The runs of the small grid."""
    return lambda **changes: build_runs(load_config(str(grid_file(**changes))), "grid.yaml")


def make_cell(**changes: Any) -> dict[str, Any]:
    """A cell with every field that tables read."""
    metrics = {"auc": 97.0, "f1": 85.0, "oracle_count_f1": 89.0, "count_accuracy": 90.5, "always_one_accuracy": 89.5}
    cell = {
        "row": "lpn", "method": "lpn", "title": "LPN (w, w)", "benchmark": "fewasp-multi", "split": "test",
        "train": "fewasp-multi train.json", "encoder": "minilm", "protocol": "disjoint", "way": 5, "shot": 5,
        "queries": 5, "none_rate": 0.0, "seed": 0, "episode_seed": 1, "episodes": 600, "untrained": False,
        "seconds": 80.0, "training_seconds": 75.0, "evaluation_seconds": 5.0, "run_seconds": 300.0,
        "settings": {"train": {}, "method": {}, "evaluation": {}}, "environment": {}, **metrics, **changes,
    }  # fmt: skip
    half = {"f1": 0.72}
    for name in metrics:
        value, width = cell[name], half.get(name, 0.25)
        cell.setdefault(f"{name}_interval", [value - width, value + width])
    return cell


@pytest.fixture
def cell() -> Callable[..., dict[str, Any]]:
    return make_cell

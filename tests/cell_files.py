"""Cells of a benchmark as files, for tests of what is made from them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

BENCHMARKS = ("fewasp-single", "fewasp-multi", "fewasp")
TITLES = {
    "prototypical": "Prototypical Network",
    "proto-awatt": "Proto-AWATT",
    "lpn-oo": "LPN (o, o)",
    "lpn-wo": "LPN (w, o)",
    "lpn": "LPN (w, w)",
    "lpn-plus": "LPN+",
}


def write_cell(folder: Path, row: str = "lpn", *, auc: float = 97.0, f1: float = 85.0, **changes: Any) -> Path:
    """One cell; its intervals reach 0.5 below and 1 above the mean. `rank` is k, other changes are fields."""
    folder.mkdir(parents=True, exist_ok=True)
    metrics = {"auc": auc, "f1": f1, "oracle_count_f1": f1, "count_accuracy": 90.0, "always_one_accuracy": 80.0}
    cell = {
        "row": row, "method": row.removesuffix("-untrained"), "title": TITLES.get(row, row), "benchmark": "fewasp",
        "split": "test", "train": "somewhere", "encoder": "minilm", "protocol": "disjoint", "way": 5, "shot": 5,
        "queries": 5, "seed": 0, "episode_seed": 1, "episodes": 600, "untrained": row.endswith("-untrained"),
        "seconds": 1.0, "run_seconds": 1.0, "evaluation_seconds": 1.0, "environment": {}, **metrics,
        **{f"{name}_interval": [value - 0.5, value + 1] for name, value in metrics.items()},
        "settings": {"train": {}, "method": {"rank": changes.pop("rank", 100)}, "evaluation": {}}, **changes,
    }  # fmt: skip
    path = folder / "_".join(str(cell[name]) for name in ("row", "benchmark", "split", "way", "shot", "seed"))
    path = path.with_name(f"{path.name}.json")
    path.write_text(json.dumps(cell))
    return path


def write_grid(folder: Path) -> None:
    """Every row of the bar chart on every benchmark in every setting, each with a number of its own."""
    number = 0
    for row in ("prototypical", "proto-awatt", "lpn-oo", "lpn-wo", "lpn", "lpn-plus", "lpn-plus-untrained"):
        for benchmark in BENCHMARKS:
            for way in (5, 10):
                for shot in (5, 10):
                    number += 1
                    place = {"benchmark": benchmark, "way": way, "shot": shot}
                    write_cell(folder, row, auc=90 + number / 16, f1=70 + number / 8, **place)


def write_ranks(folder: Path, ranks: tuple[int, ...] = (3, 10, 30, 100, 300, 600), seeds: int = 2) -> None:
    """Validation cells of LPN for the k-curve: AUC 90 + i, F1 80 + i for rank number i, 0.2 more per seed."""
    for i, rank in enumerate(ranks):
        for seed in range(seeds):
            place = {"method": "lpn", "split": "validation", "seed": seed, "rank": rank}
            write_cell(folder, f"lpn-k{rank}", auc=90 + i + 0.2 * seed, f1=80 + i + 0.2 * seed, **place)

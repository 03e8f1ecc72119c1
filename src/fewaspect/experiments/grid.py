"""The grid: which trainings there are, in which order, and which cells each of them fills."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from itertools import product
from typing import Any

from fewaspect.core.errors import ConfigError
from fewaspect.core.settings import (
    EvaluateSettings,
    Settings,
    TrainSettings,
    build_settings,
    current_names,
    refuse_unknown,
    setting_names,
)
from fewaspect.experiments.grid_config import GridConfig, RowConfig, trained_for
from fewaspect.methods import complete_settings, method_entry

UNTRAINED: dict[str, Any] = {"episodes": 1, "learning_rate": 0.0, "head_learning_rate": 0.0, "joined": 0.0}
"""One step that changes nothing: the weights as they come, in a run folder like any other."""
_OF_THE_GRID = {"benchmark", "train", "method", "seed"}  # settings of training that rows and benchmarks decide
_OF_A_CELL = {"benchmark", "way", "shot"}


@dataclass(frozen=True)
class Cell:
    """One number of a table and how it is measured."""

    row: str
    seed: int
    evaluation: EvaluateSettings

    @property
    def benchmark(self) -> str:
        test = self.evaluation.split == "test"
        return self.evaluation.benchmark if test else f"{self.evaluation.benchmark}-{self.evaluation.split}"

    @property
    def place(self) -> str:
        """ "row/benchmark/setting/seed", which is what --only is compared with."""
        setting = f"{self.evaluation.way}-way-{self.evaluation.shot}-shot"
        return f"{self.row}/{self.benchmark}/{setting}/seed-{self.seed}"

    @property
    def file(self) -> str:
        return self.place.replace("/", "_") + ".json"


@dataclass(frozen=True)
class Run:
    """One training and the cells that are evaluated with it; `planned` counts them all, chosen or not."""

    name: str
    row: str
    title: str
    untrained: bool
    train: TrainSettings
    method: Settings
    cells: tuple[Cell, ...]
    planned: int

    def settings(self) -> dict[str, dict[str, Any]]:
        return {"train": dataclasses.asdict(self.train), "method": dataclasses.asdict(self.method)}  # type: ignore[call-overload]


def build_runs(config: GridConfig, where: str) -> list[Run]:
    """All runs: every row with its first seed, benchmark by benchmark, then with its second: tables fill up early."""
    _check_common(config, where)
    rows = {name: row.seeds if row.seeds is not None else config.seeds for name, row in config.rows.items()}
    trained = [name for name, benchmark in config.benchmarks.items() if not benchmark.trained_as]
    return [
        run
        for turn in range(max(map(len, rows.values())))
        for benchmark in trained
        for name, seeds in rows.items()
        if turn < len(seeds)
        for run in _runs_of(config, benchmark, name, seeds[turn], where)
    ]


def choose(runs: Sequence[Run], patterns: Sequence[str]) -> list[Run]:
    """The runs that have cells which fit a pattern, with only these; without patterns, all."""
    for pattern in patterns:
        if not any(_fits(cell, pattern) for run in runs for cell in run.cells):
            parts = zip(*(cell.place.split("/") for run in runs for cell in run.cells), strict=True)
            known = "; ".join(", ".join(dict.fromkeys(part)) for part in parts)
            raise ConfigError(
                f'--only {pattern}: expected a pattern like "lpn*/fewasp-multi/5-way-*/seed-0", found one that fits '
                f"no cell. The grid has: {known}."
            )
    chosen = [
        dataclasses.replace(run, cells=tuple(c for c in run.cells if any(_fits(c, p) for p in patterns)))
        for run in runs
    ]
    return [run for run in chosen if run.cells] if patterns else list(runs)


def _fits(cell: Cell, pattern: str) -> bool:
    """Part by part; parts that a pattern leaves out at its end are free."""
    parts, wanted = cell.place.split("/"), pattern.split("/")
    return len(wanted) <= len(parts) and all(map(fnmatchcase, parts, wanted))


def _runs_of(config: GridConfig, benchmark: str, name: str, seed: int, where: str) -> Iterator[Run]:
    row = config.rows[name]
    per = trained_for(row.per if row.per is not None else config.per, where)
    tested = [key for key, other in config.benchmarks.items() if benchmark in (key, other.trained_as)]
    ways = [[way] for way in config.ways] if "way" in per else [config.ways]
    shots = [[shot] for shot in config.shots] if "shot" in per else [config.shots]
    for some_ways, some_shots in product(ways, shots):
        fixed = {key: values[0] for key, values in (("way", some_ways), ("shot", some_shots)) if key in per}
        train, method = _train_settings(config, row, name, benchmark, {**fixed, "seed": seed}, where)
        cells = tuple(
            Cell(name, seed, _evaluation(config, key, way, shot, where))
            for key in tested
            for way, shot in product(some_ways, some_shots)
        )
        setting = "-".join(f"{value}-{key}" for key, value in fixed.items())
        parts = [name, benchmark, setting, f"seed-{seed}"]
        title = row.title or method_entry(train.method).title + (", untrained" if row.untrained else "")
        run_name = "_".join(part for part in parts if part)
        yield Run(run_name, name, title, row.untrained, train, method, cells, len(cells))


def _train_settings(
    config: GridConfig, row: RowConfig, name: str, benchmark: str, fixed: dict[str, Any], where: str
) -> tuple[TrainSettings, Settings]:
    """The grid's and the benchmark's settings that this method knows, then the row's, then those of the place."""
    method = row.method or name
    kind = method_entry(method).settings
    known = setting_names(TrainSettings) | setting_names(kind)
    train = config.benchmarks[benchmark].train
    common = current_names(kind, {**config.training, **config.benchmarks[benchmark].training})
    values = {
        "encoder": config.encoder,
        **{key: value for key, value in common.items() if key in known},
        **row.training,
        **(UNTRAINED if row.untrained else {}),
        **fixed,
        "method": method,
        "benchmark": benchmark,
        "train": train if isinstance(train, str) else ",".join(train),
    }
    decided = _OF_THE_GRID | set(fixed) | set(UNTRAINED if row.untrained else ())
    _refuse(row.training, decided, f"{where}: {name}: training")
    return complete_settings(values, f"{where}: {name}: training")


def _evaluation(config: GridConfig, benchmark: str, way: int, shot: int, where: str) -> EvaluateSettings:
    values = {**config.evaluation, "benchmark": benchmark, "way": way, "shot": shot}
    return build_settings(EvaluateSettings, values, f"{where}: evaluation")


def _check_common(config: GridConfig, where: str) -> None:
    """A setting of the whole grid must be known to one of its methods at least."""
    methods = [method_entry(row.method or name).settings for name, row in config.rows.items()]
    known = setting_names(TrainSettings).union(*(setting_names(kind) | set(kind.renamed) for kind in methods))
    parts = {f"{where}: {name}: training": benchmark.training for name, benchmark in config.benchmarks.items()}
    for place, training in {f"{where}: training": config.training, **parts}.items():
        refuse_unknown(training, known, place)
        _refuse(training, _OF_THE_GRID, place)
    _refuse(config.evaluation, _OF_A_CELL, f"{where}: evaluation")


def _refuse(values: dict[str, Any], decided: set[str], where: str) -> None:
    if found := sorted(decided & set(values)):
        raise ConfigError(f"{where}: expected settings that the grid does not decide itself, found {', '.join(found)}.")

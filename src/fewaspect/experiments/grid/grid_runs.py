"""The runs of a grid, in the order in which they are trained, and the cells that each of them fills."""

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
from fewaspect.experiments.grid.grid_config import GridConfig, RowConfig, trained_for
from fewaspect.methods import complete_settings, method_entry

UNTRAINED: dict[str, Any] = {"episodes": 1, "learning_rate": 0.0, "head_learning_rate": 0.0, "joined": 0.0}
"""One step that changes nothing: the initial weights, in a run folder like any other."""
_SET_BY_GRID = {"benchmark", "train", "method", "seed"}  # settings of training that rows and benchmarks decide
_SET_BY_CELL = {"benchmark", "way", "shot"}


@dataclass(frozen=True)
class Cell:
    """One number of a table: a row with a seed, and how it is evaluated."""

    row: str
    seed: int
    evaluation: EvaluateSettings

    @property
    def benchmark(self) -> str:
        test = self.evaluation.split == "test"
        return self.evaluation.benchmark if test else f"{self.evaluation.benchmark}-{self.evaluation.split}"

    @property
    def name(self) -> str:
        """ "row/benchmark/setting/seed", which --only is compared with."""
        setting = f"{self.evaluation.way}-way-{self.evaluation.shot}-shot"
        return f"{self.row}/{self.benchmark}/{setting}/seed-{self.seed}"

    @property
    def file(self) -> str:
        return self.name.replace("/", "_") + ".json"


@dataclass(frozen=True)
class Run:
    """One training and the cells that are evaluated with it; `planned` counts all of them, selected or not."""

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

    def cell_settings(self, cell: Cell) -> dict[str, dict[str, Any]]:
        return {**self.settings(), "evaluation": dataclasses.asdict(cell.evaluation)}

    def with_cells(self, cells: Iterator[Cell]) -> Run:
        return dataclasses.replace(self, cells=tuple(cells))


def build_runs(config: GridConfig, source: str) -> list[Run]:
    """All runs: every row with its first seed, benchmark by benchmark, then with its second: tables fill up early."""
    _check_common(config, source)
    seeds_of = {name: row.seeds if row.seeds is not None else config.seeds for name, row in config.rows.items()}
    trained = [name for name, benchmark in config.benchmarks.items() if not benchmark.trained_as]
    return [
        run
        for nth in range(max(map(len, seeds_of.values())))
        for benchmark in trained
        for name, seeds in seeds_of.items()
        if nth < len(seeds)
        for run in _runs_of_row(config, benchmark, name, seeds[nth], source)
    ]


def select_cells(runs: Sequence[Run], patterns: Sequence[str]) -> list[Run]:
    """The runs with only the cells that match a pattern, those without any left out; without patterns, all."""
    if not patterns:
        return list(runs)
    _check_patterns([cell for run in runs for cell in run.cells], patterns)
    selected = [run.with_cells(cell for cell in run.cells if _matches_any(cell, patterns)) for run in runs]
    return [run for run in selected if run.cells]


def _check_patterns(cells: Sequence[Cell], patterns: Sequence[str]) -> None:
    for pattern in patterns:
        if not any(_matches_any(cell, [pattern]) for cell in cells):
            parts = zip(*(cell.name.split("/") for cell in cells), strict=True)
            known = "; ".join(", ".join(dict.fromkeys(part)) for part in parts)
            raise ConfigError(
                f'--only {pattern}: expected a pattern like "lpn*/fewasp-multi/5-way-*/seed-0", found one that matches '
                f"no cell. The grid has: {known}."
            )


def _matches_any(cell: Cell, patterns: Sequence[str]) -> bool:
    """Part by part; parts that a pattern leaves out at its end are free."""
    parts = cell.name.split("/")
    wanted = [pattern.split("/") for pattern in patterns]
    return any(len(some) <= len(parts) and all(map(fnmatchcase, parts, some)) for some in wanted)


def _runs_of_row(config: GridConfig, benchmark: str, name: str, seed: int, source: str) -> Iterator[Run]:
    """One run, or one for each way or shot that the row is trained for by itself."""
    row = config.rows[name]
    per = trained_for(row.per if row.per is not None else config.per, source)
    for ways, shots in product(_split(config.ways, "way" in per), _split(config.shots, "shot" in per)):
        fixed = {key: values[0] for key, values in (("way", ways), ("shot", shots)) if key in per}
        train, method = _train_settings(config, row, name, benchmark, {**fixed, "seed": seed}, source)
        cells = tuple(
            Cell(name, seed, _evaluation(config, tested, way, shot, source))
            for tested in _tested_on(config, benchmark)
            for way, shot in product(ways, shots)
        )
        setting = "-".join(f"{value}-{key}" for key, value in fixed.items())
        run_name = "_".join(part for part in (name, benchmark, setting, f"seed-{seed}") if part)
        yield Run(run_name, name, _title(row, train.method), row.untrained, train, method, cells, len(cells))


def _split(values: list[int], each: bool) -> list[list[int]]:
    return [[value] for value in values] if each else [values]


def _tested_on(config: GridConfig, benchmark: str) -> list[str]:
    """The benchmarks that a run trained for this one is evaluated on."""
    return [name for name, other in config.benchmarks.items() if benchmark in (name, other.trained_as)]


def _title(row: RowConfig, method: str) -> str:
    return row.title or method_entry(method).title + (", untrained" if row.untrained else "")


def _train_settings(
    config: GridConfig, row: RowConfig, name: str, benchmark: str, fixed: dict[str, Any], source: str
) -> tuple[TrainSettings, Settings]:
    """The grid's and the benchmark's settings that this method knows, then the row's, then the fixed ones."""
    method = row.method or name
    kind = method_entry(method).settings
    known = setting_names(TrainSettings) | setting_names(kind)
    train = config.benchmarks[benchmark].train
    common = current_names(kind, {**config.training, **config.benchmarks[benchmark].training})
    untrained = UNTRAINED if row.untrained else {}
    values = {
        "encoder": config.encoder,
        **{key: value for key, value in common.items() if key in known},
        **row.training,
        **untrained,
        **fixed,
        "method": method,
        "benchmark": benchmark,
        "train": train if isinstance(train, str) else ",".join(train),
    }
    _refuse_decided(row.training, _SET_BY_GRID | set(fixed) | set(untrained), f"{source}: {name}: training")
    return complete_settings(values, f"{source}: {name}: training")


def _evaluation(config: GridConfig, benchmark: str, way: int, shot: int, source: str) -> EvaluateSettings:
    values = {**config.evaluation, "benchmark": benchmark, "way": way, "shot": shot}
    return build_settings(EvaluateSettings, values, f"{source}: evaluation")


def _check_common(config: GridConfig, source: str) -> None:
    """A setting of the whole grid must be known to one of its methods at least."""
    methods = [method_entry(row.method or name).settings for name, row in config.rows.items()]
    known = setting_names(TrainSettings).union(*(setting_names(kind) | set(kind.renamed) for kind in methods))
    parts = {f"{source}: {name}: training": benchmark.training for name, benchmark in config.benchmarks.items()}
    for part, training in {f"{source}: training": config.training, **parts}.items():
        refuse_unknown(training, known, part)
        _refuse_decided(training, _SET_BY_GRID, part)
    _refuse_decided(config.evaluation, _SET_BY_CELL, f"{source}: evaluation")


def _refuse_decided(values: dict[str, Any], decided: set[str], source: str) -> None:
    if found := sorted(decided & set(values)):
        raise ConfigError(
            f"{source}: expected settings that the grid does not decide itself, found {', '.join(found)}."
        )

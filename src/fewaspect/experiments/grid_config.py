"""The config file of a grid: shipped profiles, files of one's own, and how one extends another."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib.resources import as_file, files
from pathlib import Path
from typing import Any, TypeVar

from fewaspect.core.errors import ConfigError
from fewaspect.core.settings import Settings, build_settings, read_config
from fewaspect.data.benchmarks import BENCHMARKS

S = TypeVar("S", bound=Settings)
PROFILES = ("cpu", "paper", "k-curve")
PER = ("way", "shot")
_ROW_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9.+-]*")


@dataclass(frozen=True)
class RowConfig(Settings):
    """A line of the tables: a method, how it is trained, and with which seeds. What is not said, the grid says."""

    method: str = ""
    title: str = ""
    untrained: bool = False
    seeds: list | None = None
    per: list | str | None = None
    training: dict = field(default_factory=dict)


@dataclass(frozen=True)
class BenchmarkConfig(Settings):
    """What is trained on for a benchmark: its own train file, other files, or what another benchmark trains on."""

    train: list | str = ""
    trained_as: str = ""
    training: dict = field(default_factory=dict)


@dataclass(frozen=True)
class GridConfig(Settings):
    """A whole grid as its file says it; `rows` and `benchmarks` hold their own configs by name."""

    encoder: str = "minilm"
    ways: list = field(default_factory=lambda: [5, 10])
    shots: list = field(default_factory=lambda: [5, 10])
    seeds: list = field(default_factory=lambda: [0])
    per: list | str = field(default_factory=list)
    evaluation: dict = field(default_factory=dict)
    training: dict = field(default_factory=dict)
    benchmarks: dict = field(default_factory=dict)
    rows: dict = field(default_factory=dict)


def load_config(name: str) -> GridConfig:
    """A profile by name, or a YAML or JSON file by path; every name and type in it is checked."""
    values = _read(name, Path(), ())
    grid = _build(GridConfig, values, name)
    for what, least in (("ways", 1), ("shots", 1), ("seeds", 0)):
        _check_numbers(getattr(grid, what), least, f"{name}: {what}")
    for what, entries in (("benchmarks", grid.benchmarks), ("rows", grid.rows)):
        if not entries:
            raise ConfigError(f"{name}: {what}: expected at least one, found none.")
    benchmarks = {key: _build(BenchmarkConfig, entry, f"{name}: {key}") for key, entry in grid.benchmarks.items()}
    for key, benchmark in benchmarks.items():
        _check_benchmark(key, benchmark, benchmarks, f"{name}: {key}")
    rows = {key: _build(RowConfig, entry, f"{name}: {key}") for key, entry in grid.rows.items()}
    for key, row in rows.items():
        if not isinstance(key, str) or not _ROW_NAME.fullmatch(key):
            raise ConfigError(f'{name}: expected a row name of letters, digits, ".", "+" and "-", found "{key}".')
        if row.seeds is not None:
            _check_numbers(row.seeds, 0, f"{name}: {key}: seeds")
        trained_for(row.per if row.per is not None else grid.per, f"{name}: {key}")
    return _build(GridConfig, {**values, "benchmarks": benchmarks, "rows": rows}, name)


def trained_for(per: list | str, where: str) -> tuple[str, ...]:
    """Of way and shot, those that a row is trained for one by one."""
    names = [per] if isinstance(per, str) else per
    if not set(map(str, names)) <= set(PER):
        raise ConfigError(f"{where}: per: expected way, shot or both, found {per!r}.")
    return tuple(name for name in PER if name in names)


def _read(name: str, beside: Path, seen: tuple[str, ...]) -> dict[str, Any]:
    """The values of a config file laid over those of the one it extends."""
    if name in seen:
        raise ConfigError(f"{name}: expected configs that end somewhere, found that it extends itself.")
    if name in PROFILES:
        with as_file(files("fewaspect.experiments").joinpath("profiles").joinpath(f"{name}.yaml")) as profile:
            values, folder = read_config(profile), Path()
    else:
        path = beside / name
        if not path.is_file():
            raise ConfigError(f'expected a profile ({", ".join(PROFILES)}) or a YAML file, found "{name}", neither.')
        values, folder = read_config(path), path.parent
    base = values.pop("extends", None)
    if base is None:
        return values
    if not isinstance(base, str):
        raise ConfigError(f"{name}: extends: expected a profile or a file, found {base!r}.")
    return _laid_over(values, _read(base, folder, (*seen, name)))


def _laid_over(top: Mapping[str, Any], base: Mapping[str, Any]) -> dict[str, Any]:
    """Mappings are merged, anything else is replaced, and null takes an entry away."""
    merged = dict(base)
    for name, value in top.items():
        below = merged.get(name)
        if value is None and name in merged:
            del merged[name]
        elif isinstance(value, dict) and isinstance(below, dict):
            merged[name] = _laid_over(value, below)
        else:
            merged[name] = value
    return merged


def _build(kind: type[S], values: Any, where: str) -> S:
    if not isinstance(values, Mapping):
        raise ConfigError(f"{where}: expected a mapping, {{}} for all defaults, found {values!r}.")
    try:
        return build_settings(kind, values, where)
    except ConfigError as error:
        raise ConfigError(str(error) if str(error).startswith(where) else f"{where}: {error}") from None


def _check_numbers(values: list, least: int, where: str) -> None:
    right = values and all(type(value) is int and value >= least for value in values)
    if not right or len(set(values)) < len(values):
        raise ConfigError(f"{where}: expected different whole numbers from {least}, found {values!r}.")


def _check_benchmark(key: str, benchmark: BenchmarkConfig, all_of_them: dict[str, BenchmarkConfig], where: str) -> None:
    if key not in BENCHMARKS:
        raise ConfigError(f"{where}: expected one of the benchmarks {', '.join(BENCHMARKS)}.")
    if isinstance(benchmark.train, list) and not all(isinstance(item, str) for item in benchmark.train):
        raise ConfigError(f"{where}: train: expected names of files, found {benchmark.train!r}.")
    if benchmark.trained_as:
        if benchmark.train or benchmark.training:
            raise ConfigError(f"{where}: expected trained_as or a training of its own, found both.")
        other = all_of_them.get(benchmark.trained_as)
        if other is None or other.trained_as:
            raise ConfigError(
                f"{where}: trained_as: expected another benchmark of this grid that is trained for itself, "
                f'found "{benchmark.trained_as}".'
            )

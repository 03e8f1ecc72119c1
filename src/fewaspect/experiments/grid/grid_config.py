"""The config file of a grid: a shipped profile or the user's own file, which may extend another."""

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
    """A row of the tables: a method, how it is trained, and with which seeds; what is left out, the grid decides."""

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
    """A whole grid; `rows` and `benchmarks` hold their own configs by name."""

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
    for field_name, least in (("ways", 1), ("shots", 1), ("seeds", 0)):
        _check_integers(getattr(grid, field_name), least, f"{name}: {field_name}")
    benchmarks = _build_all(BenchmarkConfig, grid.benchmarks, name, "benchmarks")
    for key, benchmark in benchmarks.items():
        _check_benchmark(key, benchmark, benchmarks, f"{name}: {key}")
    rows = _build_all(RowConfig, grid.rows, name, "rows")
    for key, row in rows.items():
        _check_row(key, row, grid, name)
    return _build(GridConfig, {**values, "benchmarks": benchmarks, "rows": rows}, name)


def trained_for(per: list | str, source: str) -> tuple[str, ...]:
    """Those of way and shot for whose every value a row is trained anew."""
    names = [per] if isinstance(per, str) else per
    if not set(map(str, names)) <= set(PER):
        raise ConfigError(f"{source}: per: expected way, shot or both, found {per!r}.")
    return tuple(name for name in PER if name in names)


def _read(name: str, beside: Path, seen: tuple[str, ...]) -> dict[str, Any]:
    """The values of a config file, over those of the one it extends."""
    if name in seen:
        raise ConfigError(f"{name}: expected a config that does not extend itself, found one that does.")
    if name in PROFILES:
        with as_file(files("fewaspect.experiments.grid").joinpath("profiles").joinpath(f"{name}.yaml")) as profile:
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
    return _overlay(values, _read(base, folder, (*seen, name)))


def _overlay(top: Mapping[str, Any], base: Mapping[str, Any]) -> dict[str, Any]:
    """Mappings are merged, anything else is replaced, and null takes an entry away."""
    merged = dict(base)
    for name, value in top.items():
        below = merged.get(name)
        if value is None and name in merged:
            del merged[name]
        elif isinstance(value, dict) and isinstance(below, dict):
            merged[name] = _overlay(value, below)
        else:
            merged[name] = value
    return merged


def _build(kind: type[S], values: Any, source: str) -> S:
    if not isinstance(values, Mapping):
        raise ConfigError(f"{source}: expected a mapping, {{}} for all defaults, found {values!r}.")
    try:
        return build_settings(kind, values, source)
    except ConfigError as error:
        raise ConfigError(str(error) if str(error).startswith(source) else f"{source}: {error}") from None


def _build_all(kind: type[S], entries: dict[str, Any], source: str, field_name: str) -> dict[str, S]:
    if not entries:
        raise ConfigError(f"{source}: {field_name}: expected at least one, found none.")
    return {key: _build(kind, entry, f"{source}: {key}") for key, entry in entries.items()}


def _check_integers(values: list, least: int, source: str) -> None:
    right = values and all(type(value) is int and value >= least for value in values)
    if not right or len(set(values)) < len(values):
        raise ConfigError(f"{source}: expected distinct integers from {least}, found {values!r}.")


def _check_row(key: str, row: RowConfig, grid: GridConfig, source: str) -> None:
    if not isinstance(key, str) or not _ROW_NAME.fullmatch(key):
        raise ConfigError(f'{source}: expected a row name of letters, digits, ".", "+" and "-", found "{key}".')
    if row.seeds is not None:
        _check_integers(row.seeds, 0, f"{source}: {key}: seeds")
    trained_for(row.per if row.per is not None else grid.per, f"{source}: {key}")


def _check_benchmark(key: str, benchmark: BenchmarkConfig, others: dict[str, BenchmarkConfig], source: str) -> None:
    if key not in BENCHMARKS:
        raise ConfigError(f"{source}: expected one of the benchmarks {', '.join(BENCHMARKS)}.")
    if isinstance(benchmark.train, list) and not all(isinstance(item, str) for item in benchmark.train):
        raise ConfigError(f"{source}: train: expected names of files, found {benchmark.train!r}.")
    if benchmark.trained_as:
        if benchmark.train or benchmark.training:
            raise ConfigError(f"{source}: expected trained_as or a training of its own, found both.")
        other = others.get(benchmark.trained_as)
        if other is None or other.trained_as:
            raise ConfigError(
                f"{source}: trained_as: expected another benchmark of this grid that is trained for itself, "
                f'found "{benchmark.trained_as}".'
            )

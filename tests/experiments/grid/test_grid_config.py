"""Config files of grids: profiles, extension, and what is refused."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from fewaspect.core.errors import ConfigError
from fewaspect.experiments.grid.grid_config import PROFILES, load_config
from fewaspect.experiments.grid.grid_runs import build_runs
from fewaspect.methods import METHODS

ROOT = Path(__file__).parents[3]


@pytest.mark.parametrize("profile", [*PROFILES, "benchmarks/studies/mpnet.yaml"])
def test_the_shipped_profiles_are_valid_grids(profile: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    runs = build_runs(load_config(profile), profile)
    assert {run.train.method for run in runs} <= METHODS.keys()


@pytest.mark.parametrize("profile", ["cpu", "paper"])
def test_every_method_has_a_row_under_its_own_name(profile: str) -> None:
    assert METHODS.keys() <= load_config(profile).rows.keys()


def test_the_example_of_the_docs_is_a_valid_grid(tmp_path: Path) -> None:
    page = ROOT / "docs" / "reference" / "benchmark.md"
    (tmp_path / "example.yaml").write_text(re.findall(r"```yaml\n(.*?)```", page.read_text(), flags=re.DOTALL)[0])
    runs = build_runs(load_config(str(tmp_path / "example.yaml")), "example.yaml")
    assert {run.row for run in runs} >= {"lpn", "lpn-k3", "lpn-untrained"}


def test_the_paper_profile_is_at_the_scale_of_the_paper() -> None:
    config = load_config("paper")
    assert (config.encoder, config.seeds, config.per) == ("bert-base-uncased", [0, 1, 2, 3, 4], ["way", "shot"])
    assert (config.training["episodes"], config.evaluation["episodes"]) == (2000, 600)
    assert (config.ways, config.shots) == ([5, 10], [5, 10])


def test_a_config_that_extends_another_changes_only_what_it_names(tmp_path: Path) -> None:
    (tmp_path / "base.yaml").write_text("rows: {lpn: {seeds: [1, 2]}, lpn-oo: {}}\nbenchmarks: {sample: {}}\nways: [3]")
    (tmp_path / "top.yaml").write_text(
        "extends: base.yaml\nrows: {lpn: {training: {rank: 7}}, lpn-oo: null}\nways: [4]"
    )
    config = load_config(str(tmp_path / "top.yaml"))
    assert config.ways == [4]
    assert list(config.rows) == ["lpn"]
    assert (config.rows["lpn"].seeds, config.rows["lpn"].training) == ([1, 2], {"rank": 7})


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"ways": 5}, "ways: expected list"),
        ({"shots": [5, 5]}, "shots: expected distinct integers from 1"),
        ({"seeds": [-1]}, "seeds: expected distinct integers from 0"),
        ({"row": {}}, "unknown setting row. Did you mean rows"),
        ({"rows": {"lpn": {"seed": [0]}}}, "lpn: unknown setting seed. Did you mean seeds"),
        ({"rows": {"lpn": None}}, "lpn: expected a mapping"),
        ({"rows": {"a/b": {}}}, "expected a row name"),
        ({"rows": {}}, "rows: expected at least one"),
        ({"rows": {"lpn": {"per": "seed"}}}, "per: expected way, shot or both"),
        ({"benchmarks": {"mnist": {}}}, "expected one of the benchmarks"),
        ({"benchmarks": {"sample": {"trained_as": "fewasp"}}}, "trained_as: expected another benchmark"),
        ({"extends": "nowhere.yaml"}, "nowhere.yaml"),
        ({"extends": "grid.yaml"}, "does not extend itself"),
    ],
)
def test_a_config_that_makes_no_sense_is_refused(
    changes: dict[str, object], message: str, grid_file: Callable[..., Path]
) -> None:
    with pytest.raises(ConfigError, match=message):
        load_config(str(grid_file(**changes)))


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ("{5: {method: lpn}}", "expected a row name of letters"),
        ("{lpn: {on: 3}}", "lpn: unknown setting True"),
        ("{lpn: {training: {5: 3}}}", "lpn: training: unknown setting 5"),
    ],
)
def test_a_name_that_yaml_does_not_read_as_text_is_refused(rows: str, message: str, tmp_path: Path) -> None:
    (tmp_path / "grid.yaml").write_text(f"rows: {rows}\nbenchmarks: {{sample: {{}}}}")
    with pytest.raises(ConfigError, match=message):
        build_runs(load_config(str(tmp_path / "grid.yaml")), "grid.yaml")


def test_a_grid_that_does_not_exist_is_refused_with_the_profiles_there_are() -> None:
    with pytest.raises(ConfigError, match="cpu, paper, k-curve"):
        load_config("gpu")

"""`fewaspect benchmark` and `fewaspect tables` as a user types them."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from in_process import fewaspect

CONFIG = {
    "ways": [3], "shots": [1, 2], "evaluation": {"episodes": 4, "queries": 2}, "benchmarks": {"sample": {}},
    "training": {"episodes": 2, "validate_every": 1, "validation_episodes": 2, "queries": 2, "way": 3, "shot": 2},
    "rows": {"lpn": {"seeds": [0, 1]}, "plain": {"method": "lpn-oo", "untrained": True}},
}  # fmt: skip


@pytest.fixture(scope="module")
def grid(encoder_folder: Callable[..., Path], tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """A config and the folder of its results, all made but for one seed."""
    folder = tmp_path_factory.mktemp("grid")
    (folder / "grid.yaml").write_text(json.dumps({**CONFIG, "encoder": str(encoder_folder("bert"))}))
    done = fewaspect("benchmark", folder / "grid.yaml", "--out", folder / "out", "--only", "*/*/*/seed-0")
    assert done.returncode == 0, done.stderr
    assert "2 of 4 cells left" in done.stderr
    return folder / "grid.yaml", folder / "out"


def test_list_shows_every_cell_and_its_state(grid: tuple[Path, Path]) -> None:
    config, out = grid
    done = fewaspect("benchmark", config, "--out", out, "--list")
    assert [line.split() for line in done.stdout.splitlines()] == [
        ["lpn/sample/3-way-1-shot/seed-0", "done"], ["lpn/sample/3-way-2-shot/seed-0", "done"],
        ["plain/sample/3-way-1-shot/seed-0", "done"], ["plain/sample/3-way-2-shot/seed-0", "done"],
        ["lpn/sample/3-way-1-shot/seed-1", "missing"], ["lpn/sample/3-way-2-shot/seed-1", "missing"],
        ["6", "cells:", "4", "done,", "2", "missing"],
    ]  # fmt: skip


def test_a_dry_run_does_nothing_but_say_what_it_would_do(grid: tuple[Path, Path]) -> None:
    config, out = grid
    before = sorted(out.rglob("*"))
    done = fewaspect("benchmark", config, "--out", out, "--dry-run", "--only", "*/*/3-way-2-shot")
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("train lpn_sample_seed-1: 2 episodes, ")
    assert "1 trainings and 1 cells to do, " in done.stdout
    assert sorted(out.rglob("*")) == before


def test_a_changed_config_is_refused_with_the_cell_and_the_difference(grid: tuple[Path, Path], tmp_path: Path) -> None:
    config, out = grid
    changed = {**json.loads(config.read_text()), "evaluation": {"episodes": 5, "queries": 2}}
    (tmp_path / "changed.yaml").write_text(json.dumps(changed))
    done = fewaspect("benchmark", tmp_path / "changed.yaml", "--out", out)
    assert done.returncode == 2
    assert "lpn_sample_3-way-1-shot_seed-0.json" in done.stderr
    assert "episodes was 4, now 5" in done.stderr


def test_failures_that_were_passed_over_end_in_exit_code_1(grid: tuple[Path, Path], tmp_path: Path) -> None:
    config, out = grid
    impossible = {**json.loads(config.read_text()), "ways": [50]}
    (tmp_path / "impossible.yaml").write_text(json.dumps(impossible))
    command = ["benchmark", tmp_path / "impossible.yaml", "--out", out, "--only", "plain/*/*-2-shot"]
    stopped = fewaspect(*command)
    assert stopped.returncode == 2
    assert stopped.stderr.startswith("error: ")
    done = fewaspect(*command, "--keep-going")
    assert done.returncode == 1
    assert "1 cells failed:\n  plain/sample/50-way-2-shot/seed-0: " in done.stdout


def test_tables_are_written_in_the_format_of_the_file(grid: tuple[Path, Path], tmp_path: Path) -> None:
    _, out = grid
    for name, words in (("t.md", "| LPN (w, w)"), ("t.tex", r"\toprule"), ("t.txt", "┃ Model")):
        done = fewaspect("tables", out, "--out", tmp_path / name)
        assert done.returncode == 0, done.stderr
        assert words in (tmp_path / name).read_text(encoding="utf-8")
    done = fewaspect("tables", out / "cells", "--format", "markdown")
    assert done.stdout == (tmp_path / "t.md").read_text(encoding="utf-8")


def test_collected_cells_give_the_same_tables_as_their_folder(grid: tuple[Path, Path], tmp_path: Path) -> None:
    _, out = grid
    assert fewaspect("tables", out, "--out", tmp_path / "cells.jsonl").returncode == 0
    for format in ("terminal", "markdown", "latex"):
        assert fewaspect("tables", tmp_path / "cells.jsonl", "--format", format).stdout == (
            fewaspect("tables", out, "--format", format).stdout
        )
    done = fewaspect("tables", tmp_path / "cells.jsonl", "--out", tmp_path / "again.jsonl")
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "again.jsonl").read_bytes() == (tmp_path / "cells.jsonl").read_bytes()


def test_collecting_without_a_file_to_write_is_refused(grid: tuple[Path, Path]) -> None:
    done = fewaspect("tables", grid[1], "--format", "jsonl")
    assert done.returncode == 2
    assert "expected --out FILE" in done.stderr


def test_a_damaged_cell_is_named(grid: tuple[Path, Path], tmp_path: Path) -> None:
    _, out = grid
    content = (out / "cells" / "lpn_sample_3-way-1-shot_seed-0.json").read_bytes()
    (tmp_path / "half.json").write_bytes(content[: len(content) // 2])
    done = fewaspect("tables", tmp_path)
    assert done.returncode == 2
    assert "half.json" in done.stderr
    assert "damaged" in done.stderr


def test_without_torch_a_grid_is_shown_but_not_trained(
    grid: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    config, out = grid
    monkeypatch.setitem(sys.modules, "torch", None)  # type: ignore[arg-type]
    done = fewaspect("benchmark", config, "--out", out)
    assert done.returncode == 2
    assert done.stderr.rstrip().endswith('pip install "fewaspect[train]"')
    assert fewaspect("tables", out).returncode == 0


def test_an_unknown_format_is_refused(grid: tuple[Path, Path]) -> None:
    done = fewaspect("tables", grid[1], "--format", "html")
    assert done.returncode == 2
    assert "terminal, markdown, latex" in done.stderr

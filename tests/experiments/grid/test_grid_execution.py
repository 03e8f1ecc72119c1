"""Going through a grid: kills, resumes, failures, and several processes at once."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from fewaspect.core.errors import BenchmarkError, ConfigError, FewAspectError, ResultError
from fewaspect.core.files import hold_lock
from fewaspect.experiments.grid import run_worker
from fewaspect.experiments.grid.grid_config import load_config
from fewaspect.experiments.grid.grid_execution import run_grid
from fewaspect.experiments.grid.grid_folder import GridFolder, list_cells, list_plan
from fewaspect.experiments.grid.grid_runs import Run, build_runs
from fewaspect.methods import METHODS
from fewaspect.training.checkpoint import load_tensors
from fewaspect.training.trainer import Trainer

Runs = Callable[..., list[Run]]
LONG = {"episodes": 30, "validate_every": 2, "validation_episodes": 4, "queries": 2, "way": 3, "shot": 2}


def files(out: Path) -> dict[str, tuple[bytes, int]]:
    return {path.name: (path.read_bytes(), path.stat().st_mtime_ns) for path in (out / "cells").glob("*.json")}


def without_times(out: Path) -> dict[str, dict[str, Any]]:
    cells = {path.name: json.loads(path.read_text()) for path in (out / "cells").glob("*.json")}
    return {name: {k: v for k, v in cell.items() if "seconds" not in k} for name, cell in cells.items()}


@pytest.fixture
def steps(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The names of the runs, once for every training step that is done."""
    done: list[str] = []
    original = Trainer._step

    def counted(self: Trainer, step: int) -> dict[str, float]:
        done.append(self.folder.path.name)
        return original(self, step)

    monkeypatch.setattr(Trainer, "_step", counted)
    return done


@pytest.mark.slow
def test_the_paper_profile_runs_from_end_to_end(encoder_folder: Callable[..., Path], tmp_path: Path) -> None:
    """All its rows, its recipes and its training per setting; only the sizes and the data are small."""
    small = {
        "extends": "paper", "encoder": str(encoder_folder("bert")), "ways": [3], "shots": [1, 2], "seeds": [0],
        "evaluation": {"episodes": 4, "queries": 2},
        "training": {"episodes": 2, "validate_every": 1, "validation_episodes": 2, "queries": 2},
        "benchmarks": {"fewasp-single": None, "fewasp-multi": None, "fewasp": None, "sample": {}},
    }  # fmt: skip
    (tmp_path / "small.yaml").write_text(json.dumps(small))
    runs = build_runs(load_config(str(tmp_path / "small.yaml")), "small.yaml")
    assert run_grid(runs, tmp_path / "out", None) == ({}, [])
    cells = without_times(tmp_path / "out")
    assert {cell["method"] for cell in cells.values()} == METHODS.keys()
    assert len(cells) == len(runs)
    for cell in cells.values():
        assert cell["settings"]["train"]["shot"] == str(cell["shot"])
        low, high = cell["auc_interval"]
        assert low <= cell["auc"] <= high
        assert cell["train"] == "sample train split"
    assert cells["lpn_sample_3-way-2-shot_seed-0.json"]["recipe"] == "paper"


def test_what_is_done_is_not_done_again(runs: Runs, tmp_path: Path, steps: list[str]) -> None:
    run_grid(runs(), tmp_path, None)
    before = files(tmp_path)
    assert len(before) == 2
    assert len(steps) == 12
    run_grid(runs(), tmp_path, None)
    assert files(tmp_path) == before
    (tmp_path / "cells" / "lpn_sample_3-way-2-shot_seed-0.json").unlink()
    run_grid(runs(), tmp_path, None)
    assert without_times(tmp_path).keys() == before.keys()
    assert len(steps) == 12


@pytest.mark.slow
def test_a_killed_grid_goes_on_where_it_stopped(
    grid_file: Callable[..., Path], runs: Runs, tmp_path: Path, steps: list[str]
) -> None:
    out = tmp_path / "out"
    config = grid_file(training=LONG, rows={"lpn": {}, "lpn-wo": {}, "lpn-oo": {}})
    command = [sys.executable, "-m", "fewaspect", "benchmark", str(config), "--out", str(out)]
    process = subprocess.Popen(command, stderr=subprocess.PIPE)
    middle = out / "runs" / "lpn-wo_sample_seed-0"
    deadline = time.monotonic() + 300
    while not (middle / "last.safetensors").exists():
        assert time.monotonic() < deadline, "the second run never began"
        assert process.poll() is None, process.stderr and process.stderr.read()
        time.sleep(0.01)
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    stopped_at = load_tensors(middle / "last.safetensors")[1]["state"]["step"]
    assert stopped_at < 30, "the run was over before it could be killed"
    before = files(out)
    assert set(before) == {"lpn_sample_3-way-2-shot_seed-0.json"}

    wanted = runs(training=LONG, rows={"lpn": {}, "lpn-wo": {}, "lpn-oo": {}})
    states = [line.split()[-1] for line in list_cells(wanted, GridFolder(out))]
    assert states[:3] == ["done", "begun", "missing"]
    run_grid(wanted, out, None)
    after = files(out)
    assert {name: after[name] for name in before} == before
    assert steps.count("lpn_sample_seed-0") == 0
    assert steps.count("lpn-wo_sample_seed-0") == 30 - stopped_at
    assert steps.count("lpn-oo_sample_seed-0") == 30
    run_grid(wanted, tmp_path / "whole", None)
    assert without_times(out) == without_times(tmp_path / "whole")


def test_a_run_with_other_settings_is_refused_before_any_work(runs: Runs, tmp_path: Path, steps: list[str]) -> None:
    run_grid(runs(), tmp_path, None)
    for path in (tmp_path / "cells").glob("*.json"):
        path.unlink()
    steps.clear()
    changed = runs(rows={"lpn-wo": {}, "lpn": {"training": {"rank": 7}}})
    with pytest.raises(ResultError, match=r"lpn_sample_seed-0.run\.json.*rank was 100, now 7"):
        run_grid(changed, tmp_path, None)
    assert steps == []


def test_a_run_that_another_process_is_at_is_left_to_it(runs: Runs, tmp_path: Path, steps: list[str]) -> None:
    with hold_lock(tmp_path / "locks" / "lpn_sample_seed-0.lock"):
        failures, held = run_grid(runs(), tmp_path, None)
    assert failures == {}
    assert [run.name for run in held] == ["lpn_sample_seed-0"]
    assert set(steps) == {"lpn-oo_sample_seed-0"}
    assert run_grid(runs(), tmp_path, None) == ({}, [])
    assert len(files(tmp_path)) == 2


@pytest.mark.slow
def test_two_processes_share_the_work_without_doing_any_of_it_twice(
    grid_file: Callable[..., Path], tmp_path: Path
) -> None:
    out = tmp_path / "out"
    config = grid_file(seeds=[0, 1])
    command = [sys.executable, "-m", "fewaspect", "benchmark", str(config), "--out", str(out)]
    both = [subprocess.Popen(command, stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True) for _ in range(2)]
    said = [process.communicate(timeout=600)[1] for process in both]
    assert [process.returncode for process in both] == [0, 0], said
    lines = [line.split(":")[0] for text in said for line in text.splitlines() if line.startswith(("trained", "cell"))]
    assert len(lines) == len(set(lines)) == 8
    assert len(files(out)) == 4


@pytest.fixture
def failing(monkeypatch: pytest.MonkeyPatch) -> None:
    """Evaluation in 4-way is not possible."""
    original = run_worker.evaluate_many

    def refuse(path: Path, settings: list[Any], *rest: Any, **more: Any) -> list[dict[str, Any]]:
        if any(each.way == "4" for each in settings):
            raise ConfigError("only 3-way is possible")
        return original(path, settings, *rest, **more)

    monkeypatch.setattr(run_worker, "evaluate_many", refuse)


@pytest.mark.usefixtures("failing")
def test_a_failure_stops_the_grid_and_says_where(runs: Runs, tmp_path: Path) -> None:
    with pytest.raises(FewAspectError, match=r"evaluating lpn_sample_seed-0 on sample: only 3-way is possible"):
        run_grid(runs(ways=[3, 4]), tmp_path, None)


@pytest.mark.usefixtures("failing")
def test_keeping_going_loses_no_cell_that_works(runs: Runs, tmp_path: Path) -> None:
    failures, held = run_grid(runs(ways=[3, 4]), tmp_path, None, keep_going=True)
    assert failures == {
        "lpn/sample/4-way-2-shot/seed-0": "only 3-way is possible",
        "lpn-oo/sample/4-way-2-shot/seed-0": "only 3-way is possible",
    }
    assert held == []
    assert set(files(tmp_path)) == {f"{row}_sample_3-way-2-shot_seed-0.json" for row in ("lpn", "lpn-oo")}


def test_a_missing_train_file_is_missed_before_any_work(runs: Runs, tmp_path: Path, steps: list[str]) -> None:
    (tmp_path / "fewasp").mkdir()
    with pytest.raises(BenchmarkError, match="fewasp-single"):
        run_grid(runs(benchmarks={"sample": {}, "fewasp-single": {}}), tmp_path / "out", tmp_path)
    assert steps == []


def test_a_log_has_a_line_for_every_training_and_cell_with_the_time_left(runs: Runs, tmp_path: Path) -> None:
    with (tmp_path / "log").open("w") as log:
        run_grid(runs(), tmp_path, None, console=Console(file=log, width=40))
    lines = (tmp_path / "log").read_text().splitlines()
    assert [line.split(":")[0] for line in lines] == [
        "trained lpn_sample_seed-0", "cell lpn/sample/3-way-2-shot/seed-0",
        "trained lpn-oo_sample_seed-0", "cell lpn-oo/sample/3-way-2-shot/seed-0",
    ]  # fmt: skip
    assert [line.split("; ")[1].split(", ")[0] for line in lines] == [
        f"{left} of 2 cells left" for left in (2, 1, 1, 0)
    ]
    assert lines[-1].endswith("0 s")


def test_a_terminal_shows_a_bar_over_the_whole_grid(runs: Runs, tmp_path: Path) -> None:
    (screen := StringIO()).isatty = lambda: True  # type: ignore[method-assign]
    run_grid(runs(), tmp_path, None, console=Console(file=screen, width=120, force_terminal=True))
    assert "training lpn_sample_seed-0" in screen.getvalue()
    assert "2/2" in screen.getvalue()


def test_the_plan_says_what_would_be_done_and_how_long_once_something_is(runs: Runs, tmp_path: Path) -> None:
    before = list(list_plan(runs(), GridFolder(tmp_path)))
    assert before == [
        "train lpn_sample_seed-0: 6 episodes, ?",
        "  cell lpn/sample/3-way-2-shot/seed-0: 6 episodes, ?",
        "train lpn-oo_sample_seed-0: 6 episodes, ?",
        "  cell lpn-oo/sample/3-way-2-shot/seed-0: 6 episodes, ?",
        "2 trainings and 2 cells to do, ?",
    ]
    assert not list(tmp_path.glob("runs"))
    run_grid(runs(rows={"lpn": {}}), tmp_path, None)
    after = list(list_plan(runs(), GridFolder(tmp_path)))
    assert len(after) == 3
    assert after[-1].startswith("1 trainings and 1 cells to do, ")
    assert after[-1].endswith(" s")


def test_a_decision_that_could_not_be_tuned_in_its_setting_is_told(runs: Runs, tmp_path: Path) -> None:
    # The sample has six validation classes, and eight to be tested on.
    chosen = runs(ways=[2, 7], rows={"prototypical": {}})
    with (tmp_path / "log").open("w") as log:
        assert run_grid(chosen, tmp_path / "out", None, console=Console(file=log, width=300)) == ({}, [])
    cells = [line for line in (tmp_path / "log").read_text().splitlines() if line.startswith("cell")]
    assert "tuned on" not in cells[0]
    assert "(decision tuned on sample (validation), 3-way 2-shot, 4 episodes, in training)" in cells[1]

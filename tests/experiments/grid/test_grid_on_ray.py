"""A grid on a real Ray of this machine, one of whose workers is killed."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import psutil
import pytest
import torch
from typer.testing import CliRunner

from fewaspect.cli.app import app
from fewaspect.core.errors import ConfigError
from fewaspect.experiments.grid.grid_execution import run_grid
from fewaspect.experiments.grid.grid_runs import Run

LONG = {"episodes": 40, "validate_every": 2, "validation_episodes": 4, "queries": 2, "way": 3, "shot": 2}


def cells(out: Path) -> dict[str, dict[str, Any]]:
    found = {path.name: json.loads(path.read_text()) for path in (out / "cells").glob("*.json")}
    return {name: {k: v for k, v in cell.items() if "seconds" not in k} for name, cell in found.items()}


def worker_at(driver: psutil.Process, run: Path) -> psutil.Process | None:
    """A process of Ray that works on a run, once a run has a state to resume from and is not finished."""
    if not (run / "last.safetensors").exists() or json.loads((run / "run.json").read_text())["finished"]:
        return None
    busy = [p for p in driver.children(recursive=True) if p.name().startswith("ray::do_run")]
    return busy[0] if busy else None


@pytest.mark.slow
def test_a_grid_on_ray_gives_the_same_cells_though_a_worker_is_killed(
    grid_file: Callable[..., Path], runs: Callable[..., list[Run]], tmp_path: Path
) -> None:
    config, out = grid_file(training=LONG), tmp_path / "out"
    command = [sys.executable, "-m", "fewaspect", "benchmark", str(config), "--out", str(out), "--ray", "local"]
    environment = {**os.environ, "OMP_NUM_THREADS": "1"}
    with subprocess.Popen(command, stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment) as grid:
        deadline = time.monotonic() + 200
        while not (worker := worker_at(psutil.Process(grid.pid), out / "runs" / "lpn_sample_seed-0")):
            assert time.monotonic() < deadline, "the first run never began"
            assert grid.poll() is None, grid.communicate()
            time.sleep(0.05)
        worker.send_signal(signal.SIGKILL)
        said = grid.communicate(timeout=300)
    assert grid.returncode == 0, said
    assert len(cells(out)) == 2

    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        run_grid(runs(training=LONG), tmp_path / "here", None)
    finally:
        torch.set_num_threads(threads)
    assert cells(out) == cells(tmp_path / "here")


def test_an_address_without_ray_is_refused(tmp_path: Path) -> None:
    result = CliRunner().invoke(app, ["benchmark", "cpu", "10.0.0.1:6379", "--out", str(tmp_path / "out")])
    assert isinstance(result.exception, ConfigError)
    assert "needs --ray" in str(result.exception)


def test_a_grid_started_with_a_launcher_is_refused(
    runs: Callable[..., list[Run]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WORLD_SIZE", "2")
    with pytest.raises(ConfigError, match="expected one process, found 2"):
        run_grid(runs(), tmp_path / "out", None)

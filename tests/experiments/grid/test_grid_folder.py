"""What a grid folder says is done: cells and runs, and which are refused."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from fewaspect.core.errors import ResultError
from fewaspect.experiments.cells import write_cell
from fewaspect.experiments.grid.grid_folder import finished_cell
from fewaspect.experiments.grid.grid_runs import Run

MakeCell = Callable[..., dict[str, Any]]


def test_a_cell_made_with_other_settings_is_refused_with_the_difference(
    runs: Callable[..., list[Run]], cell: MakeCell, tmp_path: Path
) -> None:
    before, now = runs()[0], runs(training={"episodes": 7}, evaluation={"episodes": 9})[0]
    write_cell(tmp_path / "c.json", cell(settings=before.cell_settings(before.cells[0])))
    assert finished_cell(tmp_path / "c.json", before, before.cells[0])
    with pytest.raises(ResultError, match=r"c\.json: .*episodes was 6, now 7.*episodes was 6, now 9"):
        finished_cell(tmp_path / "c.json", now, now.cells[0])


def test_a_setting_that_did_not_exist_yet_had_its_default(
    runs: Callable[..., list[Run]], cell: MakeCell, tmp_path: Path
) -> None:
    run = runs()[0]
    settings = run.cell_settings(run.cells[0])
    del settings["train"]["warmup"]
    write_cell(tmp_path / "c.json", cell(settings=settings))
    assert finished_cell(tmp_path / "c.json", run, run.cells[0])

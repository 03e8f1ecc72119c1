"""Cells on disk: what they hold, and which are refused."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from fewaspect.core.errors import ResultError
from fewaspect.experiments.cells import describe_cell, finished_cell, read_cell, read_cells, settings_of, write_cell
from fewaspect.experiments.grid import Run

MakeCell = Callable[..., dict[str, Any]]


def test_a_cell_is_flat_with_its_interval_and_its_share_of_the_training(runs: Callable[..., list[Run]]) -> None:
    run = runs(ways=[3, 4])[0]
    metric = {"mean": 80.0, "low": 79.0, "high": 81.0, "half_width": 1.0, "count": 6, "left_out": 0}
    result = {"method": "lpn", "title": "?", "way": "4", "f1": metric, "seconds": {}, "settings": {}, "environment": {}}
    found = describe_cell(run, run.cells[1], {**result, "decision": "count"}, trained=100.0, evaluated=3.0)
    assert (found["row"], found["title"], found["way"], found["shot"]) == ("lpn", "LPN (w, w)", 4, 2)
    assert (found["f1"], found["f1_interval"], found["decision"]) == (80.0, [79.0, 81.0], "count")
    assert (found["training_seconds"], found["evaluation_seconds"], found["seconds"]) == (50.0, 3.0, 53.0)
    assert found["settings"]["evaluation"]["way"] == "4"


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b'{"row": "lpn", "meth', "a damaged file"),
        (b"", "a damaged file"),
        (b"\xff\xfe", "a damaged file"),
        (b"[]", "a list"),
        (b"{}", '"row" with the value None'),
    ],
)
def test_a_damaged_cell_is_refused_by_name(content: bytes, message: str, tmp_path: Path) -> None:
    (tmp_path / "c.json").write_bytes(content)
    with pytest.raises(ResultError, match=rf"c\.json: expected a cell of a benchmark, found {message}"):
        read_cell(tmp_path / "c.json")


@pytest.mark.parametrize(
    "changes",
    [{"way": "5"}, {"seed": True}, {"auc": "97"}, {"f1_interval": [1.0]}, {"settings": {}}, {"run_seconds": None}],
)
def test_a_cell_with_a_wrong_field_is_refused_with_its_name(
    changes: dict[str, Any], cell: MakeCell, tmp_path: Path
) -> None:
    write_cell(tmp_path / "c.json", {**cell(), **changes})
    name = next(iter(changes)).removesuffix("_interval")
    with pytest.raises(ResultError, match=f'"{name}"'):
        read_cell(tmp_path / "c.json")


def test_a_metric_that_is_not_defined_is_null(cell: MakeCell, tmp_path: Path) -> None:
    write_cell(tmp_path / "c.json", {**cell(), "auc": None, "auc_interval": [None, None]})
    assert read_cell(tmp_path / "c.json")["auc"] is None


def test_a_cell_made_with_other_settings_is_refused_with_the_difference(
    runs: Callable[..., list[Run]], cell: MakeCell, tmp_path: Path
) -> None:
    before, now = runs()[0], runs(training={"episodes": 7}, evaluation={"episodes": 9})[0]
    write_cell(tmp_path / "c.json", cell(settings=settings_of(before, before.cells[0])))
    assert finished_cell(tmp_path / "c.json", before, before.cells[0])
    with pytest.raises(ResultError, match=r"c\.json: .*episodes was 6, now 7.*episodes was 6, now 9"):
        finished_cell(tmp_path / "c.json", now, now.cells[0])


def test_a_setting_that_did_not_exist_yet_had_its_default(
    runs: Callable[..., list[Run]], cell: MakeCell, tmp_path: Path
) -> None:
    run = runs()[0]
    settings = settings_of(run, run.cells[0])
    del settings["train"]["warmup"]
    write_cell(tmp_path / "c.json", cell(settings=settings))
    assert finished_cell(tmp_path / "c.json", run, run.cells[0])


def test_a_folder_without_cells_is_refused(cell: MakeCell, tmp_path: Path) -> None:
    with pytest.raises(ResultError, match="found none"):
        read_cells(tmp_path)
    write_cell(tmp_path / "cells" / "c.json", cell())
    assert len(read_cells(tmp_path)) == len(read_cells(tmp_path / "cells")) == 1
    assert json.loads((tmp_path / "cells" / "c.json").read_text())["f1"] == 85.0

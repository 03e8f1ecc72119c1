"""Cells on disk: what they hold, and which are refused."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from fewaspect.core.errors import ResultError
from fewaspect.experiments.cells import KEY, read_cell, read_cells, write_cell
from fewaspect.experiments.results_file import write_results
from fewaspect.experiments.tables.tabulation import tabulate

MakeCell = Callable[..., dict[str, Any]]


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


def test_a_folder_without_cells_is_refused(cell: MakeCell, tmp_path: Path) -> None:
    with pytest.raises(ResultError, match="found none"):
        read_cells(tmp_path)
    write_cell(tmp_path / "cells" / "c.json", cell())
    assert len(read_cells(tmp_path)) == len(read_cells(tmp_path / "cells")) == 1
    assert json.loads((tmp_path / "cells" / "c.json").read_text())["f1"] == 85.0


def test_collected_cells_are_equal_to_those_of_the_folder(cell: MakeCell, tmp_path: Path) -> None:
    cells = [cell(way=way, seed=seed, f1=60.0 + way + seed) for way in (10, 5) for seed in (1, 0)]
    for number, one in enumerate(cells):
        write_cell(tmp_path / "cells" / f"{number}.json", one)
    write_results(tmp_path / "cells.jsonl", read_cells(tmp_path), KEY)
    found = read_cells(tmp_path / "cells.jsonl")
    assert found == sorted(cells, key=lambda c: (c["way"], c["seed"]))
    assert (tmp_path / "cells.jsonl").read_text().count("minilm") == 1  # what all cells share is stated once


def test_a_collected_record_that_is_no_cell_is_refused_with_its_line(cell: MakeCell, tmp_path: Path) -> None:
    write_results(tmp_path / "c.jsonl", [cell(), {**cell(seed=1), "f1": "85"}], KEY)
    with pytest.raises(ResultError, match=r'c\.jsonl, line 3: expected a cell of a benchmark, found "f1"'):
        read_cells(tmp_path / "c.jsonl")


@pytest.mark.parametrize("value", ["1e999", "NaN", '"\\ud800"', "1" + "0" * 400])
def test_a_cell_with_what_no_table_can_hold_is_refused(value: str, cell: MakeCell, tmp_path: Path) -> None:
    for name in ("title", "way", "auc"):
        text = json.dumps({**cell(), name: "HERE"}).replace('"HERE"', value)
        (tmp_path / "c.json").write_text(text)
        with pytest.raises(ResultError, match=r"c\.json: expected a cell of a benchmark"):
            read_cell(tmp_path / "c.json")


def test_a_row_may_have_a_digit_that_is_no_number_in_its_name(cell: MakeCell) -> None:
    assert tabulate([cell(row="lpn\N{SUPERSCRIPT TWO}"), cell()])

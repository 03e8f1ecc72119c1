"""Cells for figures: which are read, selected and averaged."""

from __future__ import annotations

from pathlib import Path

import pytest

from cell_files import write_cell
from fewaspect.core.errors import ResultError
from fewaspect.experiments.cells import read_cells
from fewaspect.experiments.figures.cell_selection import Measure, over_seeds, select


def test_a_cell_keeps_the_numbers_of_its_file(tmp_path: Path) -> None:
    write_cell(tmp_path, "lpn-k3", auc=96.5, f1=81.25, rank=3, split="validation", way=10)
    (cell,) = read_cells(tmp_path)
    assert (cell["row"], cell["split"], cell["way"], cell["shot"]) == ("lpn-k3", "validation", 10, 5)
    assert over_seeds([cell], "auc").mean == 96.5
    assert over_seeds([cell], "f1") == Measure(81.25, 80.75, 82.25)


def test_cells_are_also_found_in_the_folder_above_them(tmp_path: Path) -> None:
    write_cell(tmp_path / "cells")
    assert read_cells(tmp_path) == read_cells(tmp_path / "cells")


def test_what_a_kill_left_behind_is_no_cell(tmp_path: Path) -> None:
    write_cell(tmp_path)
    (tmp_path / ".lpn.json.0123456789ab.part").write_text("{")
    assert len(read_cells(tmp_path)) == 1


def test_seeds_are_averaged_with_the_ends_of_their_intervals(tmp_path: Path) -> None:
    for seed, f1 in enumerate((80.0, 82.0, 87.0)):
        write_cell(tmp_path, f1=f1, seed=seed)
    measure = over_seeds(read_cells(tmp_path), "f1")
    assert (measure.low, measure.mean, measure.high) == pytest.approx((82.5, 83.0, 84.0))


def test_the_same_seed_twice_is_refused_by_name(tmp_path: Path) -> None:
    write_cell(tmp_path, "lpn", seed=1)
    write_cell(tmp_path, "lpn-again", seed=1)
    with pytest.raises(ResultError, match=r'seed 1 on fewasp.*"lpn-again" and "lpn"'):
        over_seeds(read_cells(tmp_path), "f1")


def test_choosing_compares_every_named_field(tmp_path: Path) -> None:
    write_cell(tmp_path, way=10)
    write_cell(tmp_path, way=10, benchmark="fewasp-multi")
    write_cell(tmp_path, way=5)
    assert [cell["benchmark"] for cell in select(read_cells(tmp_path), way=10, benchmark="fewasp")] == ["fewasp"]


def test_a_cell_without_a_defined_metric_is_refused(tmp_path: Path) -> None:
    write_cell(tmp_path, "lpn-oo", f1_interval=[None, None], episodes=1)
    with pytest.raises(ResultError, match=r"F1 and its interval.*lpn-oo on fewasp.*, seed 0, 1 episodes"):
        over_seeds(read_cells(tmp_path), "f1")


@pytest.mark.parametrize("content", ["[]", "{}", "3", "{", '{"name": "my project", "version": 1}', "\xff"])
def test_a_foreign_file_is_refused_by_name(content: str, tmp_path: Path) -> None:
    write_cell(tmp_path)
    (tmp_path / "package.json").write_bytes(content.encode("latin-1"))
    with pytest.raises(ResultError, match=r"package\.json: expected a cell"):
        read_cells(tmp_path)


def test_a_folder_without_cells_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ResultError, match="found none"):
        read_cells(tmp_path)

"""The curve over the rank k."""

from __future__ import annotations

from pathlib import Path

import pytest

from cell_files import write_cell, write_ranks
from fewaspect.core.errors import ResultError
from fewaspect.experiments.cells import read_cells
from fewaspect.experiments.figures.figure_style import styled
from fewaspect.experiments.figures.k_curve import RANKS, draw_k_curve, k_curve


def test_the_curve_is_the_cells_averaged_over_seeds(tmp_path: Path) -> None:
    write_ranks(tmp_path)
    curve = k_curve(read_cells(tmp_path))
    assert curve.ranks == list(RANKS)
    assert curve.seeds == [2] * 6
    assert [point.mean for point in curve.curves["auc"]] == pytest.approx([90.1 + i for i in range(6)])
    assert [point.low for point in curve.curves["f1"]] == pytest.approx([79.6 + i for i in range(6)])
    assert not curve.missing


def test_the_drawn_points_and_bars_are_the_curve(tmp_path: Path) -> None:
    write_ranks(tmp_path, seeds=1)
    with styled():
        panels = draw_k_curve(k_curve(read_cells(tmp_path))).axes
    assert [panel.get_ylabel() for panel in panels] == ["AUC in %", "F1 in %"]
    line, _, (bars,) = panels[1].containers[0].lines
    assert list(line.get_ydata()) == pytest.approx([80 + i for i in range(6)])
    assert list(line.get_xdata()) == [0, 1, 2, 3, 4, 5]
    assert bars.get_segments()[2][:, 1] == pytest.approx([81.5, 83.0])
    assert [label.get_text() for label in panels[0].get_xticklabels()] == ["3", "10", "30", "100", "300", "600"]


def test_other_cells_play_no_part(tmp_path: Path) -> None:
    write_ranks(tmp_path)
    write_cell(tmp_path, "lpn", f1=1.0)  # test split
    for field in ({"benchmark": "fewasp-multi"}, {"way": 10}, {"method": "lpn-wo"}, {"untrained": True}):
        write_cell(tmp_path, f"other-{next(iter(field))}", f1=1.0, **{"split": "validation", "method": "lpn", **field})
    write_cell(tmp_path, "large", f1=1.0, split="validation", method="lpn", encoder="mpnet")
    assert min(point.mean for point in k_curve(read_cells(tmp_path)).curves["f1"]) > 80


def test_missing_ranks_are_named_and_the_rest_is_drawn(tmp_path: Path) -> None:
    write_ranks(tmp_path, (3, 30, 600))
    curve = k_curve(read_cells(tmp_path))
    assert curve.ranks == [3, 30, 600]
    assert curve.missing == [10, 100, 300]


def test_a_single_rank_makes_no_curve(tmp_path: Path) -> None:
    write_ranks(tmp_path, (30,))
    with pytest.raises(ResultError, match=r"3, 10, 30, 100, 300, 600; found k: 30\."):
        k_curve(read_cells(tmp_path))


def test_without_cells_of_the_setting_the_message_says_what_was_looked_for(tmp_path: Path) -> None:
    write_ranks(tmp_path)
    with pytest.raises(ResultError, match=r"lpn on FewAsp \(multi\), validation aspects, 5-way 5-shot.*found k: none"):
        k_curve(read_cells(tmp_path), benchmark="fewasp-multi")

"""Bars beside the published table."""

from __future__ import annotations

from pathlib import Path

import pytest

from cell_files import write_cell, write_grid
from fewaspect.core.errors import ResultError
from fewaspect.experiments.cells import read_cells
from fewaspect.experiments.figures.bars import BEST, Bar, Bars, bars, draw_bars
from fewaspect.experiments.figures.cell_selection import over_seeds, select
from fewaspect.experiments.figures.figure_style import styled
from fewaspect.experiments.published import published_value


@pytest.fixture
def drawn(tmp_path: Path) -> Bars:
    write_grid(tmp_path)
    return bars(read_cells(tmp_path))


def one(data: Bars, label: str, way: int = 5, metric: str = "f1") -> Bar:
    """The bar on FewAsp with five shots."""
    place = ("fewasp", way, 5, metric, label)
    (bar,) = [b for b in data.bars if (b.benchmark, b.way, b.shot, b.metric, b.label) == place]
    return bar


def test_every_bar_has_the_number_of_its_cell(drawn: Bars, tmp_path: Path) -> None:
    cells = read_cells(tmp_path)
    assert len(drawn.bars) == 6 * 3 * 4 * 2
    for bar in drawn.bars:
        (cell,) = select(cells, row=bar.row, benchmark=bar.benchmark, way=bar.way, shot=bar.shot)
        assert bar.measure == over_seeds([cell], bar.metric)


def test_the_best_baseline_is_chosen_in_each_place(drawn: Bars, tmp_path: Path) -> None:
    assert one(drawn, BEST).row == "proto-awatt"  # the later rows of the grid are the higher ones
    write_cell(tmp_path, "prototypical", f1=99.0, auc=10.0)
    again = bars(read_cells(tmp_path))
    assert (one(again, BEST).row, one(again, BEST).measure.mean) == ("prototypical", 99.0)
    assert one(again, BEST, metric="auc").row == "proto-awatt"
    assert one(again, BEST, way=10).row == "proto-awatt"


def test_the_same_system_stands_beside_a_bar_where_it_was_published(drawn: Bars) -> None:
    assert one(drawn, "LPN (w, o)").published == published_value("fewasp", "lpn-wo", 5, 5, "f1")
    assert one(drawn, BEST).published == published_value("fewasp", "proto-awatt", 5, 5, "f1")
    assert one(drawn, "LPN+").published is None


def test_untrained_rows_stand_first_and_ours_last(drawn: Bars) -> None:
    assert drawn.labels == ["lpn-plus-untrained", BEST, "LPN (o, o)", "LPN (w, o)", "LPN (w, w)", "LPN+"]


def test_the_heights_in_the_picture_are_the_measures(drawn: Bars) -> None:
    with styled():
        panels = draw_bars(drawn).axes
    assert len(panels) == 6
    heights = {round(patch.get_height(), 6) for patch in panels[0].patches}
    assert heights == {
        round(b.measure.mean, 6) for b in drawn.bars if (b.benchmark, b.metric) == ("fewasp-single", "f1")
    }
    assert len(panels[0].patches) == 24


def test_bars_differ_without_colour(drawn: Bars) -> None:
    with styled():
        patches = draw_bars(drawn).axes[0].patches[:6]
    looks = {(patch.get_hatch(), round(sum(patch.get_facecolor()[:3]), 1)) for patch in patches}
    assert len(looks) == 6


def test_missing_cells_leave_gaps_that_are_listed(tmp_path: Path) -> None:
    write_cell(tmp_path, "lpn")
    write_cell(tmp_path, "lpn-oo", benchmark="fewasp-multi")
    data = bars(read_cells(tmp_path))
    assert len(data.bars) == 4
    assert len(data.missing) == 2 * 12 - 2
    assert "LPN (o, o), fewasp, 5-way 5-shot" in data.missing
    assert "LPN (w, w), fewasp, 5-way 5-shot" not in data.missing
    with styled():
        assert len(draw_bars(data).axes) == 4  # the benchmark without any bar has no panel


def test_the_published_line_is_inside_the_panel_however_high_the_bars_are(tmp_path: Path) -> None:
    write_cell(tmp_path, "lpn-plus", f1=98.0, auc=99.0)
    with styled():
        panel = draw_bars(bars(read_cells(tmp_path))).axes[0]
    known = [published_value("fewasp", "lpn", way, shot, "f1") for way in (5, 10) for shot in (5, 10)]
    assert panel.get_ylim()[0] < min(known)


def test_without_a_fitting_cell_the_message_says_what_there_is(tmp_path: Path) -> None:
    write_cell(tmp_path, "lpn", encoder="mpnet")
    with pytest.raises(ResultError, match=r"encoder minilm.*found rows: lpn, on: fewasp \(test\), encoders: mpnet"):
        bars(read_cells(tmp_path))

"""How figures are written."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from fewaspect.core.errors import ConfigError
from fewaspect.experiments.figures.figure_style import output_folder, styled, write_figure

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def picture() -> Figure:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(2, 2))
    panel = figure.subplots()
    panel.plot([0, 1], [0, 1], marker="o", label="a line")
    panel.bar([0, 1], [1, 2], hatch="//")
    panel.legend()
    return figure


def test_a_figure_is_png_svg_and_its_numbers(tmp_path: Path) -> None:
    paths = write_figure(tmp_path, "drawn", picture, {"numbers": [1, 2]})
    assert [path.name for path in paths] == ["drawn.png", "drawn.svg", "drawn.json"]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["drawn.json", "drawn.png", "drawn.svg"]
    assert paths[0].read_bytes().startswith(b"\x89PNG")
    assert b"<svg" in paths[1].read_bytes()
    assert json.loads(paths[2].read_text()) == {"numbers": [1, 2]}


def test_the_same_figure_is_the_same_bytes(tmp_path: Path) -> None:
    first, second = ([p.read_bytes() for p in write_figure(tmp_path, n, picture, [])] for n in ("first", "second"))
    assert first == second


def test_files_tell_neither_date_nor_version(tmp_path: Path) -> None:
    png, svg, _ = (path.read_bytes() for path in write_figure(tmp_path, "drawn", picture, []))
    assert b"Matplotlib" not in png
    assert b"Matplotlib v" not in svg
    assert b"dc:date" not in svg


def test_a_drawing_that_fails_leaves_what_was_there(tmp_path: Path) -> None:
    (tmp_path / "drawn.png").write_text("the earlier one")

    def broken() -> Figure:
        figure = picture()
        figure.axes[0].set_title(r"$\nonsense{$")  # found out only when it is rendered
        return figure

    with pytest.raises(ValueError, match="nonsense"):
        write_figure(tmp_path, "drawn", broken, [])
    assert [path.name for path in tmp_path.iterdir()] == ["drawn.png"]
    assert (tmp_path / "drawn.png").read_text() == "the earlier one"


def test_numbers_that_are_not_json_leave_no_picture(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="JSON"):
        write_figure(tmp_path, "drawn", picture, [float("nan")])
    assert not list(tmp_path.iterdir())


def test_the_users_own_matplotlib_settings_change_nothing_and_are_left_alone(tmp_path: Path) -> None:
    import matplotlib

    plain = write_figure(tmp_path, "plain", picture, [])[1].read_bytes()
    with matplotlib.rc_context({"axes.facecolor": "red", "font.size": 30}):
        theirs = write_figure(tmp_path, "theirs", picture, [])[1].read_bytes()
        assert matplotlib.rcParams["font.size"] == 30
    assert theirs == plain


def test_inside_the_style_fonts_are_those_that_come_with_matplotlib() -> None:
    import matplotlib

    with styled():
        assert matplotlib.rcParams["font.family"] == ["DejaVu Sans"]


def test_the_folder_is_made_and_a_file_in_its_place_is_refused(tmp_path: Path) -> None:
    assert output_folder(tmp_path / "a" / "b").is_dir()
    (tmp_path / "file").touch()
    with pytest.raises(ConfigError, match="expected a folder for the figures, found a file"):
        output_folder(tmp_path / "file")

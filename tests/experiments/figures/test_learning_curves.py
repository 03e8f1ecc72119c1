"""Histories of runs as curves, and what runs are called."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from fewaspect.core.errors import CheckpointError, ConfigError
from fewaspect.experiments.figures.figure_style import run_labels, styled
from fewaspect.experiments.figures.learning_curves import draw_learning_curves, read_curves


def write_run(folder: Path, method: str = "lpn", seed: int = 0, history: Any = None) -> Path:
    folder.mkdir()
    about = {
        "settings": {"train": {"method": method, "seed": seed}, "method": {}},
        "train_source": "somewhere", "train_aspects": [], "encoder_digest": "0",
    }  # fmt: skip
    (folder / "run.json").write_text(json.dumps(about))
    parts = {"class": 0.5, "count": 0.25} if method == "lpn-wo" else {"class": 0.5, "contrastive": 0.125, "count": 0.25}
    steps = [
        {"step": s, **parts, "loss": sum(parts.values()) / s, "validation_auc": 90.0 + s, "validation_f1": 80.0 + s}
        for s in (1, 2, 4)
    ]
    (folder / "history.json").write_text(json.dumps(steps if history is None else history))
    return folder


def test_a_curve_is_the_history_of_its_run(tmp_path: Path) -> None:
    (curve,) = read_curves([write_run(tmp_path / "run")])
    assert curve.label == "LPN (w, w)"
    assert curve.steps == [1, 2, 4]
    assert curve.values["validation_f1"] == [81.0, 82.0, 84.0]
    assert curve.values["contrastive"] == [0.125] * 3


def test_every_part_of_the_loss_has_a_panel_and_every_run_a_line_where_it_has_the_part(tmp_path: Path) -> None:
    curves = read_curves([write_run(tmp_path / "a"), write_run(tmp_path / "b", "lpn-wo")])
    with styled():
        panels = [panel for panel in draw_learning_curves(curves).axes if panel.get_visible()]
    lines = {panel.get_title(loc="left"): panel.lines for panel in panels}
    assert {title: len(of) for title, of in lines.items()} == {
        "training loss": 2, "class loss": 2, "contrastive loss": 1, "count loss": 2,
        "validation AUC in %": 2, "validation F1 in %": 2,
    }  # fmt: skip
    assert list(lines["validation AUC in %"][0].get_xdata()) == [1, 2, 4]
    assert list(lines["validation AUC in %"][0].get_ydata()) == [91.0, 92.0, 94.0]
    first, second = lines["training loss"]
    assert first.get_marker() != second.get_marker()
    assert first.get_linestyle() != second.get_linestyle()


def test_runs_are_called_by_method_then_seed_then_folder(tmp_path: Path) -> None:
    a, b = write_run(tmp_path / "a"), write_run(tmp_path / "b", "lpn-oo")
    c, d = write_run(tmp_path / "c", seed=3), write_run(tmp_path / "d", seed=3)
    assert run_labels([a, b]) == ["LPN (w, w)", "LPN (o, o)"]
    assert run_labels([a, b, c]) == ["LPN (w, w), seed 0", "LPN (o, o), seed 0", "LPN (w, w), seed 3"]
    assert run_labels([c, d]) == ["LPN (w, w), c", "LPN (w, w), d"]


def test_one_run_twice_is_refused(tmp_path: Path) -> None:
    run = write_run(tmp_path / "run")
    with pytest.raises(ConfigError, match="different runs"):
        read_curves([run, tmp_path / "." / "run"])


@pytest.mark.parametrize(
    "history",
    [[], {}, [1], [{"step": 1}], [{"step": 1, "validation_auc": 1.0, "validation_f1": None}], "text",
     [{"step": 1, "validation_auc": 1.0, "validation_f1": float("nan")}]],
)  # fmt: skip
def test_a_foreign_history_is_refused_by_name(history: Any, tmp_path: Path) -> None:
    run = write_run(tmp_path / "run", history=history)
    with pytest.raises(CheckpointError, match=r"history\.json: expected the history of a training run"):
        read_curves([run])


def test_a_run_without_history_and_a_folder_without_run_are_told_apart(tmp_path: Path) -> None:
    run = write_run(tmp_path / "run")
    (run / "history.json").unlink()
    with pytest.raises(CheckpointError, match=r"history\.json, found none"):
        read_curves([run])
    with pytest.raises(CheckpointError, match=r"run\.json, found none"):
        read_curves([tmp_path])

"""`fewaspect figures` as a user types it."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from cell_files import write_grid, write_ranks
from in_process import Done, fewaspect


def figures(*arguments: str | Path) -> Done:
    return fewaspect("figures", *arguments)


def content(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


@pytest.fixture(scope="module")
def run(encoder_folder: Callable[..., Path], tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("runs") / "run"
    done = fewaspect(
        "train", "--benchmark", "sample", "--encoder", encoder_folder("bert"), "--way", "3", "--shot", "2",
        "--episodes", "2", "--validate-every", "1", "--validation-episodes", "2", "--out", out,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return out


def test_cells_become_png_svg_and_json_and_the_same_bytes_again(tmp_path: Path) -> None:
    write_grid(tmp_path / "cells")
    write_ranks(tmp_path / "cells")
    for out in ("one", "two"):
        for name in ("k-curve", "bars"):
            done = figures(name, tmp_path / "cells", "--out", tmp_path / out)
            assert done.returncode == 0, done.stderr
            assert done.stdout.split() == [str(tmp_path / out / f"{name}.{end}") for end in ("png", "svg", "json")]
            assert not done.stderr
    made = content(tmp_path / "one")
    assert sorted(made) == [f"{name}.{end}" for name in ("bars", "k-curve") for end in ("json", "png", "svg")]
    assert made == content(tmp_path / "two")
    assert json.loads(made["k-curve.json"])["curves"]["f1"][3]["mean"] == pytest.approx(83.1)


def test_figures_of_a_results_file_are_those_of_the_folder(tmp_path: Path) -> None:
    write_grid(tmp_path / "cells")
    write_ranks(tmp_path / "cells")
    assert fewaspect("tables", tmp_path / "cells", "--out", tmp_path / "cells.jsonl").returncode == 0
    for name in ("k-curve", "bars"):
        for source, out in (("cells", "folder"), ("cells.jsonl", "file")):
            assert figures(name, tmp_path / source, "--out", tmp_path / out).returncode == 0
    assert content(tmp_path / "folder") == content(tmp_path / "file")


@pytest.mark.parametrize(("module", "what"), [("matplotlib", "k-curve"), ("sklearn.metrics", "prototypes")])
def test_a_missing_package_is_one_line_with_the_extra_to_install(
    module: str, what: str, run: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_ranks(tmp_path / "cells")
    monkeypatch.setitem(sys.modules, module, None)  # type: ignore[arg-type]
    small = ["--benchmark", "sample", "--way", "3", "--shot", "2", "--episodes", "12"] if what == "prototypes" else []
    done = figures(what, run if small else tmp_path / "cells", *small, "--out", tmp_path / "out")
    assert done.returncode == 2
    assert done.stderr.splitlines()[-1].endswith('is not installed. Run: pip install "fewaspect[train]"')


def test_missing_cells_are_mentioned(tmp_path: Path) -> None:
    write_ranks(tmp_path / "cells", (3, 600))
    done = figures("k-curve", tmp_path / "cells", "--out", tmp_path)
    assert done.returncode == 0
    assert done.stderr.startswith("No cells for k = 10, 30, 100, 300")


def test_runs_become_learning_curves(run: Path, tmp_path: Path) -> None:
    done = figures("learning-curves", run, "--out", tmp_path)
    assert done.returncode == 0, done.stderr
    (curve,) = json.loads((tmp_path / "learning-curves.json").read_text())
    history = json.loads((run / "history.json").read_text())
    assert curve["steps"] == [1, 2]
    assert curve["values"]["validation_auc"] == [entry["validation_auc"] for entry in history]


def test_runs_become_a_map_of_prototypes_that_can_be_redrawn(run: Path, tmp_path: Path) -> None:
    done = figures(
        "prototypes", run, "--benchmark", "sample", "--way", "3", "--shot", "2", "--episodes", "12", "--points", "30",
        "--out", tmp_path / "map",
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    made = content(tmp_path / "map")
    assert sorted(made) == [f"prototypes.{end}" for end in ("json", "npz", "png", "svg")]
    assert json.loads(made["prototypes.json"])["points"] == 30
    again = figures("prototypes", "--redraw", tmp_path / "map" / "prototypes.npz", "--out", tmp_path / "again")
    assert again.returncode == 0, again.stderr
    made.pop("prototypes.npz")
    assert content(tmp_path / "again") == made


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["k-curve", "{here}/nowhere"], "found none"),
        (["bars", "{here}"], "found none"),
        (["learning-curves", "{here}"], "run.json"),
        (["prototypes", "{here}", "--benchmark", "sample"], "run.json"),
        (["prototypes"], "--redraw"),
        (["prototypes", "{here}", "--redraw", "{here}/file"], "give one of them"),
        (["prototypes", "--redraw", "{here}/file"], "expected the points"),
        (["prototypes", "--redraw", "{here}/nothing"], "nothing"),
        (["prototypes", "{here}", "--episodes", "1"], "episodes: expected at least 2"),
    ],
)
def test_bad_input_is_one_clear_message_and_no_figure(arguments: list[str], message: str, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("hello")
    done = figures(*(argument.format(here=tmp_path) for argument in arguments), "--out", tmp_path / "out")
    assert done.returncode == 2
    assert message in done.stderr
    assert "Traceback" not in done.stderr
    assert not (tmp_path / "out").exists() or not list((tmp_path / "out").iterdir())


def test_an_output_folder_that_is_a_file_is_refused(tmp_path: Path) -> None:
    write_ranks(tmp_path / "cells")
    (tmp_path / "file").touch()
    done = figures("k-curve", tmp_path / "cells", "--out", tmp_path / "file")
    assert done.returncode == 2
    assert "found a file" in done.stderr

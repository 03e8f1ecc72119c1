"""What is exported serves alone and answers as before; what does not is not written."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from sklearn.base import clone
from typer.testing import CliRunner

from detector_texts import EXAMPLES
from examples import run_settings
from fewaspect import AspectDetector
from fewaspect.cli.app import app
from fewaspect.core.errors import CheckpointError, ConfigError
from fewaspect.inference.model_folder import Runtime
from fewaspect.training import export
from fewaspect.training.trainer import train

TEXTS = ["The soup was cold. Nobody could park.", "rude waiter", "see you on Monday"]


@pytest.fixture(scope="module")
def saved(tmp_path_factory: pytest.TempPathFactory) -> Path:
    detector = AspectDetector(backend="torch").fit(EXAMPLES)
    detector.tune()
    return detector.save(tmp_path_factory.mktemp("saved") / "detector")


@pytest.mark.parametrize(("backend", "near"), [("onnx", 1e-4), ("onnx-int8", 0.1)])
def test_an_exported_detector_serves_alone(saved: Path, tmp_path: Path, backend: str, near: float) -> None:
    result = CliRunner().invoke(app, ["export", str(saved), str(tmp_path / "out"), "--backend", backend])
    assert result.exit_code == 0, result.exception
    assert "mean difference of probabilities" in result.stdout
    moved = (tmp_path / "out").rename(tmp_path / "moved")
    loaded, expected = AspectDetector.load(moved), AspectDetector.load(saved)
    assert loaded._scorer.backend == backend
    np.testing.assert_allclose(loaded.predict_proba(TEXTS), expected.predict_proba(TEXTS), atol=near)
    assert loaded.thresholds_ == expected.thresholds_
    assert json.loads((moved / "model" / "runtime.json").read_text())["parity"]["backend"] == backend
    assert clone(loaded).fit(EXAMPLES)._scorer.backend == backend
    with pytest.raises(ConfigError, match="found one that is exported already"):
        export.export(moved, tmp_path / "twice", backend)
    again = loaded.add_aspect("noise", ["thin walls"]).save(tmp_path / "again")
    np.testing.assert_array_equal(AspectDetector.load(again).predict_proba(TEXTS), loaded.predict_proba(TEXTS))
    with pytest.raises(ConfigError, match=f"this model was exported as \"{backend}\", found 'torch'"):
        AspectDetector.load(moved, backend="torch")


def test_a_run_is_exported_as_a_model_for_any_examples(encoder_folder: Callable[..., Path], tmp_path: Path) -> None:
    settings = run_settings(str(encoder_folder("bert")), method="lpn-plus", episodes=2, validate_every=2)
    train(settings, None, tmp_path / "run")
    export.export(tmp_path / "run", tmp_path / "out", "onnx")
    expected = AspectDetector(model=tmp_path / "run").fit(EXAMPLES).predict_proba(["good food"])
    shutil.rmtree(tmp_path / "run")
    found = AspectDetector(model=tmp_path / "out").fit(EXAMPLES)
    np.testing.assert_allclose(found.predict_proba(["good food"]), expected, atol=1e-4)


def test_what_cannot_be_exported_is_refused_before_any_work(saved: Path, tmp_path: Path) -> None:
    for model, out, backend, message in (
        (saved, saved, "onnx", "expected a new or an empty folder to write to"),
        (saved, tmp_path / "out", "torch", "expected onnx or onnx-int8 to export for, found 'torch'"),
        (tmp_path / "nowhere", tmp_path / "out", "onnx", "expected a saved detector or a training run, found neither"),
    ):
        with pytest.raises(ConfigError, match=message):
            export.export(model, out, backend)
    assert not (tmp_path / "out").exists()


def test_a_model_unlike_torch_is_not_written(saved: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(export, "COSINE", 0.9999999)
    with pytest.raises(CheckpointError, match="the onnx-int8 model is not like torch's: expected token states"):
        export.export(saved, tmp_path / "out", "onnx-int8")
    monkeypatch.setattr(export, "LARGEST", -1.0)
    with pytest.raises(CheckpointError, match="the onnx model is not like torch's: expected probabilities"):
        export.export(saved, tmp_path / "out", "onnx")
    assert not (tmp_path / "out").exists()


@pytest.fixture(scope="module")
def exported(saved: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("exported") / "out"
    export.export(saved, out, "onnx-int8")
    return out


@pytest.mark.parametrize("name", ["encoder.onnx", "tokenizer.json", "runtime.json"])
def test_damage_is_noticed(exported: Path, tmp_path: Path, name: str) -> None:
    shutil.copytree(exported, tmp_path / "out")
    path = tmp_path / "out" / "model" / name
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(content)
    with pytest.raises(CheckpointError, match=name):
        AspectDetector.load(tmp_path / "out")


def test_files_without_a_digest_are_noticed(exported: Path, tmp_path: Path) -> None:
    shutil.copytree(exported, tmp_path / "out")
    saved, model = tmp_path / "out" / "detector.json", tmp_path / "out" / "model" / "runtime.json"
    for path in (saved, model):
        about = json.loads(path.read_text(encoding="utf-8"))
        about["files"] = {name: digest for name, digest in about["files"].items() if name == "examples.safetensors"}
        path.write_text(json.dumps(about), encoding="utf-8")
    with pytest.raises(CheckpointError, match=r"expected the sha256 of model/runtime\.json"):
        AspectDetector.load(saved.parent)
    with pytest.raises(CheckpointError, match=r"found: KeyError\('encoder\.onnx'\)"):
        Runtime.read(model.parent)

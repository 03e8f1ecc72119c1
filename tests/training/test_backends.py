"""Which backend is taken, and that all of them answer alike."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from detector_texts import EXAMPLES
from examples import run_settings
from fewaspect import AspectDetector
from fewaspect.core.errors import CheckpointError, ConfigError
from fewaspect.detector.model import _load, load_model
from fewaspect.training import backends
from fewaspect.training.product_weights import SHIPPED, load_weights
from fewaspect.training.trainer import train

TEXTS = ["The soup was cold. Nobody could park.", "rude waiter", "see you on Monday", "", "🍕 was great!", "x " * 900]


def probabilities(backend: str) -> np.ndarray:
    return AspectDetector(backend=backend).fit(EXAMPLES).predict_proba(TEXTS)


def test_torch_and_onnx_are_equal_and_whole_numbers_are_near() -> None:
    expected = probabilities("torch")
    np.testing.assert_allclose(probabilities("onnx"), expected, atol=1e-4)
    assert np.abs(probabilities("onnx-int8") - expected).mean() < 0.02


def test_evidence_and_reasons_are_those_of_torch() -> None:
    one, other = (AspectDetector(backend=name).fit(EXAMPLES).analyze(TEXTS[0]) for name in ("torch", "onnx"))
    assert one.aspects == other.aspects
    for mine, theirs in zip(one.words, other.words, strict=True):
        assert mine.text == theirs.text
        assert mine.evidence == pytest.approx(theirs.evidence, abs=1e-4)


def test_results_do_not_depend_on_what_is_read_beside() -> None:
    detector = AspectDetector().fit(EXAMPLES)
    together = detector.predict_proba(TEXTS * 30)
    np.testing.assert_allclose(
        together[: len(TEXTS)], np.concatenate([detector.predict_proba([t]) for t in TEXTS]), atol=1e-4
    )
    np.testing.assert_allclose(together[-len(TEXTS) :], together[: len(TEXTS)], atol=0)


def test_auto_is_the_fastest_that_is_there(monkeypatch: pytest.MonkeyPatch) -> None:
    assert AspectDetector().fit(EXAMPLES)._scorer.backend == "onnx-int8"
    assert AspectDetector().fit(EXAMPLES).backend == "auto", "the parameter stays what it was"
    monkeypatch.setattr(backends, "INSTALLED", False)
    weights = load_weights(SHIPPED)
    assert backends.choose_backend("auto", weights) == "torch"
    assert backends.choose_backend("auto", weights, "float32") == "torch"
    with pytest.raises(ConfigError, match=r"needs ONNX Runtime, found none. Run: pip install"):
        backends.choose_backend("onnx", weights)
    with pytest.raises(ConfigError, match="expected one of auto, torch, onnx, onnx-int8, found 'fast'"):
        AspectDetector(backend="fast").fit(EXAMPLES)


def test_a_run_on_another_encoder_serves_with_either(encoder_folder: Callable[..., Path], tmp_path: Path) -> None:
    for kind, auto in (("bert", "onnx"), ("mpnet", "torch")):
        settings = run_settings(str(encoder_folder(kind)), method="lpn-plus", episodes=2, validate_every=2)
        train(settings, None, tmp_path / kind)
        detector = AspectDetector(model=tmp_path / kind).fit(EXAMPLES)
        assert detector._scorer.backend == auto
        expected = AspectDetector(model=tmp_path / kind, backend="torch").fit(EXAMPLES).predict_proba(["good food"])
        np.testing.assert_allclose(detector.predict_proba(["good food"]), expected, atol=1e-4)
        saved = detector.save(tmp_path / f"saved-{kind}")
        np.testing.assert_array_equal(
            AspectDetector.load(saved).predict_proba(["good food"]), detector.predict_proba(["good food"])
        )
    with pytest.raises(ConfigError, match='"onnx" cannot run the encoder'):
        AspectDetector(model=tmp_path / "mpnet", backend="onnx").fit(EXAMPLES)
    rounded = AspectDetector(model=tmp_path / "bert", backend="onnx-int8").fit(EXAMPLES)
    assert rounded.predict_proba(["good food"]).shape == (1, 3), "ranges are measured where none are there"


def test_a_saved_detector_is_loaded_with_the_precision_it_has(tmp_path: Path) -> None:
    folder = AspectDetector(backend="torch").fit(EXAMPLES).save(tmp_path / "float32")
    assert AspectDetector.load(folder)._scorer.backend == "torch", "as it was asked for"
    assert AspectDetector.load(folder, backend="onnx").get_params()["backend"] == "onnx"
    assert load_model(None, "auto", "float32").backend == "onnx"
    with pytest.raises(CheckpointError, match="was saved with precision float32, found int8 here"):
        AspectDetector.load(folder, backend="onnx-int8")
    again = AspectDetector.load(folder, backend="onnx-int8", encode_again=True)
    assert again._scorer.backend == "onnx-int8"
    folder = again.save(tmp_path / "int8")
    assert AspectDetector.load(folder)._scorer.backend == "onnx-int8"
    about = json.loads((folder / "detector.json").read_text())
    about["model"]["ranges"] = "0"
    (folder / "detector.json").write_text(json.dumps(about))
    with pytest.raises(CheckpointError, match="was saved with ranges 0, found"):
        AspectDetector.load(folder)


@pytest.mark.parametrize("backend", ["auto", "onnx-int8"])
def test_without_onnx_runtime_a_save_in_whole_numbers_says_what_to_do(
    backend: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = AspectDetector(backend=backend).fit(EXAMPLES).save(tmp_path / "int8")
    monkeypatch.setattr(backends, "INSTALLED", False)
    _load.cache_clear()
    with pytest.raises(ConfigError, match=r'found none\. Run: .*, or load it with backend="torch", encode_again=True'):
        AspectDetector.load(folder)
    loaded = AspectDetector.load(folder, backend="torch", encode_again=True)
    assert loaded.predict(["cold soup"]) == [["food"]]


WITHOUT_TORCH = """
import sys, tempfile
class Missing:
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] in ("torch", "transformers"):
            raise ImportError(name)
sys.meta_path.insert(0, Missing())
from fewaspect import AspectDetector
detector = AspectDetector().fit({"food": ["the soup was cold", "good pizza"], "noise": ["thin walls", "street noise"]})
assert detector.predict(["cold soup", "loud street", "see you"]) == [["food"], ["noise"], []]
detector.add_aspect("parking", ["garage full"]).tune()
assert detector.analyze("The pizza was great.").words and detector.suggest(["loud pizza", "no valet"], 1)
assert detector.evaluate(["cold soup"], [["food"]])["texts"] == 1
loaded = AspectDetector.load(detector.save(tempfile.mkdtemp()))
assert (loaded.predict_proba(["where to park"]) == detector.predict_proba(["where to park"])).all()
from fewaspect.cli.app import app
try:
    app(["detect", sys.argv[1], "--model", sys.argv[2], "--output", sys.argv[3], "--explain"])
except SystemExit as ended:
    assert not ended.code, ended.code
assert "torch" not in sys.modules and "transformers" not in sys.modules
"""


def test_detection_needs_no_torch(tmp_path: Path) -> None:
    (reviews := tmp_path / "reviews.txt").write_text("The soup was cold.\nNobody could park.\n")
    model = AspectDetector().fit(EXAMPLES).save(tmp_path / "model")
    out = tmp_path / "out.jsonl"
    subprocess.run([sys.executable, "-c", WITHOUT_TORCH, reviews, model, out], check=True, capture_output=True)
    assert len(out.read_text().splitlines()) == 2


def test_nothing_is_left_in_the_users_home_and_nothing_is_said(tmp_path: Path) -> None:
    (home := tmp_path / "home").mkdir()
    cleared = ("ORT_DISABLE_TELEMETRY", "XDG_CACHE_HOME")
    surroundings = {name: value for name, value in os.environ.items() if name not in cleared}
    code = """
from fewaspect import AspectDetector
detector = AspectDetector(backend="onnx-int8").fit({"food": ["the soup was cold"], "noise": ["thin walls"]})
assert detector.predict(["cold soup"]) == [["food"]]
"""
    command, settings = [sys.executable, "-c", code], {**surroundings, "HOME": str(home)}
    ended = subprocess.run(command, env=settings, cwd=home, check=True, capture_output=True, text=True)
    assert not ended.stdout + ended.stderr
    assert not list(home.rglob("*"))

"""What is exported serves alone and answers as torch does; what does not is not written."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import torch
from sklearn.base import clone
from typer.testing import CliRunner

from detector_texts import EXAMPLES
from examples import run_settings
from fewaspect import AspectDetector
from fewaspect.cli.app import app
from fewaspect.core.errors import CheckpointError, ConfigError
from fewaspect.detector.model import load_model
from fewaspect.training import export
from fewaspect.training.run_weights import load_run_weights
from fewaspect.training.sentiment_export import share_lower_layers
from fewaspect.training.trainer import train

TEXTS = ["The food was cold. The staff was slow.", "dirty room", "a great pool"]
FIXTURES = Path(__file__).parents[1] / "fixtures" / "v0_1"


@pytest.fixture(scope="module")
def run(encoder_folder: Callable[..., Path], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A short run of LPN+ on a tiny encoder."""
    settings = run_settings(str(encoder_folder("bert")), method="lpn-plus", episodes=2, validate_every=2)
    folder = tmp_path_factory.mktemp("runs") / "run"
    train(settings, None, folder)
    return folder


@pytest.mark.parametrize(("precision", "near"), [("fp32", 1e-4), ("int8", 0.2)])
def test_an_exported_model_serves_alone(run: Path, tmp_path: Path, precision: str, near: float) -> None:
    result = CliRunner().invoke(app, ["export", str(run), str(tmp_path / "out"), "--precision", precision])
    assert result.exit_code == 0, result.exception
    assert "mean difference of probabilities" in result.stdout
    moved = (tmp_path / "out").rename(tmp_path / "moved")
    expected = AspectDetector(model=export.load_torch_model(run)).fit(EXAMPLES)
    found = AspectDetector(model=moved).fit(EXAMPLES)
    np.testing.assert_allclose(found.predict_proba(TEXTS), expected.predict_proba(TEXTS), atol=near)
    assert found.model_.identity["precision"] == precision
    assert json.loads((moved / "model.json").read_text())["parity"]["sentences"] == export.COMPARED
    assert clone(found).fit(EXAMPLES).model_ is found.model_
    saved = found.add_aspect("noise", ["thin walls"]).save(tmp_path / "saved")
    shutil.rmtree(moved)
    np.testing.assert_array_equal(AspectDetector.load(saved).predict_proba(TEXTS), found.predict_proba(TEXTS))
    with pytest.raises(ConfigError, match="found a model that is exported already"):
        export.export(saved, tmp_path / "twice")


def test_a_model_in_memory_explains_as_its_export_does_and_is_not_saved(run: Path, tmp_path: Path) -> None:
    export.export(run, tmp_path / "out", "fp32")
    one, other = (AspectDetector(model=m).fit(EXAMPLES) for m in (export.load_torch_model(run), tmp_path / "out"))
    for mine, theirs in zip(one.analyze(TEXTS[0]).words, other.analyze(TEXTS[0]).words, strict=True):
        assert mine.text == theirs.text
        assert mine.evidence == pytest.approx(theirs.evidence, abs=1e-4)
    with pytest.raises(ConfigError, match="Export the run first"):
        one.save(tmp_path / "saved")


def test_loading_a_run_leaves_the_random_numbers_alone(run: Path) -> None:
    torch.manual_seed(5)
    expected = torch.rand(3)
    torch.manual_seed(5)
    export.load_torch_model(run)
    assert torch.equal(torch.rand(3), expected)


def test_a_run_of_another_method_or_encoder_is_refused(encoder_folder: Callable[..., Path], tmp_path: Path) -> None:
    for kind, method, message in (
        ("bert", "prototypical", "expected a run of the method lpn-plus, found prototypical"),
        ("mpnet", "lpn-plus", "cannot be exported, only those like BERT"),
    ):
        settings = run_settings(str(encoder_folder(kind)), method=method, episodes=2, validate_every=2)
        train(settings, None, tmp_path / kind)
        with pytest.raises(ConfigError, match=message):
            export.export(tmp_path / kind, tmp_path / "out")
    mpnet = AspectDetector(model=export.load_torch_model(tmp_path / "mpnet")).fit(EXAMPLES)
    assert mpnet.predict_proba(["good food"]).shape == (1, 3), "in memory it serves all the same"


def test_a_detector_that_version_0_1_saved_on_a_run_is_converted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(FIXTURES)  # its settings name the encoder by a relative path
    monkeypatch.setattr(export, "MEAN_DIFFERENCE", 0.1)  # so tiny an encoder suffers from int8
    export.export(Path("detector_on_run"), tmp_path / "out", "fp32")
    then = json.loads(Path("tiny_probabilities.json").read_text())
    found = AspectDetector.load(tmp_path / "out").predict_proba(then["texts"])
    np.testing.assert_allclose(found, then["detector_on_run"], atol=1e-4)


def test_a_run_gets_probabilities_of_the_terms_that_its_scores_have(run: Path, tmp_path: Path) -> None:
    shutil.copytree(run, tmp_path / "run")
    about, shipped = json.loads((run / "run.json").read_text()), load_model()
    same = {name: getattr(shipped.scorer.settings, name) for name in ("centred", "head_weight", "neighbour_weight")}
    plain = {"centred": False, "head_weight": 0.0, "neighbour_weight": 0.0}
    for terms in (plain, same):
        about["settings"]["method"] |= terms
        (tmp_path / "run" / "run.json").write_text(json.dumps(about))
        found = load_run_weights(tmp_path / "run").probability_model
        if terms is same:
            assert found == shipped.probability_model
        else:
            further = ("head_score", "neighbour_score", "uncentred_similarity")
            assert [found.weights[name] for name in further] == [0.0] * 3
            assert not any(found.slopes.values())


def test_what_cannot_be_exported_is_refused_before_any_work(run: Path, tmp_path: Path) -> None:
    for model, out, precision, message in (
        (run, run, "fp32", "expected a new or an empty folder to write to"),
        (run, tmp_path / "out", "int4", "precision: expected int8 or fp32, found 'int4'"),
        (tmp_path / "nowhere", tmp_path / "out", "int8", "expected a saved detector or a training run, found neither"),
    ):
        with pytest.raises(ConfigError, match=message):
            export.export(model, out, precision)
    assert not (tmp_path / "out").exists()


def test_a_model_unlike_torch_is_not_written(run: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(export, "MEAN_COSINE", 0.9999999)
    with pytest.raises(CheckpointError, match="the int8 model is not like torch's: expected a mean cosine"):
        export.export(run, tmp_path / "out", "int8")
    monkeypatch.setattr(export, "MAX_DIFFERENCE", -1.0)
    with pytest.raises(CheckpointError, match="the fp32 model is not like torch's: expected probabilities"):
        export.export(run, tmp_path / "out", "fp32")
    assert not (tmp_path / "out").exists()


@pytest.fixture(scope="module")
def exported(run: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("exported") / "model"
    export.export(run, out, "fp32")
    return AspectDetector(model=out).fit(EXAMPLES).save(out.parent / "saved")


@pytest.mark.parametrize("name", ["encoder.onnx", "tokenizer.json", "model.json"])
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
    saved, model = tmp_path / "out" / "detector.json", tmp_path / "out" / "model" / "model.json"
    for path in (saved, model):
        about = json.loads(path.read_text(encoding="utf-8"))
        about["files"] = {name: digest for name, digest in about["files"].items() if name == "examples.safetensors"}
        path.write_text(json.dumps(about), encoding="utf-8")
    with pytest.raises(CheckpointError, match=r"expected the sha256 of model/model\.json"):
        AspectDetector.load(saved.parent)
    with pytest.raises(CheckpointError, match=r"found: KeyError\('encoder\.onnx'\)"):
        load_model(model.parent)


def test_a_width_that_is_not_that_of_the_graph_is_refused(exported: Path, tmp_path: Path) -> None:
    shutil.copytree(exported.parent / "model", tmp_path / "out")
    about = json.loads((path := tmp_path / "out" / "model.json").read_text(encoding="utf-8"))
    path.write_text(json.dumps({**about, "width": 1}), encoding="utf-8")
    with pytest.raises(CheckpointError, match=rf'"width" must be {about["width"]}, as encoder\.onnx gives it'):
        load_model(path.parent)


def test_a_lower_head_needs_a_graph_that_gives_the_lower_layer(run: Path, tmp_path: Path) -> None:
    export.export(run, tmp_path / "out", "fp32")
    with pytest.raises(CheckpointError, match="expected a graph that gives shared_states, found states"):
        export.add_lower_head(tmp_path / "out")
    share_lower_layers(tmp_path / "out", 1)
    export.add_lower_head(tmp_path / "out")
    model = load_model(tmp_path / "out")
    assert model.scorer.settings.lower_head
    assert model.identity["lower_head"] == "linear"
    AspectDetector(model=model).fit(EXAMPLES).predict(["the soup was cold"])

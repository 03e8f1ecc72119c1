"""Saved detectors: what is written, what is read back, what is refused."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from fewaspect import AspectDetector
from fewaspect.core.errors import CheckpointError, ConfigError
from fewaspect.detector.explain import DEFAULT_THRESHOLD
from fewaspect.detector.persistence import ModelChangedWarning
from pile import REVIEWS

TEXTS = ["cold soup", "Nobody could park.", "a rude waiter", "", "it rained"]
Fit = Callable[..., AspectDetector]


@pytest.fixture
def saved(fitted: Fit, tmp_path: Path) -> Path:
    return fitted().save(tmp_path / "new" / "detector")


def test_what_is_loaded_answers_bit_for_bit_the_same(fitted: Fit, tmp_path: Path) -> None:
    detector = fitted()
    detector.add_aspect("noise | <b>", [], description="loud 'neighbours' 😀")
    detector.add_examples(["we went on Monday", "loud waiters " * 300], [[], ["noise | <b>", "staff"]])
    detector.tune(TEXTS, [["food"], ["parking"], ["staff"], [], []])
    detector.set_params(threshold={"food": 0.3})
    loaded = AspectDetector.load(detector.save(tmp_path / "d"))
    np.testing.assert_array_equal(loaded.predict_proba(TEXTS), detector.predict_proba(TEXTS))
    assert loaded.predict(TEXTS) == detector.predict(TEXTS)
    assert loaded.thresholds_ == detector.thresholds_
    assert loaded.get_params() == detector.get_params()
    assert loaded.shots_ == detector.shots_
    assert loaded.add_aspect("price", ["too expensive"]).classes_.tolist()[-1] == "price"


@pytest.mark.parametrize("threshold", [np.int64(0), np.float32(0), np.float64(0.25), {"food": np.float32(0.5)}])
def test_a_threshold_of_numpy_is_saved(threshold: Any, fitted: Fit, tmp_path: Path) -> None:
    folder = fitted(threshold=threshold).save(tmp_path / "d")
    assert AspectDetector.load(folder).threshold == threshold


def test_a_detector_of_a_matrix_answers_with_one_after_loading(tmp_path: Path) -> None:
    detector = AspectDetector().fit(["cold soup", "garage full"], [[1, 0], [0, 1]])
    loaded = AspectDetector.load(detector.save(tmp_path / "d"))
    assert loaded.predict(["soup"]).tolist() == [[1, 0]]


def test_aspects_without_any_example_are_saved(tmp_path: Path) -> None:
    detector = AspectDetector().fit({"food": [], "noise": []})
    loaded = AspectDetector.load(detector.save(tmp_path / "d"))
    np.testing.assert_array_equal(loaded.predict_proba(TEXTS), detector.predict_proba(TEXTS))


def test_loading_reads_no_example_again(saved: Path, fitted: Fit, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fitted().model_.encoder, "states_and_lower", lambda ids: pytest.fail("read again"))
    AspectDetector.load(saved)


def test_the_code_of_the_model_card_runs(saved: Path) -> None:
    card = (saved / "MODEL_CARD.md").read_text(encoding="utf-8")
    code = card.partition("```python\n")[2].partition("```")[0]
    assert "this folder" in code
    names: dict[str, Any] = {}
    exec(code.replace("this folder", saved.as_posix()), names)
    assert names["detector"].classes_.tolist() == AspectDetector.load(saved).classes_.tolist()


def test_the_model_card_says_what_is_in_the_folder(saved: Path) -> None:
    card = (saved / "MODEL_CARD.md").read_text(encoding="utf-8")
    assert f"| food | 2 | {DEFAULT_THRESHOLD:.3f} |" in card
    assert "5 example sentence(s)" in card
    assert "minilm" in card
    assert "was made for English;" in card
    assert str(saved) not in card


def test_an_earlier_save_is_replaced(saved: Path, fitted: Fit) -> None:
    fitted().remove_aspect("food").save(saved)
    assert AspectDetector.load(saved).classes_.tolist() == ["parking", "staff"]
    assert [path.name for path in saved.parent.iterdir()] == ["detector"]


def test_a_folder_with_other_files_is_left_alone(fitted: Fit, tmp_path: Path) -> None:
    (tmp_path / "thesis.txt").write_text("years of work")
    with pytest.raises(CheckpointError, match=r'earlier save, found "thesis.txt"'):
        fitted().save(tmp_path)
    folder = fitted().save(tmp_path / "d")
    (folder / "notes.txt").write_text("mine")
    with pytest.raises(CheckpointError, match=r"notes\.txt"):
        fitted().save(folder)
    with pytest.raises(CheckpointError, match="found a file"):
        fitted().save(tmp_path / "thesis.txt")
    assert (tmp_path / "thesis.txt").read_text() == "years of work"
    assert (folder / "notes.txt").exists()


def edit(folder: Path, **changes: object) -> None:
    path = folder / "detector.json"
    path.write_text(json.dumps({**json.loads(path.read_text(encoding="utf-8")), **changes}), encoding="utf-8")


def test_what_is_no_detector_is_refused(saved: Path, tmp_path: Path) -> None:
    with pytest.raises(CheckpointError, match=r"expected a saved detector with detector.json, found none"):
        AspectDetector.load(tmp_path / "nowhere")
    edit(saved, format="something-else")
    with pytest.raises(CheckpointError, match='format "fewaspect-detector", found "something-else"'):
        AspectDetector.load(saved)
    (saved / "detector.json").write_text("{")
    with pytest.raises(CheckpointError, match=r"detector.json: .* damaged file"):
        AspectDetector.load(saved)
    (saved / "detector.json").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(CheckpointError, match="damaged"):
        AspectDetector.load(saved)
    (saved / "detector.json").write_text("[" * 200_000)
    with pytest.raises(CheckpointError, match="damaged"):
        AspectDetector.load(saved)


@pytest.mark.parametrize(
    ("version", "remedy"), [(4, "Install that version or a newer one"), (2, "Fit it again from its examples")]
)
def test_another_version_is_refused_with_what_to_do(saved: Path, version: int, remedy: str) -> None:
    edit(saved, version=version, fewaspect="9.0")
    expected = rf"expected version 3 of the format, found {version}, written by fewaspect 9\.0; .*{remedy}"
    with pytest.raises(CheckpointError, match=expected):
        AspectDetector.load(saved)


def test_a_save_of_another_version_is_not_replaced(saved: Path, fitted: Fit) -> None:
    edit(saved, version=2)
    with pytest.raises(CheckpointError, match="found one of version 2, which is not replaced"):
        fitted().save(saved)


@pytest.mark.skipif(not Path("/proc/self").is_dir(), reason="needs a folder in which nobody can write, not even root")
def test_a_folder_that_cannot_be_written_is_named(fitted: Fit) -> None:
    with pytest.raises(OSError, match="'/proc/self/detector'"):
        fitted().save("/proc/self/detector")


@pytest.mark.parametrize("part", ["aspects", "examples", "files", "model", "parameters"])
def test_a_description_with_a_part_missing_is_refused(saved: Path, part: str) -> None:
    edit(saved, **{part: None})
    with pytest.raises(CheckpointError, match=r"detector\.json: .* damaged one"):
        AspectDetector.load(saved)


@pytest.mark.parametrize(
    "parameters",
    [
        {"threshold": 7, "batch_tokens": 4096},
        {"threshold": {"nothing": 0.5}, "batch_tokens": 4096},
        {"threshold": None, "batch_tokens": 0},
        {"threshold": None, "batch_tokens": 4096, "colour": "red"},
    ],
)
def test_parameters_that_cannot_be_are_refused(saved: Path, parameters: dict[str, Any]) -> None:
    edit(saved, parameters=parameters)
    with pytest.raises(CheckpointError, match=r"detector\.json: .* damaged one"):
        AspectDetector.load(saved)


def test_a_saved_detector_is_no_model_for_other_examples(saved: Path) -> None:
    with pytest.raises(ConfigError, match="found a saved detector, which has examples of its own"):
        AspectDetector(saved).fit({"food": ["soup"]})


def test_a_single_flipped_bit_is_noticed(saved: Path) -> None:
    path = saved / "examples.safetensors"
    content = bytearray(path.read_bytes())
    content[-7] ^= 1
    path.write_bytes(content)
    with pytest.raises(CheckpointError, match=r"examples.safetensors: expected sha256 .* damaged or was replaced"):
        AspectDetector.load(saved)
    path.unlink()
    with pytest.raises(CheckpointError, match="Copy the whole folder"):
        AspectDetector.load(saved)


def test_a_description_that_leaves_out_a_file_is_refused(saved: Path) -> None:
    edit(saved, files={})
    with pytest.raises(
        CheckpointError, match=r"expected the sha256 of examples\.safetensors among its .files., found none"
    ):
        AspectDetector.load(saved)


def test_examples_are_encoded_again_where_the_shipped_model_is_another(saved: Path, fitted: Fit) -> None:
    about = json.loads((saved / "detector.json").read_text(encoding="utf-8"))
    edit(saved, model={**about["model"], "weights": "0" * 64})
    with pytest.warns(ModelChangedWarning, match=r"another model .* Its examples are encoded again"):
        loaded = AspectDetector.load(saved)
    for detector in (loaded, AspectDetector.load(saved, encode_again=True)):
        np.testing.assert_allclose(detector.predict_proba(TEXTS), fitted().predict_proba(TEXTS), atol=1e-4)


def test_what_was_learned_from_unlabelled_texts_is_kept_and_described(fitted: Fit, tmp_path: Path) -> None:
    saved = fitted().adapt(REVIEWS).save(tmp_path / "detector")
    loaded, about = AspectDetector.load(saved), json.loads((saved / "detector.json").read_text(encoding="utf-8"))
    assert loaded.pile_size_ == about["unlabelled"]["sentences"] > 100
    assert f"{loaded.pile_size_} unlabelled sentences" in (saved / "MODEL_CARD.md").read_text(encoding="utf-8")
    np.testing.assert_array_equal(loaded.predict_proba(TEXTS), fitted().adapt(REVIEWS).predict_proba(TEXTS))
    again = json.loads((loaded.save(tmp_path / "again") / "detector.json").read_text(encoding="utf-8"))
    assert again["unlabelled"] == about["unlabelled"]
    edit(saved, model={**about["model"], "weights": "0" * 64})
    with pytest.warns(ModelChangedWarning, match="What it learned from unlabelled texts is left out"):
        assert AspectDetector.load(saved).pile_size_ == 0


def test_examples_that_were_edited_are_noticed_and_can_be_encoded_again(saved: Path) -> None:
    about = json.loads((saved / "detector.json").read_text(encoding="utf-8"))
    about["examples"][0]["text"] = "hot dogs"
    edit(saved, examples=about["examples"])
    with pytest.raises(CheckpointError, match="encode_again=True"):
        AspectDetector.load(saved)
    assert AspectDetector.load(saved, encode_again=True).analyze("a hot dog").nearest["food"][0].text == "hot dogs"


def test_a_failed_save_leaves_the_earlier_one(saved: Path, fitted: Fit, monkeypatch: pytest.MonkeyPatch) -> None:
    detector = fitted().remove_aspect("food")
    monkeypatch.setattr("fewaspect.detector.persistence.model_card", lambda about, languages: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        detector.save(saved)
    assert AspectDetector.load(saved).classes_.tolist() == ["food", "parking", "staff"]
    assert [path.name for path in saved.parent.iterdir()] == ["detector"]

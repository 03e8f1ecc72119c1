"""What version 0.1 saved and computed: it still loads, and what was clear to its model is clear to today's."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from fewaspect import AspectDetector
from fewaspect.core.errors import CheckpointError
from fewaspect.detector.explain import DEFAULT_THRESHOLD
from fewaspect.detector.persistence import ModelChangedWarning

FIXTURES = Path(__file__).parents[1] / "fixtures" / "v0_1"


def recorded(name: str) -> dict:
    return json.loads((FIXTURES / name).read_text(encoding="utf-8"))


@pytest.mark.filterwarnings("ignore::fewaspect.detector.support.ExampleWarning")
@pytest.mark.parametrize("case", recorded("probabilities.json"), ids=lambda case: case["name"])
def test_what_was_clear_to_the_model_of_version_0_1_is_decided_alike(case: dict) -> None:
    """Another model: its probabilities have other values, but nothing that was almost certain is reversed.

    All 1,135 of these decisions agree; of all decisions, from 93 % (names alone) to 99 %.
    """
    fit = dict(case["fit"])
    detector = AspectDetector().fit(*fit.pop("args"), **fit)
    assert detector.classes_.tolist() == case["classes"]
    found, expected = detector.predict_proba(case["texts"]), np.array(case["probabilities"])
    alike, clear = (found >= DEFAULT_THRESHOLD) == (expected >= 0.5), (expected < 0.1) | (expected > 0.9)
    assert alike[clear].mean() > 0.98
    assert alike.mean() > 0.88


def test_a_saved_detector_is_encoded_again_and_says_so() -> None:
    with pytest.warns(ModelChangedWarning, match=r"saved by fewaspect 0\.1\.0 with another model"):
        detector = AspectDetector.load(FIXTURES / "detector")
    then = recorded("detector_probabilities.json")
    assert detector.thresholds_ == {**dict.fromkeys(then["thresholds"], DEFAULT_THRESHOLD), "bed comfort": 0.4}
    found, expected = detector.predict_proba(then["texts"]), np.array(then["probabilities"])
    clear = (expected < 0.1) | (expected > 0.9)
    assert ((found >= DEFAULT_THRESHOLD) == (expected >= 0.5))[clear].mean() > 0.98
    given = detector.examples_
    anew = AspectDetector().fit(
        given.texts, [list(own) for own in given.sentences.values()], names=given.names, descriptions=given.descriptions
    )
    np.testing.assert_allclose(found, anew.predict_proba(then["texts"]), atol=1e-4)


def test_an_exported_model_and_a_detector_saved_on_it_answer_the_same(tmp_path: Path) -> None:
    then = recorded("tiny_probabilities.json")
    loaded = AspectDetector.load(FIXTURES / "detector_on_export")
    np.testing.assert_allclose(loaded.predict_proba(then["texts"]), then["detector_on_export"], atol=1e-5)
    fitted = AspectDetector(model=FIXTURES / "exported").fit(recorded("tiny_examples.json"))
    np.testing.assert_allclose(fitted.predict_proba(then["texts"]), then["exported"], atol=1e-5)
    again = AspectDetector.load(loaded.save(tmp_path / "again"))
    np.testing.assert_allclose(again.predict_proba(then["texts"]), then["detector_on_export"], atol=1e-5)


def test_a_detector_saved_on_a_training_run_says_how_to_convert_it() -> None:
    with pytest.raises(CheckpointError, match=r"Convert it: fewaspect export \S+detector_on_run NEW-FOLDER"):
        AspectDetector.load(FIXTURES / "detector_on_run")

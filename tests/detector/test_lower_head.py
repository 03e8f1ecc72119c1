"""A linear classifier of what a lower layer makes of a sentence: its formula, what is left out, what is kept."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from fewaspect import AspectDetector
from fewaspect.detector.fitting import support_set
from fewaspect.detector.model import load_model
from fewaspect.detector.persistence import ModelChangedWarning
from fewaspect.detector.scoring import LOWER_STRENGTH
from fewaspect.inference.encoding_cache import CachingEncoder

EXAMPLES = {
    "food": ["the soup was cold", "great pasta"],
    "parking": ["no valet", "garage full"],
    "noise": ["thin walls", "a loud street"],
}
TEXTS = ["we looked for a space to park the car", "delicious noodles", "could not sleep, so loud", "see you on Monday"]


def lower_of(texts: list[str]) -> np.ndarray:
    """(texts, d) means of the lower layer, each text read alone."""
    model = load_model()
    found = [model.shared_states([ids])[1][0].mean(axis=0) for ids in model.encoder.tokeniser.ids(texts)]
    return np.stack(found).astype(np.float16).astype(np.float64)


def unit(rows: np.ndarray) -> np.ndarray:
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)


def test_the_score_is_a_ridge_regression_on_examples_and_names() -> None:
    state = AspectDetector().fit(EXAMPLES)._fitted()
    model = load_model()
    sentences = model.read(model.encoder.tokeniser.ids(TEXTS))
    found = model.scorer.components(state.fitted, sentences).lower_head_score
    texts = [text for own in EXAMPLES.values() for text in own]
    examples, mean = lower_of(texts), 6 / 7 * lower_of(texts).mean(axis=0)
    X = unit(np.concatenate([examples, lower_of(list(EXAMPLES))]) - mean)
    y = np.concatenate([np.repeat(np.eye(3), 2, axis=0), np.eye(3)])
    W = np.linalg.solve(X.T @ X + LOWER_STRENGTH * np.eye(X.shape[1]), X.T @ (y - y.mean(axis=0)))
    assert found == pytest.approx(unit(lower_of(TEXTS) - mean) @ W, abs=2e-3)


def test_left_out_is_what_a_regression_without_the_example_says() -> None:
    state = AspectDetector().fit(EXAMPLES)._fitted()
    support = support_set(state, state.fitted.mean)
    assert support.lower is not None
    left = load_model().scorer.leave_one_out(support, state.fitted).lower_head_score
    assert left is not None
    X = np.concatenate([support.lower.examples, support.lower.labels]).astype(np.float64)
    y = np.concatenate([support.membership > 0, np.eye(3)]).astype(np.float64)
    y = y - y.mean(axis=0)
    for row in range(6):
        others = np.arange(9) != row
        W = np.linalg.solve(X[others].T @ X[others] + LOWER_STRENGTH * np.eye(X.shape[1]), X[others].T @ y[others])
        assert left[row] == pytest.approx(X[row] @ W, abs=1e-4)


def test_a_name_alone_is_classified_too() -> None:
    detector = AspectDetector().fit({"parking": [], "food": []})
    model, state = load_model(), detector._fitted()
    score = model.scorer.components(state.fitted, model.read(model.encoder.tokeniser.ids(TEXTS[:2]))).lower_head_score
    assert score is not None
    assert score[0, 0] > score[0, 1]


def test_a_remembering_encoder_gives_the_same_and_reads_each_sentence_once() -> None:
    model = load_model()
    plain, cached = model.encoder, CachingEncoder(model.encoder)
    ids = model.encoder.tokeniser.ids(TEXTS)
    cached.states(ids)  # without the lower layer, which must not be missing afterwards
    expected = plain.states_and_lower(ids)[1]  # type: ignore[attr-defined]
    first = cached.states_and_lower(ids)[1]
    held = cached.held_bytes
    again = cached.states_and_lower(ids[::-1])[1][::-1]
    assert np.array_equal(first, expected)
    assert np.array_equal(again, expected)
    assert cached.held_bytes == held == sum(2 * 384 * len(row) + 4 * 384 for row in ids)


def test_what_an_earlier_version_saved_is_encoded_again(tmp_path: Path) -> None:
    detector = AspectDetector().fit(EXAMPLES)
    detector.save(tmp_path / "saved")
    about = json.loads((tmp_path / "saved" / "detector.json").read_text(encoding="utf-8"))
    del about["model"]["lower_head"]
    (tmp_path / "saved" / "detector.json").write_text(json.dumps(about), encoding="utf-8")
    with pytest.warns(ModelChangedWarning):
        loaded = AspectDetector.load(tmp_path / "saved")
    assert loaded.predict_proba(TEXTS) == pytest.approx(detector.predict_proba(TEXTS))


def test_a_saved_detector_keeps_it(tmp_path: Path) -> None:
    pile = [f"{text}, number {n}" for n in range(60) for text in TEXTS]
    detector = AspectDetector().fit(EXAMPLES, unlabelled=pile)
    detector.save(tmp_path / "saved")
    assert np.array_equal(AspectDetector.load(tmp_path / "saved").predict_proba(TEXTS), detector.predict_proba(TEXTS))


def test_a_model_without_it_reads_no_lower_layer() -> None:
    model = load_model()
    settings = replace(model.scorer.settings, lower_head=False)
    plain = replace(model, scorer=replace(model.scorer, settings=settings))
    assert plain.read(plain.encoder.tokeniser.ids(TEXTS)).lower is None

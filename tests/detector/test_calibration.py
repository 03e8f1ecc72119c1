"""The probability of an aspect."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

from fewaspect.core.errors import CheckpointError
from fewaspect.detector.calibration import FEATURES, ProbabilityModel, features, fit_probability_model
from fewaspect.detector.scoring import Parts

WEIGHTS = dict(zip(FEATURES, (1.0, -2.0, 3.0, 0.25, 4.0, -1.0, 0.1), strict=True))


def random_parts(Q: int, N: int, seed: int = 0) -> tuple[Parts, np.ndarray]:
    parts = np.random.default_rng(seed).random((4, Q, N))
    return Parts(*parts), parts.mean(axis=0)


def test_a_probability_is_the_logistic_function_of_the_features() -> None:
    parts, scores = random_parts(3, 4)
    shots = np.array([1.0, 5.0, 0.0, 2.0])
    found = ProbabilityModel(-0.7, WEIGHTS)(features(parts, scores, shots))
    for q in range(3):
        total = sum(math.exp(5 * float(s)) for s in scores[q])
        for n in range(4):
            s = float(scores[q, n])
            seen = [*(float(part[q, n]) for part in parts[:3]), math.log(math.exp(5 * s) / total)]
            seen += [s - float(np.sort(scores[q])[-3]), math.log(1 + float(shots[n])), math.log(4)]
            logit = -0.7 + sum(w * x for w, x in zip(WEIGHTS.values(), seen, strict=True))
            assert float(found[q, n]) == pytest.approx(1 / (1 + math.exp(-logit)))


def test_an_aspect_alone_is_not_certain_and_no_text_has_no_probabilities() -> None:
    parts, scores = random_parts(5, 1)
    found = ProbabilityModel(-1.0, WEIGHTS)(features(parts, scores, np.ones(1)))
    assert ((found > 0) & (found < 1)).all()
    empty, none = random_parts(0, 3)
    assert ProbabilityModel(0.0, WEIGHTS)(features(empty, none, np.ones(3))).shape == (0, 3)


def test_fitting_finds_the_regression_that_made_the_truth() -> None:
    rng = np.random.default_rng(1)
    truth = ProbabilityModel(-2.0, WEIGHTS)
    episodes = []
    for seed in range(200):
        parts, scores = random_parts(40, 2 + seed % 5, seed)
        rows = features(parts, scores, rng.integers(1, 9, scores.shape[1]))
        episodes.append((rows, rng.random(scores.shape) < truth(rows)))
    parts, scores = random_parts(200, 4, seed=999)
    rows = features(parts, scores, np.array([1.0, 2.0, 4.0, 8.0]))
    assert np.abs(fit_probability_model(episodes)(rows) - truth(rows)).mean() < 0.02


def test_it_comes_back_from_its_file_as_it_was(tmp_path: Path) -> None:
    presence = ProbabilityModel(-0.125, WEIGHTS)
    presence.save(tmp_path / "presence.json")
    assert ProbabilityModel.load(tmp_path / "presence.json") == presence


@pytest.mark.parametrize("content", ["", "[]", '{"intercept": 1}', '{"intercept": "a", "weights": {}}'])
def test_a_damaged_file_is_refused_with_what_was_expected(tmp_path: Path, content: str) -> None:
    path = tmp_path / "presence.json"
    path.write_text(content)
    with pytest.raises(CheckpointError, match=r"presence.json: expected the weights of whole, seen, .* found"):
        ProbabilityModel.load(path)

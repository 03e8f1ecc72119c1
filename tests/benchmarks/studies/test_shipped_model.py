"""How the probabilities of the shipped weights are fitted."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

from fewaspect.detector.calibration import FEATURES, ProbabilityModel, score_features
from fewaspect.detector.scoring import ScoreComponents

sys.path.insert(0, str(Path(__file__).parents[3] / "benchmarks" / "studies"))

from probabilities import fit_probability_model


def random_components(Q: int, N: int, seed: int) -> tuple[ScoreComponents, np.ndarray]:
    parts = np.random.default_rng(seed).random((8, Q, N))
    return ScoreComponents(*parts), parts.mean(axis=0)


def test_fitting_finds_the_regression_that_made_the_truth() -> None:
    rng = np.random.default_rng(1)
    weights, slopes = (1.0, -2.0, 3.0, 0.25, 4.0, -1.0, 0.1, 0.5, -0.5, 1.0, 2.0), (1.0, *[0.0] * 9, -0.5)
    truth = ProbabilityModel(-2.0, *(dict(zip(FEATURES, part, strict=True)) for part in (weights, slopes)))
    episodes = []
    for seed in range(200):
        components, scores = random_components(40, 2 + seed % 5, seed)
        rows = score_features(components, scores, rng.integers(1, 9, scores.shape[1]))
        episodes.append((rows, rng.random(scores.shape) < truth(rows)))
    components, scores = random_components(200, 4, seed=999)
    rows = score_features(components, scores, np.array([1.0, 2.0, 4.0, 8.0]))
    assert np.abs(fit_probability_model(episodes)(rows) - truth(rows)).mean() < 0.02

"""The decision by a threshold, and how it is tuned."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import torch
from sklearn.metrics import f1_score

from examples import built
from fewaspect.methods.base import Scores
from fewaspect.methods.threshold import candidate_thresholds


def test_the_best_class_is_always_answered_and_others_if_they_reach_the_threshold() -> None:
    method = built("prototypical")
    method.threshold.fill_(0.4)
    logits = torch.tensor([[0.5, 0.45, 0.05], [0.2, 0.41, 0.39], [0.3, 0.36, 0.34], [1.0, 1.0, 1.0]]).log()
    expected = [[True, True, False], [False, True, False], [False, True, False], [True, False, False]]
    assert method.decide(Scores(logits)).tolist() == expected


def test_the_relations_threshold_is_on_its_own_scale() -> None:
    method = built("relation")
    method.threshold.fill_(0.5)
    decided = method.decide(Scores(torch.tensor([[2.0, 1.0, -1.0], [-3.0, -2.0, -4.0]])))
    assert decided.tolist() == [[True, True, False], [False, True, False]]


def tuned_on(scores: list[np.ndarray], truth: list[np.ndarray]) -> tuple[float, float]:
    """The threshold and what it is worth."""
    method = built("prototypical")

    def value(predicted: Sequence[np.ndarray]) -> float:
        return float(f1_score(np.concatenate(truth), np.concatenate(predicted), average="macro"))

    results = [Scores(torch.from_numpy(episode).log()) for episode in scores]
    method.tune(results, truth, value)
    decided = [method.decide(result).numpy() for result in results]
    return float(method.threshold), value(decided)


def test_tuning_finds_the_threshold_that_divides_right_from_wrong() -> None:
    rng = np.random.default_rng(0)
    scores = [rng.dirichlet(np.ones(4), size=20) for _ in range(5)]
    truth = [(s >= 0.22) | (s == s.max(axis=1, keepdims=True)) for s in scores]
    threshold, worth = tuned_on(scores, truth)
    assert abs(threshold - 0.22) < 0.02
    assert worth > 0.98


def test_where_every_sentence_has_one_aspect_only_the_best_class_is_answered() -> None:
    rng = np.random.default_rng(0)
    scores = [rng.dirichlet(np.ones(4), size=20) for _ in range(5)]
    threshold, worth = tuned_on(scores, [s == s.max(axis=1, keepdims=True) for s in scores])
    assert worth == 1.0
    assert threshold > max(np.sort(s, axis=1)[:, :-1].max() for s in scores)


def test_the_candidates_go_from_only_the_best_to_everything() -> None:
    scores = [np.array([[0.7, 0.2, 0.1], [0.5, 0.3, 0.2]], np.float32)]
    candidates = candidate_thresholds(scores)
    assert (np.diff(candidates) <= 0).all()
    assert 0.3 < candidates[0] < 0.31
    assert candidates[-1] == np.float32(0.1)
    assert set(candidates[1:].tolist()) == set(np.array([0.3, 0.2, 0.1], np.float32).tolist())

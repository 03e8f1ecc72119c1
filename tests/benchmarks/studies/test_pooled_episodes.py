"""The study of pooled episodes measures the same answers twice, and its difference is that of pairs."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest
from sklearn.metrics import f1_score, roc_auc_score

sys.path.insert(0, str(Path(__file__).parents[3] / "benchmarks" / "studies"))
from pooled_episodes import compare


def test_each_metric_is_taken_in_each_episode_and_over_each_pair_as_scikit_learn_does() -> None:
    rng = np.random.default_rng(0)
    scores = list(rng.random((7, 12, 3)))
    truth = [array > 0.5 for array in scores + rng.normal(0, 0.4, (7, 12, 3))]
    predicted = [array > 0.6 for array in scores]
    found = compare(scores, truth, predicted)

    pairs = [(0, 1), (2, 3), (4, 5)]
    f1 = [f1_score(t, p, average="macro") for t, p in zip(truth, predicted, strict=True)]
    over_pairs = [
        f1_score(np.vstack([truth[a], truth[b]]), np.vstack([predicted[a], predicted[b]]), average="macro")
        for a, b in pairs
    ]
    assert found["f1"]["single"]["mean"] == pytest.approx(100 * np.mean(f1))
    assert found["f1"]["pooled"]["mean"] == pytest.approx(100 * np.mean(over_pairs))
    differences = [over_pairs[i] - (f1[a] + f1[b]) / 2 for i, (a, b) in enumerate(pairs)]
    assert found["f1"]["difference"]["mean"] == pytest.approx(100 * np.mean(differences))
    assert found["f1"]["difference"]["count"] == 3
    auc = [
        roc_auc_score(np.vstack([truth[a], truth[b]]), np.vstack([scores[a], scores[b]]), average="macro")
        for a, b in pairs
    ]
    assert found["auc"]["pooled"]["mean"] == pytest.approx(100 * np.mean(auc))

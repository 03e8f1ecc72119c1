"""Proto-HATT against its formulas in numpy."""

from __future__ import annotations

import math

import numpy as np
import pytest
import torch

from examples import Example, built, mean_vectors, softmax, unit, weights_of


def convolved(rows: np.ndarray, weight: np.ndarray, bias: np.ndarray) -> np.ndarray:
    """(channels, K, d) through a (K x 1) convolution, zeros around; (outputs, K, d)."""
    out, _, K, _ = weight.shape
    above, d = (K - 1) // 2, rows.shape[2]
    padded = np.concatenate([np.zeros((len(rows), above, d)), rows, np.zeros((len(rows), K // 2, d))], axis=1)
    result = np.empty((out, K, d))
    for o in range(out):
        for k in range(K):
            result[o, k] = bias[o] + sum(
                weight[o, c, j, 0] * padded[c, k + j] for c in range(len(rows)) for j in range(K)
            )
    return result


@pytest.mark.parametrize("shot", [1, 2, 3])
def test_a_logit_is_a_weighted_distance_to_the_shots_as_the_query_sees_them(shot: int) -> None:
    method, example = built("proto-hatt", shot=shot, moved=0.05), Example(shots=(shot,) * 3)
    w, found = weights_of(method), example.scores(method).logits.detach().numpy()
    x = [unit(v) for v in mean_vectors(example.support)]
    d = len(x[0])

    def g(v: np.ndarray) -> np.ndarray:
        return w["g.weight"] @ v + w["g.bias"]

    for n in range(3):
        own = sorted(x[shot * n : shot * (n + 1)], key=lambda v: v[0])
        maps = np.array(own)[None] * math.sqrt(d)
        for layer in ("first", "second"):
            maps = np.maximum(convolved(maps, w[f"features.{layer}.weight"], w[f"features.{layer}.bias"]), 0)
        last = w["features.last.weight"][0, :, :, 0]
        z = np.maximum(np.einsum("ck,ckd->d", last, maps) + w["features.last.bias"][0], 0)
        for i, q in enumerate(unit(v) for v in mean_vectors(example.queries)):
            attention = softmax(np.array([np.tanh(g(v) * g(q)).sum() for v in own]))
            c = unit(attention @ np.array(own))
            expected = -math.exp(w["log_scale"]) * np.sum(z * (c - q) ** 2)
            assert found[i, n] == pytest.approx(expected, rel=1e-9)


def test_all_features_count_the_same_at_the_start() -> None:
    method = built("proto-hatt", shot=3, moved=0.0)
    assert torch.equal(method.features(torch.randn(4, 3, 8).double()), torch.ones(4, 8).double())

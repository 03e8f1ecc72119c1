"""The Prototypical Network against its formula in numpy."""

from __future__ import annotations

import math

import numpy as np
import pytest

from examples import Example, built, mean_vectors, unit, weights_of


@pytest.mark.parametrize("unit_vectors", [True, False])
def test_a_logit_is_minus_the_squared_distance_to_the_mean_of_the_shots(unit_vectors: bool) -> None:
    method, example = built("prototypical", unit_vectors=unit_vectors), Example()
    found = example.scores(method).logits.detach().numpy()
    x, q = mean_vectors(example.support), mean_vectors(example.queries)
    scale = math.exp(weights_of(method)["log_scale"]) if unit_vectors else 1.0
    for n in range(3):
        shots = [x[s] for s in range(7) if example.membership[s, n] > 0]
        c = np.mean([unit(v) for v in shots] if unit_vectors else shots, axis=0)
        for i, query in enumerate(q):
            apart = unit(query) - unit(c) if unit_vectors else query - c
            assert found[i, n] == pytest.approx(-scale * float(apart @ apart), rel=1e-9)


def test_the_loss_is_the_soft_cross_entropy_of_the_queries_that_carry_a_class() -> None:
    method, example = built("prototypical"), Example()
    labels = example.query_labels.clone()
    labels[1] = False
    logits = example.scores(method).logits.detach().numpy()
    log_p = logits - np.log(np.exp(logits).sum(axis=1, keepdims=True))
    expected = -np.mean([sum(log_p[i, labels[i].numpy()]) for i in (0, 2, 3, 4)])
    assert float(example.changed(query_labels=labels).losses(method)["class"].detach()) == pytest.approx(expected)

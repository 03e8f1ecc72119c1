"""The Relation Network against its formula in numpy."""

from __future__ import annotations

import numpy as np
import pytest

from examples import Example, built, mean_vectors, unit, weights_of


@pytest.mark.parametrize("start", ["distance", "random"])
def test_a_relation_is_a_network_on_the_mean_of_the_shots_and_the_query(start: str) -> None:
    method, example = built("relation", relation_start=start), Example()
    w = weights_of(method)
    found = example.scores(method)
    x = [unit(v) for v in mean_vectors(example.support)]
    r = np.empty((5, 3))
    for i, q in enumerate(mean_vectors(example.queries)):
        for n in range(3):
            c = unit(np.mean([x[s] for s in range(7) if example.membership[s, n] > 0], axis=0))
            hidden = np.maximum(w["hidden.weight"] @ np.concatenate([c, unit(q)]) + w["hidden.bias"], 0)
            r[i, n] = 1 / (1 + np.exp(-(w["output.weight"][0] @ hidden + w["output.bias"][0])))
    np.testing.assert_allclose(method.probabilities(found).detach().numpy(), r, rtol=1e-9)
    expected = np.mean((r - example.query_labels.numpy()) ** 2)
    assert float(example.losses(method)["class"].detach()) == pytest.approx(expected)


def test_the_relation_starts_as_a_distance_and_says_neither_yes_nor_no_in_the_middle() -> None:
    method = built("relation", moved=0.0, width=400)
    rng = np.random.default_rng(0)
    w = weights_of(method)

    def logit(c: np.ndarray, q: np.ndarray) -> float:
        hidden = np.maximum(w["hidden.weight"] @ np.concatenate([c, q]) + w["hidden.bias"], 0)
        return float(w["output.weight"][0] @ hidden + w["output.bias"][0])

    c = unit(rng.normal(size=400))
    logits = []
    for wanted in (0.3, 0.6, 0.9, 1.2):
        other = rng.normal(size=400)
        other = unit(other - (other @ c) * c)
        angle = 2 * np.arcsin(wanted / 2)
        logits.append(logit(c, np.cos(angle) * c + np.sin(angle) * other))
    assert logits == sorted(logits, reverse=True)
    assert logits == pytest.approx([6.0, 3.0, 0.0, -3.0], abs=1.5)

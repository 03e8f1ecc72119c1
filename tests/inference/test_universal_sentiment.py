"""What the network for sentiment reads of a sentence: the whole, and what the name of an aspect attends to."""

from __future__ import annotations

import numpy as np
import pytest

from fewaspect.inference.encoded import unit
from fewaspect.inference.universal_sentiment import UniversalSentiment, attended_sum, pair_vectors

WIDTH = 8
RNG = np.random.default_rng(0)
DENSE = {name: RNG.normal(size=(WIDTH, WIDTH)).astype(np.float32) for name in ("d0", "p1", "d1", "d2", "p3", "d3")}
NETWORK = {
    "hidden.weight": RNG.normal(size=(2 * WIDTH, 4)), "hidden.bias": RNG.normal(size=4),
    "logits.weight": RNG.normal(size=(4, 3)), "logits.bias": RNG.normal(size=3),
}  # fmt: skip


def states(tokens: int) -> tuple[np.ndarray, np.ndarray]:
    return RNG.normal(size=(tokens, WIDTH)), unit(RNG.normal(size=(tokens, WIDTH)))


def test_even_attention_reads_the_whole_sentence() -> None:
    features, _ = states(5)
    np.testing.assert_allclose(attended_sum(features, np.zeros(5)), features.sum(axis=0) / np.sqrt(5))


def test_sharp_attention_reads_one_token() -> None:
    features, _ = states(5)
    np.testing.assert_allclose(attended_sum(features, np.array([0.0, 0, 900, 0, 0])), features[2])


def test_a_name_attends_to_the_tokens_that_are_like_it() -> None:
    features, own = states(4)
    label = (features[0], own[3])
    (vectors,) = pair_vectors([(features, own)], [label], [0], DENSE, attention=1e4)
    (alone,) = pair_vectors([(features[3:], own[3:])], [label], [0], DENSE, attention=1e4)
    np.testing.assert_allclose(vectors[:WIDTH], alone[:WIDTH], rtol=1e-5)
    assert not np.allclose(vectors[WIDTH:], alone[WIDTH:])


def test_an_answer_does_not_depend_on_its_companions() -> None:
    sentences, labels = [states(n) for n in (3, 6, 1)], [states(1) for _ in range(4)]
    names = [(features[0], own[0]) for features, own in labels]
    model = UniversalSentiment(DENSE, NETWORK, attention=12.0, temperature=1.3, neutral_bias=0.2)
    rows = [0, 1, 1, 2]
    together = model.probabilities(sentences, names, rows)
    alone = [model.probabilities([sentences[row]], [name], [0])[0] for row, name in zip(rows, names, strict=True)]
    np.testing.assert_allclose(together, alone, atol=1e-6)
    assert together.sum(axis=1) == pytest.approx(np.ones(4))

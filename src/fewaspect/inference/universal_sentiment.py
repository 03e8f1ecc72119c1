"""Sentiment for the multilingual encoder: a small network above what its published layers make of a sentence, and of
the part of it that the name of an aspect attends to. In numpy, as that encoder is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, cast

import numpy as np

from fewaspect.core.files import load_arrays
from fewaspect.inference.encoded import unit
from fewaspect.inference.sentiment_branch import PolarityModel, States
from fewaspect.inference.universal_encoder import dense_layers

if TYPE_CHECKING:
    from fewaspect.inference.encoder import TextEncoder
    from fewaspect.inference.universal_encoder import UniversalEncoder


class UniversalSentiment(PolarityModel):
    """`dense`: the dense layers of the encoder as they were published; `network`: two layers, by name; `attention`: how
    sharply names attend to tokens."""

    def __init__(
        self, dense: Mapping[str, np.ndarray], network: Mapping[str, np.ndarray], attention: float,
        temperature: float = 1.0, neutral_bias: float = 0.0, mixed_least: float = 0.3,
    ) -> None:  # fmt: skip
        super().__init__(temperature, neutral_bias, mixed_least)
        self.dense, self.attention = dense, attention
        self.network = {name: value.astype(np.float32) for name, value in network.items()}

    def logits(self, sentences: Sequence[States], labels: Sequence[States], rows: Sequence[int]) -> np.ndarray:
        return two_layers(pair_vectors(sentences, labels, rows, self.dense, self.attention), self.network)


def pair_vectors(
    sentences: Sequence[States], labels: Sequence[States], rows: Sequence[int], dense: Mapping[str, np.ndarray],
    attention: float,
) -> np.ndarray:  # fmt: skip
    """(pairs, 2 d): of each label what it attends to in its sentence, then the sentence, both as the encoder would give
    them of a text."""
    whole = [features.sum(axis=0) / np.sqrt(len(features)) for features, _ in sentences]
    attended = []
    for row, (_, label) in zip(rows, labels, strict=True):
        features, states = sentences[row]
        attended.append(attended_sum(features, unit(states) @ unit(label[None])[0] * attention))
    vectors = unit(dense_layers(np.stack([*attended, *whole]), dense))
    return np.concatenate([vectors[: len(attended)], vectors[len(attended) :][np.asarray(rows)]], axis=1)


def attended_sum(features: np.ndarray, logits: np.ndarray) -> np.ndarray:
    """(d,) of (T, d) features by (T,) logits, as long as the sum of so many tokens as are attended to."""
    weights = np.exp(logits - logits.max())
    weights /= weights.sum()
    return np.asarray(weights @ features / np.sqrt(np.square(weights).sum()))


def two_layers(vectors: np.ndarray, network: Mapping[str, np.ndarray]) -> np.ndarray:
    """(pairs, 3) logits."""
    hidden = np.maximum(vectors @ network["hidden.weight"] + network["hidden.bias"], 0)
    return np.asarray(hidden @ network["logits.weight"] + network["logits.bias"])


def load_universal_sentiment(
    path: Path, encoder: TextEncoder, attention: float, chosen: Mapping[str, float]
) -> UniversalSentiment:
    """`chosen`: temperature, bias of neutral, and from which probability on an answer is mixed."""
    network, _ = load_arrays(path)
    return UniversalSentiment(cast("UniversalEncoder", encoder).published_head, network, attention, **chosen)

"""The second graph of a model as it serves: how negative, neutral and positive sentences are about given labels."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from fewaspect.inference.encoder import open_session

INPUTS = ("label", "sentence", "label_mask", "sentence_mask")  # (B, L, d), (B, T, d), (B, L), (B, T)
LOGITS = "logits"  # (B, 3)
MOST_PLACES = 1024  # tokens at once, padding included: as much as stays in a core's own cache


class SentimentBranch:
    """Layers of their own above the lower layers of the encoder. Logits are divided by `temperature`, then
    `neutral_bias` is added to that of neutral. `mixed_least`: from which probability on of both negative and positive
    an answer is mixed."""

    def __init__(
        self, model: bytes | Path, temperature: float = 1.0, neutral_bias: float = 0.0, mixed_least: float = 0.3
    ) -> None:
        self.session = open_session(model)
        self.temperature, self.neutral_bias, self.mixed_least = temperature, neutral_bias, mixed_least

    def logits(self, labels: Sequence[np.ndarray], sentences: Sequence[np.ndarray]) -> np.ndarray:
        """(pairs, 3) of (L, d) and (T, d) states of each pair."""
        (label, label_mask), (sentence, sentence_mask) = padded_states(labels), padded_states(sentences)
        values = (label, sentence, label_mask, sentence_mask)
        (found,) = self.session.run([LOGITS], dict(zip(INPUTS, values, strict=True)))
        return np.asarray(found)

    def probabilities(self, labels: Sequence[np.ndarray], sentences: Sequence[np.ndarray]) -> np.ndarray:
        """(pairs, 3) of negative, neutral, positive; sentences of similar length waste little on padding."""
        found = [np.zeros((0, 3), dtype=np.float32)]
        longest = max(
            (len(label) + len(sentence) for label, sentence in zip(labels, sentences, strict=True)), default=1
        )
        step = max(1, MOST_PLACES // longest)
        for first in range(0, len(labels), step):
            found.append(self.logits(labels[first : first + step], sentences[first : first + step]))
        return calibrated_probabilities(np.concatenate(found), self.temperature, self.neutral_bias)


def calibrated_probabilities(logits: np.ndarray, temperature: float, neutral_bias: float) -> np.ndarray:
    """(pairs, 3)."""
    return softmax(logits / temperature + np.array([0.0, neutral_bias, 0.0]))


def softmax(logits: np.ndarray) -> np.ndarray:
    """Along the last axis, in double precision: the probabilities of a row sum to 1."""
    shares = np.exp(logits.astype(np.float64) - logits.max(axis=-1, keepdims=True, initial=-np.inf))
    return shares / shares.sum(axis=-1, keepdims=True)


def padded_states(states: Sequence[np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
    """(B, T, d) with zeros behind, and the (B, T) int32 mask."""
    lengths = np.array([len(own) for own in states])
    result = np.zeros((len(states), lengths.max(), states[0].shape[1]), dtype=np.float32)
    for row, own in enumerate(states):
        result[row, : len(own)] = own
    return result, (np.arange(lengths.max()) < lengths[:, None]).astype(np.int32)

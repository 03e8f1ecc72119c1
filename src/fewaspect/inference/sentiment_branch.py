"""The second graph of a model as it serves: how negative, neutral and positive sentences are about given labels."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from fewaspect.core.errors import CheckpointError
from fewaspect.core.forking import NO_FORK, cached_property
from fewaspect.inference.encoder import SENTIMENT, open_session

INPUTS = ("lower", "last", "mask", "label_lower", "label_last", "rows")  # (S, T, d) twice, (S, T), (P, d) twice, (P,)
LOGITS = "logits"  # (P, 3)
MOST_PLACES = 1024  # tokens at once, padding included: as much as stays in a core's own cache
States = tuple[np.ndarray, np.ndarray]  # of the encoder's lower layer and of its last one: (T, d) or, of a label, (d,)


class PolarityModel(ABC):
    """Logits are divided by `temperature`, then `neutral_bias` is added to that of neutral. `mixed_least`: from which
    probability on of both negative and positive an answer is mixed."""

    def __init__(self, temperature: float = 1.0, neutral_bias: float = 0.0, mixed_least: float = 0.3) -> None:
        self.temperature, self.neutral_bias, self.mixed_least = temperature, neutral_bias, mixed_least

    @abstractmethod
    def logits(self, sentences: Sequence[States], labels: Sequence[States], rows: Sequence[int]) -> np.ndarray:
        """(pairs, 3) of pairs of a label and the sentence whose number is given."""

    def probabilities(self, sentences: Sequence[States], labels: Sequence[States], rows: Sequence[int]) -> np.ndarray:
        """(pairs, 3) of negative, neutral, positive. `rows` ascend; sentences of similar length waste little on
        padding."""
        found = [np.zeros((0, 3), dtype=np.float32)]
        step = max(1, MOST_PLACES // max((len(lower) for lower, _ in sentences), default=1))
        for first in range(0, len(sentences), step):
            start, end = np.searchsorted(rows, [first, first + step])
            if start < end:
                own = [row - first for row in rows[start:end]]
                found.append(self.logits(sentences[first : first + step], labels[start:end], own))
        return calibrated_probabilities(np.concatenate(found), self.temperature, self.neutral_bias)

    def of_pairs(self, sentences: Sequence[States], labels: Sequence[States], pairs: np.ndarray) -> np.ndarray:
        """(P, 3) of (P, 2) numbers of a sentence and a label, by sentence; others than these are not read."""
        asked, rows = np.unique(pairs[:, 0], return_inverse=True)
        return self.probabilities([sentences[q] for q in asked], [labels[n] for n in pairs[:, 1]], rows.tolist())


class SentimentBranch(PolarityModel):
    """Layers of their own above the lower layers of the encoder."""

    def __init__(
        self, model: bytes | Path, temperature: float = 1.0, neutral_bias: float = 0.0, mixed_least: float = 0.3
    ) -> None:
        super().__init__(temperature, neutral_bias, mixed_least)
        self.model = model

    @cached_property
    def session(self) -> Any:
        """Opened when first asked: who does not want sentiment does not pay for it."""
        session = open_session(self.model)
        if (found := {own.name for own in session.get_inputs()}) != set(INPUTS):
            raise CheckpointError(
                f"{SENTIMENT}: expected a branch with the inputs {', '.join(INPUTS)}, "
                f"found {', '.join(sorted(found))}.\n"
                "It is of an earlier version; train it again: benchmarks/studies/sentiment_model.py."
            )
        return session

    def logits(self, sentences: Sequence[States], labels: Sequence[States], rows: Sequence[int]) -> np.ndarray:
        session, inputs = self.session, branch_inputs(sentences, labels, rows)
        with NO_FORK:
            (found,) = session.run([LOGITS], inputs)
        return np.asarray(found)


def branch_inputs(sentences: Sequence[States], labels: Sequence[States], rows: Sequence[int]) -> dict[str, np.ndarray]:
    """What the graph reads."""
    lower, last = zip(*sentences, strict=True)
    padded, mask = padded_states(lower)
    of_labels = (np.stack(part) for part in zip(*labels, strict=True))
    values = (padded, padded_states(last)[0], mask, *of_labels, np.asarray(rows, dtype=np.int32))
    return dict(zip(INPUTS, values, strict=True))


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

"""Which texts to label next: those the detector is unsure of, unlike the examples and unlike each other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from numbers import Integral

import numpy as np

from fewaspect.core.errors import ConfigError
from fewaspect.data.labels import shortened
from fewaspect.detector.fitting import FittedState
from fewaspect.detector.model import SentencePredictions
from fewaspect.text.identity import example_identity

UNSURE_SHARE = 0.6  # of a text's value; the rest is how new it is


@dataclass(frozen=True)
class Suggestion:
    """A text worth labelling, why, and where it stands among the texts given."""

    text: str
    why: str
    index: int


def suggest(
    state: FittedState, texts: Sequence[str], predictions: SentencePredictions, thresholds: np.ndarray, n: int
) -> list[Suggestion]:
    """The best `n`, chosen one by one: what resembles one that is chosen already loses value. Equal texts once."""
    if not isinstance(n, Integral) or n < 0:
        raise ConfigError(f"n: expected an integer from 0, found {n!r}.")
    candidates = _candidates(state, texts, predictions)
    if not candidates:
        return []
    probabilities = predictions.of_texts[candidates]  # (C, N)
    vectors = np.stack([_vector(predictions, index) for index in candidates])  # (C, d)
    unsure = uncertainty(probabilities, thresholds)  # (C, N)
    similar, nearest = _nearest_examples(state, vectors)
    value = UNSURE_SHARE * unsure.max(axis=1) + (1 - UNSURE_SHARE) * (1 - similar)
    chosen: list[int] = []
    taken = np.zeros(len(candidates))  # how similar the most similar chosen one is
    for _ in range(min(n, len(candidates))):
        left = value * (1 - taken)
        left[chosen] = -np.inf
        best = int(left.argmax())
        chosen.append(best)
        taken = np.maximum(taken, (vectors @ vectors[best]).clip(0, 1))
    return [
        Suggestion(
            texts[candidates[c]], _why(state, probabilities[c], unsure[c], thresholds, similar[c], nearest[c]),
            candidates[c],
        )
        for c in chosen
    ]  # fmt: skip


def uncertainty(probabilities: np.ndarray, thresholds: np.ndarray) -> np.ndarray:
    """(C, N) 1 at the threshold, falling to 0 at the probabilities 0 and 1."""
    room = np.where(probabilities < thresholds, thresholds, 1 - thresholds)
    return 1 - np.abs(probabilities - thresholds) / np.maximum(room, 1e-9)


def _candidates(state: FittedState, texts: Sequence[str], predictions: SentencePredictions) -> list[int]:
    """Texts with words, each once, that are no examples yet."""
    seen = {example_identity(text) for text in state.examples.texts}
    found = []
    for index, text in enumerate(texts):
        identity = example_identity(text)
        if identity not in seen and predictions.probabilities[predictions.rows[index]].any():
            seen.add(identity)
            found.append(index)
    return found


def _vector(predictions: SentencePredictions, index: int) -> np.ndarray:
    total = predictions.vectors[predictions.rows[index]].sum(axis=0)
    return total / max(float(np.linalg.norm(total)), 1e-9)


def _nearest_examples(state: FittedState, vectors: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(C,) cosine with the nearest example, from 0 to 1, and which one that is; -1 where there are no examples."""
    if not len(state.example_vectors):
        return np.zeros(len(vectors)), np.full(len(vectors), -1)
    similar = vectors @ state.example_vectors.T
    return similar.max(axis=1).clip(0, 1), similar.argmax(axis=1)


def _why(
    state: FittedState, probabilities: np.ndarray, unsure: np.ndarray, thresholds: np.ndarray, similar: float,
    nearest: int,
) -> str:  # fmt: skip
    names, n = state.examples.names, int(unsure.argmax())
    reasons = []
    if unsure[n] >= 0.5:
        reasons.append(f"unsure: {names[n]} {probabilities[n]:.2f}, threshold {thresholds[n]:.2f}")
    if nearest < 0:
        reasons.append("new: there are no examples yet")
    elif similar < 0.5 or not reasons:
        reasons.append(f"new: nearest is {shortened(state.examples.texts[nearest])} (similarity {similar:.2f})")
    return "; ".join(reasons)

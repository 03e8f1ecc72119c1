"""Which texts to label next: doubtful and new ones where many are alike, for aspects with few examples first."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from numbers import Integral

import numpy as np

from fewaspect.core.errors import ConfigError
from fewaspect.detector.fitting import FittedState
from fewaspect.detector.model import SentencePredictions
from fewaspect.inference.encoded import unit

UNSURE_SHARE = 0.6  # of a text's value; the rest is how new it is
NEED = 0.25  # doubt about an aspect with K examples counts (K + 1) ** -NEED
NEIGHBOURS = 20  # whose mean cosine is the density at a text
MOST_TEXTS = 2000  # among which neighbours are sought
ROWS = 1000  # texts compared with them at once
NEAR = 0.95  # cosine of texts that are nearly the same
ALIKE = 0.5  # cosine, without what all texts have in common, of texts that are called alike
# Share of the answers. Cautious: of 16 draws of the validation sets 4 fell below it within 300 labels, after 200 to
# 280, and the 20 to 100 labels after that added 0.2 to 2.0 of average precision.
SETTLED = 0.06
LAST = 20  # examples


@dataclass(frozen=True)
class Suggestion:
    """A text worth labelling, why, and where it stands among the texts given."""

    text: str
    why: str
    index: int


def suggest(
    state: FittedState, texts: Sequence[str], predictions: SentencePredictions, thresholds: np.ndarray, n: int,
    candidates: Sequence[int] | None = None,
) -> list[Suggestion]:  # fmt: skip
    """At most `n` of the `candidates` (numbers of texts; None: all), chosen one by one, the best first.

    The value of a text is how unsure and how new it is, times the density of the texts around it. What resembles one
    that is chosen already loses value, and is left out if it is nearly the same.
    """
    if not isinstance(n, Integral) or n < 0:
        raise ConfigError(f"n: expected an integer from 0, found {n!r}.")
    readable = [i for i, rows in enumerate(predictions.rows) if predictions.probabilities[rows].any()]
    allowed = set(range(len(texts)) if candidates is None else candidates)
    numbers = [i for i in readable if i in allowed]
    if not numbers or n == 0:
        return []
    vectors, sample = _vectors(predictions, numbers), readable[:: -(-len(readable) // MOST_TEXTS)]
    others = _vectors(predictions, sample)
    middle = others.mean(axis=0)
    centred, examples = unit(vectors - middle), unit(state.example_vectors - middle)
    density, alike = _neighbourhood(centred, unit(others - middle))
    likeness = (centred @ examples.T).max(axis=1, initial=0.0).clip(0, 1)  # (C,) with the nearest example
    probabilities, shots = predictions.of_texts[numbers], state.examples.membership.sum(axis=0)
    need = ((shots.min() + 1) / (shots + 1)) ** NEED  # (N,)
    doubts = uncertainty(probabilities, thresholds) * need  # (C, N)
    value = density * (UNSURE_SHARE * doubts.max(axis=1) + (1 - UNSURE_SHARE) * (1 - likeness))
    found = []
    for c in _spread(value, vectors, centred, n):
        most = int(doubts[c].argmax())
        examples = "1 example" if shots[most] == 1 else f"{shots[most]} examples"
        aspect = (
            f"{state.examples.names[most]} {probabilities[c, most]:.2f}, threshold {thresholds[most]:.2f}, {examples}"
        )
        why = _why(aspect, doubts[c, most] / need[most], int(alike[c]), float(likeness[c]))
        found.append(Suggestion(texts[numbers[c]], why, numbers[c]))
    return found


def uncertainty(probabilities: np.ndarray, thresholds: np.ndarray) -> np.ndarray:
    """(C, N) 1 at the threshold, falling to 0 at the probabilities 0 and 1."""
    room = np.where(probabilities < thresholds, thresholds, 1 - thresholds)
    return 1 - np.abs(probabilities - thresholds) / np.maximum(room, 1e-9)


def _spread(value: np.ndarray, vectors: np.ndarray, centred: np.ndarray, n: int) -> list[int]:
    """At most `n`, the best first; (C,) values fall with the likeness to one that is chosen."""
    chosen: list[int] = []
    left, taken = np.ones(len(value), dtype=bool), np.zeros(len(value))
    while len(chosen) < n and left.any():
        best = int(np.where(left, value * (1 - taken), -np.inf).argmax())
        chosen.append(best)
        taken = np.maximum(taken, (centred @ centred[best]).clip(0, 1))
        left &= vectors @ vectors[best] < NEAR
        left[best] = False
    return chosen


def _vectors(predictions: SentencePredictions, numbers: Sequence[int]) -> np.ndarray:
    """(numbers, d) unit vector of each text: the direction of the sum of its sentences."""
    return unit(np.stack([predictions.vectors[predictions.rows[i]].sum(axis=0) for i in numbers]))


def _neighbourhood(texts: np.ndarray, others: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(C,) mean cosine of each of (C, d) texts with the nearest of (M, d) others, and how many of these are alike."""
    density, alike = np.empty(len(texts)), np.empty(len(texts), dtype=int)
    rest = max(0, len(others) - NEIGHBOURS)
    for first in range(0, len(texts), ROWS):
        cosines = texts[first : first + ROWS] @ others.T
        alike[first : first + ROWS] = ((cosines >= ALIKE) & (cosines < 1 - 1e-4)).sum(axis=1)  # without itself
        density[first : first + ROWS] = np.partition(cosines, min(rest, len(others) - 1), axis=1)[:, rest:].mean(axis=1)
    return density.clip(0.05), alike


def _why(aspect: str, doubt: float, alike: int, likeness: float) -> str:
    """`aspect` says in words which one is most in doubt."""
    reasons = [f"unsure: {aspect}"] if doubt >= 0.5 else []
    if likeness < ALIKE:
        reasons.append("new: no example is like it")
    if alike:
        reasons.append(
            "typical: one other text is like it" if alike == 1 else f"typical: {alike} other texts are like it"
        )
    return "; ".join(reasons) or f"most in doubt is {aspect}"


@dataclass(frozen=True)
class Settling:
    """How many answers are others than before the `last` examples, and whether that is few."""

    changed: float  # share of the texts with an aspect, now or before
    last: int  # examples that made the change
    settled: bool


def settling(before: np.ndarray, now: np.ndarray, last: int, examples: int) -> Settling:
    """From (texts, N) decisions without the `last` of the `examples` and with them. Half of the examples and more are
    no last ones, and without an answer nothing can be said: then nothing has settled."""
    answered = (before | now).any(axis=1)
    changed = float((before != now).any(axis=1).sum() / max(1, answered.sum()))
    return Settling(changed, last, bool(answered.any()) and changed < SETTLED and 2 * last <= examples)

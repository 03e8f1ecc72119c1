"""Whether further labels still change answers: what the last ones have changed."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

SETTLED = 0.06  # share of the answers; chosen on validation sets: beyond it, 100 labels added 1.5 of AP at most
LAST = 20  # examples


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

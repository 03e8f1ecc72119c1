"""Whether further labels still change answers: what the last ones have changed."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

# Share of the answers. Cautious: of 16 draws of the validation sets 4 fell below it within 300 labels, after 200 to
# 280, and the 20 to 100 labels after that added 0.2 to 2.0 of average precision.
SETTLED = 0.06
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

"""Whether further labels still change answers: what the last ones have changed."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

SETTLED = 0.03  # share of texts; below it the answers have settled
LAST = 20  # examples


@dataclass(frozen=True)
class Settling:
    """How many of the texts are answered otherwise than before the `last` examples, and whether that is few."""

    changed: float  # share of the texts
    last: int  # examples that made the change
    settled: bool


def settling(before: np.ndarray, now: np.ndarray, last: int, examples: int) -> Settling:
    """From (texts, N) decisions without the `last` of the `examples` and with them. Half of the examples and more are
    no last ones: then nothing has settled."""
    changed = float((before != now).any(axis=1).mean()) if len(now) else 1.0
    return Settling(changed, last, changed < SETTLED and 2 * last <= examples)

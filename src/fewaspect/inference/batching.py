"""Batches of sentences of similar length, so that little is computed on padding."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np


def length_batches(lengths: Sequence[int] | np.ndarray, tokens: int) -> list[np.ndarray]:
    """Indices grouped longest first, so that each padded batch holds at most `tokens` places (one sentence at least).

    Longest first: if memory does not suffice, it shows in the first batch and not in the last.
    """
    order = np.argsort(-np.asarray(lengths), kind="stable")
    batches, start = [], 0
    while start < len(order):
        longest = max(1, int(lengths[order[start]]))
        count = max(1, tokens // longest)
        batches.append(order[start : start + count])
        start += count
    return batches

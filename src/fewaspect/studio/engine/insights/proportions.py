"""Shares with intervals, and whether two of them differ by more than chance."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import NormalDist

import numpy as np

LEVEL = 0.05  # how often chance may be taken for a difference
Z = NormalDist().inv_cdf(1 - LEVEL / 2)
Counts = np.ndarray | Sequence[int] | int
Interval = tuple[np.ndarray, np.ndarray]  # low, high


def wilson(found: Counts, total: Counts, z: float | np.ndarray = Z) -> Interval:
    """The score interval of a share (Wilson, 1927); 0 to 1 where the total is 0."""
    n = np.maximum(total, 1)
    share, spread = np.asarray(found) / n, np.square(z) / n
    middle = (share + spread / 2) / (1 + spread)
    half = z * np.sqrt(share * (1 - share) / n + spread / (4 * n)) / (1 + spread)
    known = np.asarray(total) > 0
    return np.where(known, np.clip(middle - half, 0, share), 0.0), np.where(
        known, np.clip(middle + half, share, 1), 1.0
    )


def difference(found: Counts, total: Counts, others: Counts, of: Counts, z: float | np.ndarray = Z) -> Interval:
    """The interval of found / total - others / of, from those of the two shares (Newcombe, 1998, method 10)."""
    one, other = np.asarray(found) / np.maximum(total, 1), np.asarray(others) / np.maximum(of, 1)
    (low, high), (other_low, other_high) = wilson(found, total, z), wilson(others, of, z)
    down, up = np.hypot(one - low, other_high - other), np.hypot(high - one, other - other_low)
    return one - other - down, one - other + up


def p_values(found: Counts, total: Counts, others: Counts, of: Counts) -> np.ndarray:
    """(N,) 1 less the highest confidence at which the interval of the difference leaves out 0."""
    found, others = np.asarray(found), np.asarray(others)
    low_z, high_z = np.zeros(len(found)), np.full(len(found), 50.0)
    for _ in range(60):  # the interval widens with z
        z = (low_z + high_z) / 2
        low, high = difference(found, total, others, of, z)
        differs = (low > 0) | (high < 0)
        low_z, high_z = np.where(differs, z, low_z), np.where(differs, high_z, z)
    return np.array([2 * NormalDist().cdf(-z) for z in low_z])


def beyond_chance(p: np.ndarray, level: float = LEVEL) -> np.ndarray:
    """(N,) booleans, of which one is wrong in at most `level` of the cases, however many are compared (Holm, 1979)."""
    order = np.argsort(p, kind="stable")
    passed = np.minimum.accumulate(p[order] <= level / np.arange(len(p), 0, -1)) if len(p) else np.zeros(0, bool)
    found = np.zeros(len(p), dtype=bool)
    found[order] = passed
    return found

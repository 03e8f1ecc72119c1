"""What a user's own examples say of the probabilities: each is compared as if it had not been given.

How much sentences of an aspect have in common differs between users: "food" takes in far more than "parking". Where
examples that are left out come off too low or too high, so would other sentences, and all probabilities are shifted.
"""

from __future__ import annotations

import math

import numpy as np

from fewaspect.detector.looking import Aspects, Known, Looking, Parts
from fewaspect.detector.presence import Presence, features

NONE = 0.35  # share of sentences without an aspect where probabilities were learned: `benchmarks/product.py`
MOST_ROWS = 128  # examples that are asked
STEPS = 50  # of Newton's method, at most


def with_shift(looking: Looking, presence: Presence, known: Known, aspects: Aspects) -> Aspects:
    """The aspects, with what must be added to their logits to make the labels of the examples most probable."""
    counting = np.flatnonzero(known.membership.any(axis=1) | (known.none > 0))
    rows = counting[np.linspace(0, len(counting) - 1, min(MOST_ROWS, len(counting))).astype(int)]
    own = known.membership[rows]  # (rows, N) how much each counts for an aspect
    if not own.any():
        return aspects
    whole, seen, apart = (part[rows] for part in aspects.left_out)
    if np.isnan(apart).any():
        given = looking.parts(aspects._replace(words=None), known.examples.take(rows))
        seen, apart = np.where(np.isnan(seen), given.seen, seen), np.where(np.isnan(apart), given.apart, apart)
    parts = Parts(whole, seen, apart, None)  # without words: an example's own would say too much
    logits = presence.logits(features(parts, looking.together(parts), aspects.shots - own))
    some = own.any(axis=1)
    weights = np.where(some, own.max(axis=1), known.none[rows])  # the pieces of a long text count as one together
    never_empty = math.log(weights[some].sum() / weights.sum() / (1 - NONE))  # examples have an aspect more often
    return aspects._replace(shift=best_shift(logits + never_empty, own > 0, weights[:, None]))


def best_shift(logits: np.ndarray, truth: np.ndarray, weights: np.ndarray) -> float:
    """The most probable one, if without any examples it is normally distributed around 0 with a deviation of 1."""
    shift = 0.0
    for _ in range(STEPS):
        p = 1 / (1 + np.exp(-(logits + shift)))
        slope, bend = (weights * (truth - p)).sum() - shift, (weights * p * (1 - p)).sum() + 1
        step = float(np.clip(slope / bend, -1, 1))
        shift += step
        if abs(step) < 1e-6:
            break
    return shift

"""What a user's own examples say of the probabilities: each is compared as if it had not been given.

How much sentences of an aspect have in common differs between users: "food" takes in far more than "parking". Where
examples that are left out come off too low or too high, so would other sentences: all probabilities are shifted.
"""

from __future__ import annotations

import math

import numpy as np

from fewaspect.detector.calibration import ProbabilityModel, features
from fewaspect.detector.scoring import TOKENS_AT_ONCE, Aspects, LPNPlusScorer, Parts, SupportSet, against
from fewaspect.inference.batching import length_batches

NONE = 0.35  # share of sentences without an aspect in calibration: `benchmarks/studies/shipped_model.py`
MOST_ROWS = 128  # examples that are asked
STEPS = 50  # of Newton's method, at most


def with_shift(
    looking: LPNPlusScorer, presence: ProbabilityModel, known: SupportSet, aspects: Aspects, left_out: Parts
) -> Aspects:
    """The aspects, with what must be added to their logits to make the labels of the examples most probable.

    An aspect alone has something to be told apart from only if there are examples of none.
    """
    rows = asked(known)
    own = known.membership[rows]  # (rows, N) how much each counts for an aspect
    if not own.any() or (own.shape[1] == 1 and not known.none.any()):
        return aspects
    whole, seen, apart = (part[rows] for part in left_out[:3])
    parts = Parts(whole, seen, apart, None)  # without words: an example's own would say too much
    fill_in(parts, looking, known, aspects, rows)
    logits = presence.logits(features(parts, looking.together(parts), aspects.shots - own))
    with_any, without = known.membership.max(axis=1).sum(), known.none.sum()
    share = max(with_any / (with_any + without), 1 - NONE)  # of examples with an aspect; NONE of them at most have none
    some, none = own.max(axis=1), known.none[rows]  # the pieces of a long text count as one together
    none = none * some.sum() * (1 / share - 1) / max(none.sum(), 1e-9)
    taken = (own > 0) | (against(known.same, known.membership, known.none)[rows] > 0)  # not if its twin has the aspect
    taken &= ~((own > 0) & known.nameless & (aspects.shots - own < 1e-3))  # without its only example, nothing is left
    logits = logits + math.log(share / (1 - NONE))  # examples have an aspect more often than sentences do
    return aspects._replace(shift=best_shift(logits, own > 0, (some + none)[:, None] * taken))


def asked(known: SupportSet) -> np.ndarray:
    """Examples that count, not too many; some of none among them, if there are. Which ones depends on their words
    alone, not on their order."""
    some, none = (
        rows[np.argsort(known.same[rows], kind="stable")]
        for rows in (np.flatnonzero(known.membership.any(axis=1)), np.flatnonzero(known.none > 0))
    )
    none = none[: max(round(NONE * MOST_ROWS), MOST_ROWS - len(some))]
    return np.concatenate([some[: MOST_ROWS - len(none)], none])


def fill_in(parts: Parts, looking: LPNPlusScorer, known: SupportSet, aspects: Aspects, rows: np.ndarray) -> None:
    """Compare examples with aspects that were learned without them, as any sentence."""
    missing = np.flatnonzero(np.isnan(parts.apart).any(axis=1))
    for batch in length_batches(known.examples.lengths[rows[missing]], TOKENS_AT_ONCE):
        some = missing[batch]
        found = looking.parts(aspects._replace(words=None), known.examples.take(rows[some]))
        for part, here in zip(parts[:3], found[:3], strict=True):
            part[some] = np.where(np.isnan(part[some]), here, part[some])


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

"""How often answers are right, from a few labels: the probabilities recalibrated, with how sure that is.

The share of sentences that have an aspect is a logistic curve over the logit of its probability, with a level, a slope
and a step at the threshold of its own. The curves of all aspects vary around a common one (a hierarchical model), so
that aspects with few labels learn from the others. Which sentences were labelled may depend on the probabilities, in
whatever way: given them, it says nothing of the truth. The posterior is computed on a grid, without any other library.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

LEVELS, SLOPES, STEPS = np.linspace(-4, 4, 41), np.linspace(0.2, 2.0, 13), np.linspace(-1.2, 1.2, 7)
COMMON_LEVELS, COMMON_SLOPES = np.linspace(-3, 3, 25), np.linspace(0.4, 1.6, 7)
LEVEL_SPREAD, SLOPE_SPREAD, STEP_SPREAD = 1.2, 0.4, 0.8  # of an aspect's curve around the common one
COMMON_LEVEL_SPREAD, COMMON_SLOPE_SPREAD = 1.0, 0.3  # of the common one around "as probable as it says"
BINS = np.linspace(-10, 10, 41)  # of logits
DRAWS = 1000
_LARGEST = 9.9  # logit


@dataclass(frozen=True, eq=False)
class Population:
    """How the probabilities of one aspect are spread over all sentences: numbers and sums of logits in each bin, of
    sentences for which it is not answered and for which it is."""

    counts: np.ndarray  # (2, bins)
    sums: np.ndarray  # (2, bins)

    @classmethod
    def of(cls, logits: np.ndarray, answered: np.ndarray) -> Population:
        """From (P,) logits and booleans."""
        counts, sums = np.zeros((2, 2, len(BINS) - 1))
        for side in (0, 1):
            own = logits[answered == side]
            counts[side], sums[side] = np.histogram(own, BINS)[0], np.histogram(own, BINS, weights=own)[0]
        return cls(counts, sums)

    @property
    def answered(self) -> int:
        return int(self.counts[1].sum())

    def without(self, other: Population) -> Population:
        """Without sentences that are among them."""
        return Population(self.counts - other.counts, self.sums - other.sums)

    def true_counts(self, curves: np.ndarray, rng: np.random.Generator, share: float = 1.0) -> np.ndarray:
        """(2, draws) how many of a `share` of them have the aspect, drawn by (3, draws) curves."""
        found = []
        for side, (counts, sums) in enumerate(zip(self.counts, self.sums, strict=True)):
            filled = counts > 0.5
            chances = curve_values(curves, sums[filled] / counts[filled], np.full(filled.sum(), side))
            found.append(rng.binomial(np.rint(share * counts[filled]).astype(int), chances).sum(axis=1))
        return np.stack(found)


def to_logits(probabilities: np.ndarray) -> np.ndarray:
    """Within the bins, also of the probabilities 0 and 1."""
    clipped = np.clip(probabilities, 1e-9, 1 - 1e-9)
    return np.clip(np.log(clipped / (1 - clipped)), -_LARGEST, _LARGEST)


def curve_values(curves: np.ndarray, logits: np.ndarray, answered: np.ndarray) -> np.ndarray:
    """(curves, n) chances of sentences with (n,) logits to have the aspect, by curves (3, curves)."""
    level, slope, step = curves[:, :, None]
    values: np.ndarray = 1 / (1 + np.exp(-(level + slope * logits + step * (answered - 0.5))))
    return values


def posterior_curves(
    logits: np.ndarray, answered: np.ndarray, truth: np.ndarray, rng: np.random.Generator, power: float = 1.0
) -> np.ndarray:
    """(N, 3, draws) curves of each aspect given (n, N) labels; draws with the same number share a common curve.

    `power` is how many times as many labels there are taken to be.
    """
    grid, common, kernel = _grids()
    likelihoods = np.stack([_likelihood(grid, *columns) for columns in zip(logits.T, answered.T, truth.T, strict=True)])
    likelihoods **= power  # (N, grid)
    log = np.log(likelihoods @ kernel.T + 1e-300).sum(axis=0)  # (common,)
    log += -0.5 * (common[0] / COMMON_LEVEL_SPREAD) ** 2 - 0.5 * ((common[1] - 1) / COMMON_SLOPE_SPREAD) ** 2
    weights = np.exp(log - log.max())
    drawn, times = np.unique(rng.choice(len(weights), DRAWS, p=weights / weights.sum()), return_counts=True)
    curves = np.empty((len(likelihoods), DRAWS), dtype=int)
    for n, likelihood in enumerate(likelihoods):
        own = kernel[drawn] * likelihood  # (drawn, grid)
        cumulative = np.cumsum(own / own.sum(axis=1, keepdims=True), axis=1)
        places = (np.searchsorted(row, rng.random(k)) for row, k in zip(cumulative, times, strict=True))
        curves[n] = np.minimum(np.concatenate(list(places)), grid.shape[1] - 1)
    return np.moveaxis(grid[:, curves], 0, 1)


def _likelihood(grid: np.ndarray, logits: np.ndarray, answered: np.ndarray, truth: np.ndarray) -> np.ndarray:
    """(grid,) of (n,) labels of one aspect, 1 for the likeliest curve."""
    sign = np.where(truth, 1.0, -1.0)
    rows = np.stack([sign, sign * logits, sign * (answered - 0.5)])  # (3, n)
    log = -np.log1p(np.exp(-(grid.T @ rows))).sum(axis=1)
    likelihood: np.ndarray = np.exp(log - log.max())
    return likelihood


@lru_cache(maxsize=1)
def _grids() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """(3, grid) curves, (2, common) levels and slopes of the common one, (common, grid) the first given the second."""
    grid = np.stack([part.ravel() for part in np.meshgrid(LEVELS, SLOPES, STEPS, indexing="ij")])
    common = np.stack([part.ravel() for part in np.meshgrid(COMMON_LEVELS, COMMON_SLOPES, indexing="ij")])
    away = ((grid[0] - common[0][:, None]) / LEVEL_SPREAD) ** 2 + ((grid[1] - common[1][:, None]) / SLOPE_SPREAD) ** 2
    kernel = np.exp(-0.5 * (away + (grid[2] / STEP_SPREAD) ** 2))
    return grid, common, kernel / kernel.sum(axis=1, keepdims=True)

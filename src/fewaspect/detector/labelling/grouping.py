"""Groups of alike sentences, by k-means over centred sentence vectors."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from fewaspect.core.extras import require
from fewaspect.inference.encoded import unit
from fewaspect.inference.encoder import ONE_THREAD

FEWEST_MEMBERS = 5
OUTLIERS = 0.4  # of the sentences: those least like their centre belong to no group; docs/results/discovery.md
SAME_CENTRE = 0.7  # cosine from which two groups are one
SAME_SENTENCE = 0.9  # cosine from which two sentences say the same
STARTS = 10


def group_sentences(vectors: np.ndarray, weights: np.ndarray, n: int) -> tuple[np.ndarray, np.ndarray]:
    """Up to `n` groups, the largest first, of (S, d) unit vectors: (S,) the group of each, -1 for none; (G, d) centres.

    `weights`, (S,), say how much a sentence moves the centre of its group.
    """
    cluster = require("sklearn.cluster", "discover", "Discovery")
    count = min(n, len(vectors) // (2 * FEWEST_MEMBERS))  # about half of a cluster stays in its group
    if count < 1:
        return np.full(len(vectors), -1), np.zeros((0, vectors.shape[1]), dtype=np.float32)
    with ONE_THREAD:
        fitted = cluster.KMeans(count, n_init=STARTS, random_state=0).fit(vectors, sample_weight=weights)
    centres = _merged(unit(fitted.cluster_centers_), np.bincount(fitted.labels_, minlength=count))
    similar = vectors @ centres.T  # (S, G)
    nearest, closeness = similar.argmax(axis=1), similar.max(axis=1)
    inside = closeness >= np.quantile(closeness, OUTLIERS)
    sizes = np.bincount(nearest[inside], minlength=len(centres))
    order = [int(g) for g in np.argsort(-sizes, kind="stable") if sizes[g] >= FEWEST_MEMBERS]
    groups = np.full(len(vectors), -1)
    for number, g in enumerate(order):
        groups[inside & (nearest == g)] = number
    return groups, centres[order]


def most_typical(vectors: np.ndarray, centre: np.ndarray, candidates: Sequence[int], count: int) -> list[int]:
    """Up to `count` of the candidates, the nearest to the centre first, no two of which say the same."""
    chosen: list[int] = []
    for row in sorted(candidates, key=lambda row: (-float(vectors[row] @ centre), row)):
        if len(chosen) == count:
            break
        if not chosen or float((vectors[chosen] @ vectors[row]).max()) < SAME_SENTENCE:
            chosen.append(row)
    return chosen


def _merged(centres: np.ndarray, sizes: np.ndarray) -> np.ndarray:
    """Centres of which no two are the same: the nearest two become one until they are far enough apart."""
    left, weights = list(centres), sizes.tolist()
    while len(left) > 1:
        similar = np.array(left) @ np.array(left).T - 2 * np.eye(len(left))
        first, second = np.unravel_index(similar.argmax(), similar.shape)
        if similar[first, second] < SAME_CENTRE:
            break
        first, second = sorted((int(first), int(second)))
        left[first] = unit(weights[first] * left[first] + weights[second] * left[second])
        weights[first] += weights[second]
        del left[second], weights[second]
    return np.array(left, dtype=np.float32)

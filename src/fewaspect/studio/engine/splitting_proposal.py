"""Which examples of an aspect might be another aspect: two groups by how alike they are."""

from __future__ import annotations

from collections.abc import Collection

import numpy as np

from fewaspect.inference.encoded import unit
from fewaspect.studio.engine.snapshot import Snapshot
from fewaspect.studio.store.definition import Example

ROUNDS = 20


def propose_split(snapshot: Snapshot, aspect: int, like: Collection[int] = ()) -> list[tuple[Example, bool]]:
    """The examples of an aspect and whether each might go to a new one, those first; with those in `like`, if given."""
    own = [example for example in snapshot.definition.examples if aspect in example.aspects]
    if snapshot.detector is None or len(own) < 2:
        return [(example, False) for example in own]
    chosen = np.array([example.id in like for example in own])
    apart = two_groups(snapshot.detector.embed([example.text for example in own]), chosen)
    return sorted(zip(own, apart.tolist(), strict=True), key=lambda pair: not pair[1])


def two_groups(vectors: np.ndarray, chosen: np.ndarray) -> np.ndarray:
    """(S,) whether each of the (S, d) unit vectors is in the second group, which holds the (S,) `chosen` ones.

    Spherical k-means with two centres. Without chosen ones it begins with the two that are least alike, and the
    smaller group is the second.
    """
    second = chosen.copy()
    if not chosen.any():
        similar = vectors @ vectors.T
        first, other = np.unravel_index(similar.argmin(), similar.shape)
        second = similar[other] > similar[first]
    for _ in range(ROUNDS):
        if second.all() or not second.any():
            break
        centres = unit(np.stack([vectors[~second].mean(axis=0), vectors[second].mean(axis=0)]))  # (2, d)
        closeness = vectors @ centres.T
        after = (closeness[:, 1] > closeness[:, 0]) | chosen
        if np.array_equal(after, second):
            break
        second = after
    if chosen.any():
        return second
    return ~second if 2 * second.sum() > len(second) else second

"""Distances between queries and prototypes."""

from __future__ import annotations

from torch import Tensor


def squared_distances(queries: Tensor, prototypes: Tensor) -> Tensor:
    """(Q, d) and (N, d) to (Q, N) squared Euclidean distances, never negative."""
    squares = queries.square().sum(-1, keepdim=True) + prototypes.square().sum(-1) - 2 * queries @ prototypes.T
    return squares.clamp_min(0.0)

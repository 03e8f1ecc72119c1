"""Class prototypes from support sentences and a membership matrix, and distances to them."""

from __future__ import annotations

import torch
from torch import Tensor

from fewaspect.modules.pooling import masked_softmax


def class_means(vectors: Tensor, membership: Tensor) -> Tensor:
    """(S, d) vectors and (S, N) memberships to (N, d) weighted means; a class without support is the zero vector."""
    weights = membership / membership.sum(dim=0).clamp_min(torch.finfo(membership.dtype).tiny)
    return weights.T @ vectors


def shot_weights(alpha: Tensor, membership: Tensor) -> Tensor:
    """beta, (S, N): softmax of alpha over the shots of each class (paper, eq. 6); a membership of 2 is two shots."""
    logits = alpha + membership.clamp_min(torch.finfo(alpha.dtype).tiny).log()
    return masked_softmax(logits.T, membership.T > 0).T


def label_enhanced_prototypes(vectors: Tensor, alpha: Tensor, membership: Tensor) -> Tensor:
    """p, (N, d): sum over the shots of beta o (paper, eq. 7), from (S, d), (S, N) and (S, N)."""
    return shot_weights(alpha, membership).T @ vectors


def shots(membership: Tensor) -> tuple[Tensor, Tensor]:
    """Sentence and class of each shot, (shots,) each, ordered by class; a membership of 2 is two shots."""
    if not torch.equal(membership, membership.round()):
        raise ValueError("memberships must be integer numbers of shots here, found fractions")
    classes, sentences = membership.T.nonzero(as_tuple=True)
    times = membership[sentences, classes].long()
    return sentences.repeat_interleave(times), classes.repeat_interleave(times)


def squared_distances(queries: Tensor, prototypes: Tensor) -> Tensor:
    """(Q, d) and (N, d) to (Q, N) squared Euclidean distances, never negative."""
    squares = queries.square().sum(-1, keepdim=True) + prototypes.square().sum(-1) - 2 * queries @ prototypes.T
    return squares.clamp_min(0.0)

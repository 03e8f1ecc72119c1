"""The three losses of the paper."""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor


def class_cross_entropy(logits: Tensor, labels: Tensor, *, mean_over_classes: bool = False) -> Tensor:
    """L_lepn (paper, eq. 9): mean over queries of -sum_i y_i log p_i, from (Q, N) each; the authors divide by N."""
    per_query = -(torch.log_softmax(logits, dim=-1) * labels).sum(dim=-1)  # (Q,)
    mean = per_query.sum() / max(1, len(per_query))  # 0 without queries
    return mean / logits.shape[-1] if mean_over_classes else mean


def supervised_contrastive(
    z: Tensor, classes: Tensor, temperature: float = 0.1, *, normalise: bool = False, positives_plus_one: bool = False
) -> Tensor:
    """L_scl (paper, eqs. 12-13) over the label-specific embeddings whose label is 1, (I, d), and their classes, (I,).

    Positives share the class. An anchor without a positive contributes 0 and counts in the mean, as |I| in the paper.
    """
    if len(z) < 2:
        return z.sum() * 0.0
    if normalise:
        z = F.normalize(z, dim=-1)
    itself = torch.eye(len(z), dtype=torch.bool, device=z.device)
    positive = (classes[:, None] == classes[None, :]) & ~itself
    log_share = torch.log_softmax((z @ z.T / temperature).masked_fill(itself, float("-inf")), dim=-1)  # (I, I)
    total = torch.where(positive, log_share, 0.0).sum(dim=-1)
    count = positive.sum(dim=-1) + int(positives_plus_one)
    return -(total / count.clamp_min(1)).mean()


def count_cross_entropy(count_logits: Tensor, counts: Tensor) -> Tensor:
    """L_count (paper, eq. 16), from (B, counts) logits and (B,) counts.

    Counts above the head's largest are clamped to it; sentences with none of the classes are left out.
    """
    some = counts > 0
    if not some.any():
        return count_logits.sum() * 0.0
    target = counts[some].clamp_max(count_logits.shape[-1]) - 1
    return F.cross_entropy(count_logits[some], target)

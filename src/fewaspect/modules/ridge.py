"""A linear classifier for each class in closed form."""

from __future__ import annotations

import torch
from torch import Tensor


def ridge_directions(examples: Tensor, own: Tensor, others: Tensor, strength: float) -> Tensor:
    """(N, d) the direction of each class that answers 1 to its own examples and 0 to the others, by ridge regression.

    Each class has its own view of the M examples, (N, M, d). `own` and `others`, (N, M), say how much each of them
    counts for and against the class; then both sides are made to weigh the same in all, however few there are.
    Solved in the space of examples, where M is below d, as in an episode; else in that of features.
    """
    total = own.sum(1, keepdim=True) + others.sum(1, keepdim=True)
    for_it = own * total / (2 * own.sum(1, keepdim=True).clamp(min=1e-9))
    against = others * total / (2 * others.sum(1, keepdim=True).clamp(min=1e-9))
    root = (for_it + against).sqrt()  # (N, M)
    X = root[..., None] * examples
    y = torch.where(own > 0, root, 0.0)
    smaller = min(X.shape[1:])
    held = strength * torch.eye(smaller, dtype=X.dtype, device=X.device)
    if smaller < X.shape[1]:
        return torch.linalg.solve(X.transpose(1, 2) @ X + held, (y[:, None, :] @ X).squeeze(1))
    kernel = X @ X.transpose(1, 2) + held
    return (torch.linalg.solve(kernel, y)[:, None, :] @ X).squeeze(1)

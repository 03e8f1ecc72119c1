"""A linear classifier for each class in closed form."""

from __future__ import annotations

import torch
from torch import Tensor


def ridge_directions(examples: Tensor, carried: Tensor, strength: float) -> Tensor:
    """(N, d) the direction of each class that answers 1 to its examples and 0 to the others, by ridge regression.

    Each class has its own view of the M examples, (N, M, d); `carried` (N, M) says which of them are its own. Those
    and the others weigh the same in all, however few there are. Solved in the space of examples: M is far below d.
    """
    own = carried.to(examples)
    M = own.shape[1]
    weights = torch.where(own > 0, M / (2 * own.sum(1, keepdim=True)), M / (2 * (1 - own).sum(1, keepdim=True)))
    kernel = examples @ examples.transpose(1, 2) + strength * torch.diag_embed(1 / weights)  # (N, M, M)
    return (own[:, None, :] @ torch.linalg.solve(kernel, examples)).squeeze(1)

"""Low-rank bilinear relevance of a support sentence to a label."""

from __future__ import annotations

from torch import Tensor, nn


class LowRankBilinear(nn.Module):
    """alpha = 1^T (U^T o * V^T e) for every sentence and every label (paper, eq. 5).

    The authors' code adds biases to U and V, and drops out the sentence vector and the products before they are summed.
    """

    def __init__(self, width: int, rank: int = 100, dropout: float = 0.0, *, bias: bool = False) -> None:
        super().__init__()
        self.U = nn.Linear(width, rank, bias=bias)
        self.V = nn.Linear(width, rank, bias=bias)
        self.dropout = nn.Dropout(dropout)

    def forward(self, sentences: Tensor, labels: Tensor) -> Tensor:
        """(S, d) sentences and (N, d) labels to (S, N)."""
        left, right = self.U(self.dropout(sentences)), self.V(labels)
        if self.training and self.dropout.p > 0:
            return self.dropout(left[:, None] * right).sum(dim=-1)
        return left @ right.T

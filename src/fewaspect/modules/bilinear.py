"""Low-rank bilinear relevance of a support sentence to a label."""

from __future__ import annotations

from torch import Tensor, nn


class LowRankBilinear(nn.Module):
    """alpha = 1^T (U^T o * V^T e) for every sentence and every label (paper, eq. 5)."""

    def __init__(self, width: int, rank: int = 100, dropout: float = 0.0) -> None:
        super().__init__()
        self.U = nn.Linear(width, rank, bias=False)
        self.V = nn.Linear(width, rank, bias=False)
        self.dropout = nn.Dropout(dropout)

    def forward(self, sentences: Tensor, labels: Tensor) -> Tensor:
        """(S, d) sentences and (N, d) labels to (S, N)."""
        return self.dropout(self.U(sentences)) @ self.dropout(self.V(labels)).T

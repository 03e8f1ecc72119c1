"""Label-specific sentence embeddings."""

from __future__ import annotations

import math

import torch
from torch import Tensor, nn

from fewaspect.modules.pooling import masked_softmax


class LabelAttention(nn.Module):
    """Label-specific embeddings (paper, eqs. 10-11): g = softmax((Wa [p; e] + ba)^T H), z = g H^T.

    With start `blend`, the attention query is initialised to a weighted mean of prototype and label text; `random` is
    the paper's. The authors' code divides by sqrt(d) (`scaled`) and drops out z.
    """

    def __init__(
        self, width: int, *, start: str = "random", blend: float = 0.73, scaled: bool = False,
        dropout: float = 0.0,
    ) -> None:  # fmt: skip
        super().__init__()
        self.Wa = nn.Linear(2 * width, width)
        self.divisor = math.sqrt(width) if scaled else 1.0
        self.dropout = nn.Dropout(dropout)
        if start == "blend":
            with torch.no_grad():
                self.Wa.weight.copy_(torch.cat([blend * torch.eye(width), (1 - blend) * torch.eye(width)], 1))
                self.Wa.bias.zero_()

    def attention(self, prototypes: Tensor, labels: Tensor, H: Tensor, mask: Tensor) -> Tensor:
        """g, (B, N, T): attention of each class to each token, from (N, d), (N, d), (B, T, d) and (B, T)."""
        queries = self.Wa(torch.cat([prototypes, labels], dim=-1))  # (N, d)
        return masked_softmax(queries @ H.transpose(1, 2) / self.divisor, mask[:, None, :])

    def forward(self, prototypes: Tensor, labels: Tensor, H: Tensor, mask: Tensor) -> Tensor:
        """z, (B, N, d)."""
        return self.dropout(self.attention(prototypes, labels, H, mask) @ H)

"""Sentence vectors from token states."""

from __future__ import annotations

import torch
from torch import Tensor, nn


def masked_softmax(logits: Tensor, mask: Tensor) -> Tensor:
    """Softmax over the last dimension with zero weight where `mask` is false; all zeros where a row is all masked."""
    # The smallest finite number instead of -inf: a row of -inf would be NaN, and make all gradients NaN.
    weights = torch.softmax(logits.masked_fill(~mask, torch.finfo(logits.dtype).min), dim=-1)
    return torch.where(mask, weights, 0.0)


def mean_pooled(values: Tensor, lengths: Tensor) -> Tensor:
    """(tokens, d) packed states and (B,) lengths to the mean of each sentence's tokens, (B, d)."""
    sentence = torch.repeat_interleave(torch.arange(len(lengths), device=lengths.device), lengths)
    sums = values.new_zeros(len(lengths), values.shape[1]).index_add(0, sentence, values)
    return sums / lengths.clamp_min(1)[:, None]


class SelfAttentivePooling(nn.Module):
    """Sentence vector from R attention heads over its tokens (paper, eqs. 1-3). Padding gets no weight.

    With start `mean`, the untrained module is mean pooling, the pretrained sentence embedding; `random` is the paper's.
    The authors' code draws F2 from a unit normal (`normal`), has biases in F1 and F3 (`bias`) and a ReLU before F3.
    """

    def __init__(
        self, width: int, hidden: int = 256, heads: int = 4, *, start: str = "random", relu: bool = False,
        bias: bool = False,
    ) -> None:  # fmt: skip
        super().__init__()
        self.F1 = nn.Linear(width, hidden, bias=bias)
        self.F2 = nn.Linear(hidden, heads, bias=False)
        self.F3 = nn.Linear(heads * width, width, bias=bias)
        self.relu = relu
        if start == "normal":
            nn.init.normal_(self.F2.weight)
        if start == "mean":
            nn.init.zeros_(self.F2.weight)
            with torch.no_grad():
                self.F3.weight.copy_(torch.eye(width).repeat(1, heads) / heads)

    def attention(self, H: Tensor, mask: Tensor) -> Tensor:
        """(B, R, T) weight of each token in each head."""
        return masked_softmax(self.F2(torch.tanh(self.F1(H))).transpose(1, 2), mask[:, None, :])

    def token_shares(self, H: Tensor, mask: Tensor, directions: Tensor) -> Tensor:
        """(B, N, T) each token's term in the dot products of the sentence vector with N directions, (N, d); no ReLU."""
        N, heads = len(directions), self.F2.out_features
        per_head = (directions @ self.F3.weight).view(N, heads, -1)  # (N, R, d)
        return torch.einsum("brt,btd,nrd->bnt", self.attention(H, mask), H, per_head)

    def forward(self, H: Tensor, mask: Tensor) -> Tensor:
        """(B, T, d) states and (B, T) mask to (B, d)."""
        heads = (self.attention(H, mask) @ H).flatten(1)  # (B, R d)
        return self.F3(torch.relu(heads) if self.relu else heads)

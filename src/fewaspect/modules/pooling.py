"""Sentence vectors from token states."""

from __future__ import annotations

import torch
from torch import Tensor, nn


def masked_softmax(logits: Tensor, mask: Tensor) -> Tensor:
    """Softmax over the last dimension in which masked places get no weight; a row with no place at all gets zeros."""
    # The smallest finite number instead of -inf: a row of -inf alone would give NaN, and NaN gradients to the rest.
    weights = torch.softmax(logits.masked_fill(~mask, torch.finfo(logits.dtype).min), dim=-1)
    return torch.where(mask, weights, 0.0)


def mean_pooled(values: Tensor, lengths: Tensor) -> Tensor:
    """(tokens, d) states laid end to end and (B,) lengths to the mean of each sentence's tokens, (B, d)."""
    sentence = torch.repeat_interleave(torch.arange(len(lengths), device=lengths.device), lengths)
    sums = values.new_zeros(len(lengths), values.shape[1]).index_add(0, sentence, values)
    return sums / lengths.clamp_min(1)[:, None]


class SelfAttentivePooling(nn.Module):
    """Sentence vector from R attention heads over its tokens (paper, eqs. 1-3). Padding gets no weight.

    Started at `mean`, the heads attend evenly and their vectors are averaged, so that training begins at the
    pre-trained sentence embedding; started at `random`, as in the paper, it begins anywhere.
    """

    def __init__(
        self, width: int, hidden: int = 256, heads: int = 4, *, start: str = "random", relu: bool = False
    ) -> None:
        super().__init__()
        self.F1 = nn.Linear(width, hidden, bias=False)
        self.F2 = nn.Linear(hidden, heads, bias=False)
        self.F3 = nn.Linear(heads * width, width, bias=False)
        self.relu = relu
        if start == "mean":
            nn.init.zeros_(self.F2.weight)
            with torch.no_grad():
                self.F3.weight.copy_(torch.eye(width).repeat(1, heads) / heads)

    def attention(self, H: Tensor, mask: Tensor) -> Tensor:
        """(B, R, T) weight of each token in each head."""
        return masked_softmax(self.F2(torch.tanh(self.F1(H))).transpose(1, 2), mask[:, None, :])

    def token_shares(self, H: Tensor, mask: Tensor, directions: Tensor) -> Tensor:
        """(B, N, T) what each token adds to the dot products of the sentence vector with N directions (no ReLU)."""
        N, heads = len(directions), self.F2.out_features
        seen = (directions @ self.F3.weight).view(N, heads, -1)  # (N, R, d): the directions as each head sees them
        return torch.einsum("brt,btd,nrd->bnt", self.attention(H, mask), H, seen)

    def forward(self, H: Tensor, mask: Tensor) -> Tensor:
        heads = (self.attention(H, mask) @ H).flatten(1)  # (B, R d)
        return self.F3(torch.relu(heads) if self.relu else heads)  # (B, d)

"""Whether a sentence is negative, neutral or positive about an aspect: layers of their own above shared lower ones."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor, nn

DROPOUT = 0.1
CLASSES = 3  # negative, neutral, positive


class PolarityBranch(nn.Module):
    """BERT layers over the tokens of a sentence, then `answer_layers` in which the vector of a label attends to them.

    A sentence is read once for all of its labels. Both are given as states of the encoder's lower layer, and of its
    last layer, from which a learned matrix adds what detection knows of them.
    """

    def __init__(self, layers: Sequence[Any], heads: int, answer_layers: int) -> None:
        super().__init__()
        self.answer_layers, self.heads = answer_layers, heads
        self.layers = nn.ModuleList(copy.deepcopy(layer) for layer in layers)
        width = int(layers[0].output.dense.out_features)
        self.upper = nn.Linear(width, width)  # of the last layer's states
        self.kind = nn.Parameter(torch.zeros(width))  # of labels
        self.head = nn.Linear(width, CLASSES)
        nn.init.zeros_(self.upper.weight)
        nn.init.zeros_(self.upper.bias)

    def forward(self, sentences: Tensor, mask: Tensor, labels: Tensor, rows: Tensor) -> Tensor:
        """(P, 3) logits of P pairs: (S, T, 2d) lower and last states, their (S, T) mask, (P, 2d) of the labels, and
        (P,) which sentence is meant."""
        states, answer = self._entered(sentences), self._entered(labels) + self.kind  # (S, T, d), (P, d)
        real = mask.bool()[:, None, None, :]
        full = len(self.layers) - self.answer_layers
        for layer in self.layers[:full]:
            states = self._layer(layer, states, states, real)
        real, answer = real[rows], answer[:, None]
        for layer in self.layers[full:]:
            answer = self._layer(layer, answer, states, real, rows)
        return self.head(F.dropout(answer[:, 0].float(), DROPOUT, self.training))

    def _entered(self, states: Tensor) -> Tensor:
        lower, last = states.chunk(2, dim=-1)
        return lower + self.upper(last)

    def _layer(self, layer: Any, own: Tensor, read: Tensor, mask: Tensor, rows: Tensor | None = None) -> Tensor:
        """(B, Q, d): a BERT layer for (B, Q, d) states, which attend to those that are read."""
        attention = layer.attention
        query, key, value = (
            part(of).unflatten(-1, (self.heads, -1)).transpose(1, 2)
            for part, of in ((attention.self.query, own), (attention.self.key, read), (attention.self.value, read))
        )
        if rows is not None:
            key, value = key[rows], value[rows]
        found = F.scaled_dot_product_attention(query, key, value, attn_mask=mask)
        found = attention.output.dense(found.transpose(1, 2).flatten(-2))
        middle = attention.output.LayerNorm(own + F.dropout(found, DROPOUT, self.training))
        deep = layer.output.dense(F.gelu(layer.intermediate.dense(middle)))
        return layer.output.LayerNorm(middle + F.dropout(deep, DROPOUT, self.training))

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
    """BERT layers over the tokens of a label followed by those of a sentence; the label's tokens give the answer.

    Both are given as states of the layer below. A learned vector is added to either kind. The last `answer_layers` are
    computed for the tokens of the label alone, which saves most of their cost.
    """

    def __init__(self, layers: Sequence[Any], heads: int, answer_layers: int = 1) -> None:
        super().__init__()
        self.answer_layers = answer_layers
        self.layers = nn.ModuleList(copy.deepcopy(layer) for layer in layers)
        self.heads = heads
        width = int(layers[0].output.dense.out_features)
        self.kind = nn.Parameter(torch.zeros(2, width))  # of label and of sentence
        self.head = nn.Linear(width, CLASSES)

    def forward(self, label: Tensor, label_mask: Tensor, sentence: Tensor, sentence_mask: Tensor) -> Tensor:
        """(B, 3) logits of (B, L, d) and (B, T, d) states with (B, L) and (B, T) masks."""
        states = torch.cat([label + self.kind[0], sentence + self.kind[1]], dim=1)
        mask = torch.cat([label_mask, sentence_mask], dim=1).bool()
        full, rows = len(self.layers) - self.answer_layers, label.shape[1]
        for layer in self.layers[:full]:
            states = self._layer(layer, states, mask, states.shape[1])
        for layer in self.layers[full:]:
            answer = self._layer(layer, states, mask, rows)  # (B, L, d)
            states = torch.cat([answer, states[:, rows:]], dim=1)
        weights = label_mask / label_mask.sum(dim=1, keepdim=True)
        pooled = torch.einsum("bl,bld->bd", weights, states[:, :rows].float())
        return self.head(F.dropout(pooled, DROPOUT, self.training))

    def _layer(self, layer: Any, states: Tensor, mask: Tensor, rows: int) -> Tensor:
        """(B, rows, d): a BERT layer for the first rows, which attend to all."""
        own, attention = states[:, :rows], layer.attention
        query, key, value = (
            part(of).unflatten(-1, (self.heads, -1)).transpose(1, 2)
            for part, of in ((attention.self.query, own), (attention.self.key, states), (attention.self.value, states))
        )
        read = F.scaled_dot_product_attention(query, key, value, attn_mask=mask[:, None, None, :])
        read = attention.output.dense(read.transpose(1, 2).flatten(-2))
        middle = attention.output.LayerNorm(own + F.dropout(read, DROPOUT, self.training))
        deep = layer.output.dense(F.gelu(layer.intermediate.dense(middle)))
        return layer.output.LayerNorm(middle + F.dropout(deep, DROPOUT, self.training))

"""Learned adjacency of the graphs of shots and query (Garcia Satorras & Estrach, ICLR 2018)."""

from __future__ import annotations

import itertools

import torch
import torch.nn.functional as F
from torch import Tensor, nn

SLOPE = 0.01  # of the leaky ReLU
NEAR = 2.0  # initial logit of an edge shorter than the mean by one standard deviation, with start `distance`


class Adjacency(nn.Module):
    """Edge logits MLP(|v_i - v_j|), widths 2F, 2F, F, F, 1, with batch norm and leaky ReLU.

    The first layer is linear in |v_i - v_j|: its part for two shots' initial features, which all graphs share, is
    computed once for all queries. Unit 0 of each layer may be initialised to the negative L1 distance of two nodes in
    their first `near` features, which the batch norms standardise.
    """

    def __init__(self, size: int, added: int, hidden: int, near: int = 0) -> None:
        super().__init__()
        widths = (2 * hidden, 2 * hidden, hidden, hidden)
        layers = [nn.Linear(a, b, bias=False) for a, b in itertools.pairwise(widths)]
        self.first = nn.Linear(size, widths[0], bias=False)
        self.first_added = nn.Linear(added, widths[0], bias=False) if added else None
        self.hidden = nn.ModuleList(layers)
        self.norms = nn.ModuleList(nn.BatchNorm1d(width) for width in widths)
        self.output = nn.Linear(hidden, 1, bias=False)  # a bias is the same for all neighbours
        if near:
            with torch.no_grad():
                for layer in (self.first, self.first_added, *layers):
                    if layer is not None:
                        layer.weight[0] = 0.0
                self.first.weight[0, :near] = -1.0
                for layer in layers:
                    layer.weight[0, 0] = 1.0
                self.output.weight[0, 0] = NEAR

    def forward(
        self, between: Tensor | None, to_query: Tensor, added: Tensor, i: Tensor, j: Tensor
    ) -> tuple[Tensor, Tensor]:
        """Logits of edges between shots, (Q, P), or (1, P) where equal for all graphs, and to the query, (Q, S)."""
        shared = None if between is None else self.first(between)[None]  # (1, P, 2F)
        queries = self.first(to_query)  # (Q, S, 2F)
        # In training a batch norm must see all edges at once; else each graph by itself fits the CPU's cache.
        graphs = len(queries) if self.training or self.first_added is None else 1
        parts = [
            self._logits(shared, *graph, i, j) for graph in zip(queries.split(graphs), added.split(graphs), strict=True)
        ]
        shots, query = zip(*parts, strict=True)
        return torch.cat(shots), torch.cat(query)

    def _logits(
        self, shared: Tensor | None, queries: Tensor, added: Tensor, i: Tensor, j: Tensor
    ) -> tuple[Tensor, Tensor]:
        Q, S = queries.shape[:2]
        if self.first_added is not None:
            queries = queries + self.first_added((added[:, -1:] - added[:, :-1]).abs())
            if shared is not None:
                shared = shared + self.first_added((added[:, i] - added[:, j]).abs())  # (Q, P, 2F)
        rows = [edges.flatten(0, 1) for edges in (queries, shared) if edges is not None]
        logits = self._rest(torch.cat(rows))
        return logits[Q * S :].view(-1, len(i)), logits[: Q * S].view(Q, S)

    def _rest(self, rows: Tensor) -> Tensor:
        """(edges, 2F) to (edges,)."""
        for norm, layer in zip(self.norms, self.hidden, strict=False):
            rows = layer(F.leaky_relu(norm(rows), SLOPE, inplace=True))
        return self.output(F.leaky_relu(self.norms[-1](rows), SLOPE, inplace=True)).squeeze(-1)


def neighbour_weights(between: Tensor, to_query: Tensor, i: Tensor, j: Tensor) -> Tensor:
    """(Q, V, V) softmax over the other nodes, from logits of pairs of shots, (Q or 1, P), and to the query, (Q, S)."""
    Q, S = to_query.shape
    logits = to_query.new_full((Q, S + 1, S + 1), float("-inf"))
    logits[:, i, j] = between
    logits[:, j, i] = between
    logits[:, -1, :-1] = to_query
    logits[:, :-1, -1] = to_query
    return torch.softmax(logits, dim=-1)

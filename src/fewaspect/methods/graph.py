"""Graph Network for few-shot learning (Garcia Satorras & Estrach, ICLR 2018)."""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from fewaspect.core.settings import GraphSettings
from fewaspect.methods.base import Scores, Task
from fewaspect.methods.threshold import ThresholdMethod
from fewaspect.modules.class_prototypes import class_means, shots
from fewaspect.modules.graph_layers import SLOPE, Adjacency, neighbour_weights

CLASSES = 5.0  # initial logit of a class that all neighbours of the query have, with start `distance`


class GraphNetwork(ThresholdMethod):
    """One graph per query: a node per shot, [f(x); one-hot class], and the query's node, [f(q); zeros], at the end.

    Two layers append LeakyReLU(BN(Linear[v; A v])) to every node; a last one computes N logits at the query node. The
    one-hot classes fix N; they are ordered by one coordinate of the class means, so that permuted classes get permuted
    scores. With start `distance`, an untrained graph predicts the classes of the nearest shots; `random` is the
    original's.
    """

    fixed_sizes = ("way",)
    settings: GraphSettings

    def __init__(self, width: int, settings: GraphSettings, way: int, shot: int = 5) -> None:
        super().__init__(width, settings, way, shot)
        hidden, added = settings.graph_width, settings.graph_width // 2
        size = width + way
        near = width if settings.graph_start == "distance" else 0
        self.edges = nn.ModuleList(Adjacency(size, added * layer, hidden, near) for layer in range(3))
        self.layers = nn.ModuleList(nn.Linear(2 * (size + added * layer), added, bias=False) for layer in range(2))
        self.norms = nn.ModuleList(nn.BatchNorm1d(added) for _ in range(2))
        self.last = nn.Linear(2 * (size + 2 * added), way)
        if near:
            start = size + 2 * added + width  # of the neighbours' one-hot classes
            with torch.no_grad():
                self.last.weight[:, start : start + way] = CLASSES * torch.eye(way)

    def score(self, task: Task) -> Scores:
        N = task.membership.shape[1]
        self.check_size(N, self.shot)
        means = class_means(self.unit(task.support.vectors), task.membership)
        position = means[:, 0].argsort().argsort()  # (N,) of each class in the one-hot vectors
        base, S = self._nodes(task, position)  # (Q, V, d + N), V = S + 1
        i, j = torch.triu_indices(S, S, 1, device=base.device)  # the P pairs of shots
        distances = (base[0, i] - base[0, j]).abs(), (base[:, -1:] - base[:, :-1]).abs()  # (P, d + N), (Q, S, d + N)
        added: Tensor = base[:, :, :0]
        for edges, layer, norm in zip(self.edges, self.layers, self.norms, strict=False):
            between, to_query = edges(*distances, added, i, j)  # (Q or 1, P), (Q, S)
            A = neighbour_weights(between, to_query, i, j)
            v = torch.cat([base, added], dim=-1)
            more = layer(torch.cat([v, A @ v], dim=-1))  # (Q, V, F / 2)
            added = torch.cat([added, F.leaky_relu(norm(more.flatten(0, 1)).view_as(more), SLOPE)], dim=-1)
        _, to_query = self.edges[2](None, distances[1], added, i, j)  # the last layer needs the query's edges only
        v = torch.cat([base, added], dim=-1)
        neighbours = torch.softmax(to_query, dim=-1)[:, None] @ v[:, :-1]  # (Q, 1, ...)
        logits = self.last(torch.cat([v[:, -1], neighbours[:, 0]], dim=-1))  # (Q, N)
        return Scores(logits[:, position])

    def _nodes(self, task: Task, position: Tensor) -> tuple[Tensor, int]:
        """(Q, V, d + N) initial features of the nodes, and the number of shots."""
        sentences, classes = shots(task.membership)
        support, queries = self.unit(task.support.vectors)[sentences], self.unit(task.queries.vectors)
        one_hot = F.one_hot(position[classes], len(position)).to(support.dtype)  # (S, N)
        support = torch.cat([support, one_hot], dim=-1).expand(len(queries), -1, -1)  # (Q, S, d + N)
        return torch.cat([support, F.pad(queries, (0, len(position)))[:, None]], dim=1), len(sentences)

"""Relation Network (Sung et al., CVPR 2018)."""

from __future__ import annotations

import math

import torch
from torch import Tensor, nn

from fewaspect.core.settings import RelationSettings
from fewaspect.methods.base import Scores, Task
from fewaspect.methods.threshold import ThresholdMethod
from fewaspect.modules.class_prototypes import class_means

MIDDLE = 0.9  # distance of unit vectors at which the initial relation is 0.5


class RelationNetwork(ThresholdMethod):
    """r_n = sigmoid(MLP([c_n; f(q)])), trained by mean squared error: each class independently, natively multi-label.

    With start `distance`, the hidden layer is initialised to relu(c - q) and the output falls with its sum, half the L1
    distance, so that training starts at the pretrained embedding; `random` is the original's.
    """

    settings: RelationSettings

    def __init__(self, width: int, settings: RelationSettings, way: int, shot: int = 5) -> None:
        super().__init__(width, settings, way, shot)
        self.hidden = nn.Linear(2 * width, width)
        self.output = nn.Linear(width, 1)
        if settings.relation_start == "distance":
            half_l1 = math.sqrt(2 * width / math.pi) / 2  # of two unit vectors at distance 1
            with torch.no_grad():
                self.hidden.weight.copy_(torch.cat([torch.eye(width), -torch.eye(width)], dim=1))
                self.hidden.bias.zero_()
                self.output.weight.fill_(-settings.scale / half_l1)
                self.output.bias.fill_(settings.scale * MIDDLE)

    def score(self, task: Task) -> Scores:
        classes = self.unit(class_means(self.unit(task.support.vectors), task.membership))  # (N, d)
        from_class, from_query = self.hidden.weight.chunk(2, dim=1)  # the layer on [c; q] in two halves
        queries = self.unit(task.queries.vectors) @ from_query.T + self.hidden.bias  # (Q, d)
        hidden = torch.relu(queries[:, None] + classes @ from_class.T)  # (Q, N, d)
        return Scores(self.output(hidden).squeeze(-1), prototypes=classes)

    def probabilities(self, scores: Scores) -> Tensor:
        return torch.sigmoid(scores.logits)

    def losses(self, task: Task, scores: Scores, support_labels: Tensor, query_labels: Tensor) -> dict[str, Tensor]:
        return {"class": (self.probabilities(scores) - query_labels.to(scores.logits.dtype)).square().mean()}

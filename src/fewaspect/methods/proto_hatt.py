"""Proto-HATT: hybrid attention-based prototypical network (Gao, Han, Liu & Sun, AAAI 2019)."""

from __future__ import annotations

import math

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from fewaspect.core.settings import HATTSettings
from fewaspect.methods.base import Scores, Task
from fewaspect.methods.threshold import ScaledMethod
from fewaspect.modules.class_prototypes import shots


class ProtoHATT(ScaledMethod):
    """Prototypes with attention of the query over shots, and of the class over features.

    logit = -sum_dims z_n (c_n(q) - f(q))^2. Its convolutions run over the K shots: one model per K.
    """

    fixed_sizes = ("shot",)
    settings: HATTSettings

    def __init__(self, width: int, settings: HATTSettings, way: int, shot: int = 5) -> None:
        super().__init__(width, settings, way, shot)
        self.g = nn.Linear(width, width)
        nn.init.eye_(self.g.weight)
        nn.init.zeros_(self.g.bias)
        self.features = FeatureAttention(shot, settings.feature_dropout)

    def score(self, task: Task) -> Scores:
        x, q = self._shots(task), self.unit(task.queries.vectors)  # (N, K, d), (Q, d)
        e = torch.tanh(self.g(q)[:, None] * self.g(x).flatten(0, 1)).sum(dim=-1)  # (Q, N K)
        attention = torch.softmax(e.view(len(q), *x.shape[:2]), dim=-1)  # (Q, N, K)
        c = self.unit(torch.einsum("qnk,nkd->qnd", attention, x))
        z = self.features(x)  # (N, d)
        return Scores(-self.scaled((z * (c - q[:, None]).square()).sum(dim=-1)))  # (Q, N)

    def _shots(self, task: Task) -> Tensor:
        """(N, K, d), ordered by one coordinate, since the convolutions depend on the order of the shots."""
        sentences, classes = shots(task.membership)
        N = task.membership.shape[1]
        for count in torch.bincount(classes, minlength=N).tolist():
            self.check_size(N, count)
        x = self.unit(task.support.vectors)[sentences].view(N, self.shot, -1)
        order = x[:, :, 0].argsort(dim=1)
        return x[torch.arange(N, device=order.device)[:, None], order]


class FeatureAttention(nn.Module):
    """z: weights of the features of a class, from its K shots as a K x d map; initialised to 1.

    Convolutions (K x 1) 1 -> 32 -> 64 that keep K rows, then 64 -> 1 over all of them, each with ReLU.
    """

    def __init__(self, shot: int, dropout: float) -> None:
        super().__init__()
        self.padding = (0, 0, (shot - 1) // 2, shot // 2)  # keeps K rows
        self.first = nn.Conv2d(1, 32, (shot, 1))
        self.second = nn.Conv2d(32, 64, (shot, 1))
        self.last = nn.Conv2d(64, 1, (shot, 1))
        self.dropout = nn.Dropout(dropout)
        with torch.no_grad():
            self.last.weight.zero_()
            self.last.bias.fill_(1.0)  # type: ignore[union-attr]

    def forward(self, x: Tensor) -> Tensor:
        """(N, K, d) to (N, d). Vectors are rescaled to entries of the order of one."""
        size = math.sqrt(x.shape[-1]) / x.norm(dim=-1, keepdim=True).clamp_min(1e-12)
        maps = torch.relu(self.first(F.pad((x * size)[:, None], self.padding)))  # (N, 32, K, d)
        maps = self.dropout(torch.relu(self.second(F.pad(maps, self.padding))))  # (N, 64, K, d)
        return torch.relu(self.last(maps))[:, 0, 0]

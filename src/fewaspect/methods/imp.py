"""IMP: infinite mixture prototypes (Allen, Shelhamer, Shin & Tenenbaum, ICML 2019)."""

from __future__ import annotations

import math

import torch
from torch import Tensor, nn

from fewaspect.core.settings import IMPSettings
from fewaspect.methods.base import Scores, Task
from fewaspect.methods.threshold import ThresholdMethod
from fewaspect.modules.class_prototypes import class_means, squared_distances

LEAST_MASS = 1e-3  # total assignment below which a cluster is dropped


class IMP(ThresholdMethod):
    """A class has as many clusters as its shots need; with one each it is a Prototypical Network.

    A shot farther than lambda = -2 sigma ln(alpha) + d sigma ln(1 + rho / sigma) from all clusters of its class opens
    one, rho being the mean variance of the class means; the farthest first, so that the order of shots does not matter.
    The clusters are then re-estimated from soft assignments. Logit = max over the class's clusters of
    -||q - mu||^2 / (2 sigma); the normaliser of the Gaussian cancels in the softmax. Results report
    `clusters_per_class`.
    """

    settings: IMPSettings

    def __init__(self, width: int, settings: IMPSettings, way: int, shot: int = 5) -> None:
        super().__init__(width, settings, way, shot)
        self.log_variance = nn.Parameter(torch.tensor(settings.cluster_variance).log())

    def score(self, task: Task) -> Scores:
        support, sigma = self.unit(task.support.vectors), self.log_variance.exp()
        centres, owner = self.clusters(support, task.membership)  # (C, d), (C,)
        logits = -squared_distances(self.unit(task.queries.vectors), centres) / (2 * sigma)  # (Q, C)
        N = task.membership.shape[1]
        own = owner == torch.arange(N, device=owner.device)[:, None]  # (N, C)
        per_class = logits[:, None].masked_fill(~own, -math.inf).amax(dim=-1)  # (Q, N)
        return Scores(per_class, diagnostics={"clusters_per_class": len(owner) / N})

    def clusters(self, support: Tensor, membership: Tensor) -> tuple[Tensor, Tensor]:
        """(C, d) centres of all clusters and (C,) their classes, from (S, d) and (S, N)."""
        means = self.unit(class_means(support, membership))
        sentences, classes = self._openers(support.detach(), means.detach(), membership)
        centres = torch.cat([means, support[sentences]])
        owner = torch.cat([torch.arange(len(means), device=support.device), classes])
        with torch.no_grad():  # no gradient through the assignments
            closeness = -squared_distances(support, centres) / (2 * self.log_variance.exp())  # (S, C)
            same_class = owner[:, None] == owner[None, :]  # (C, C)
            total = torch.logsumexp(closeness[:, None].masked_fill(~same_class, -math.inf), dim=-1)  # (S, C)
            weights = membership[:, owner] * (closeness - total).exp()
            mass = weights.sum(dim=0)  # (C,)
        kept = (mass >= LEAST_MASS) | (membership.sum(dim=0)[owner] == 0)
        return self.unit(class_means(support, weights[:, kept])), owner[kept]

    @torch.no_grad()
    def _openers(self, support: Tensor, means: Tensor, membership: Tensor) -> tuple[Tensor, Tensor]:
        """Sentence and class of each shot that opens a cluster, (clusters,) each."""
        sigma, d = float(self.log_variance.exp()), support.shape[1]
        rho = float(means.var(dim=0, unbiased=False).mean())
        limit = -2 * sigma * math.log(self.settings.cluster_alpha) + d * sigma * math.log1p(rho / sigma)
        to_means, to_shots = squared_distances(support, means), squared_distances(support, support)
        sentences: list[int] = []
        classes: list[int] = []
        for n, (distances, member) in enumerate(zip(to_means.T, membership.T, strict=True)):
            far = ((distances > limit) & (member > 0)).nonzero().squeeze(1)
            opened: list[int] = []
            for s in far[distances[far].argsort(descending=True)].tolist():
                if all(float(to_shots[s, other]) > limit for other in opened):
                    opened.append(s)
            sentences += opened
            classes += [n] * len(opened)
        index = torch.tensor([sentences, classes], dtype=torch.long, device=support.device)
        return index[0], index[1]

"""Prototypical Network (Snell, Swersky & Zemel, NeurIPS 2017)."""

from __future__ import annotations

from fewaspect.methods.base import Scores, Task
from fewaspect.methods.threshold import ScaledMethod
from fewaspect.modules.class_prototypes import class_means, squared_distances


class PrototypicalNetwork(ScaledMethod):
    """A class is the mean of its shots: c_n = mean_k f(x_nk), logit = -||f(q) - c_n||^2."""

    def score(self, task: Task) -> Scores:
        prototypes = self.unit(class_means(self.unit(task.support.vectors), task.membership))  # (N, d)
        distances = squared_distances(self.unit(task.queries.vectors), prototypes)  # (Q, N)
        return Scores(-self.scaled(distances), prototypes=prototypes)

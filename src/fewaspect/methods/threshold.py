"""Base classes of the paper's baselines: mean-pooled sentences, and one threshold for the decision."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor, nn

from fewaspect.core.settings import VectorSettings
from fewaspect.encoders.packed import PackedStates
from fewaspect.methods.base import Episodes, Method, Representations, Scores, Task
from fewaspect.modules.count_head import threshold_decision
from fewaspect.modules.losses import class_cross_entropy
from fewaspect.modules.pooling import mean_pooled

CANDIDATES = 100  # thresholds that are tried


class ThresholdMethod(Method):
    """Predicts the best class and every other whose score reaches a threshold, tuned on the validation classes.

    A sentence is the mean of its token states, the pretrained embedding.
    """

    tunes_decision = True
    threshold: Tensor
    settings: VectorSettings

    def __init__(self, width: int, settings: Any, way: int, shot: int = 5) -> None:
        super().__init__(width, settings, way, shot)
        self.register_buffer("threshold", torch.tensor(0.3))  # as in earlier papers, until tuned

    def represent(self, tokens: PackedStates) -> Representations:
        return Representations(mean_pooled(tokens.values, tokens.lengths), tokens if self.scores_with_tokens else None)

    def losses(self, task: Task, scores: Scores, support_labels: Tensor, query_labels: Tensor) -> dict[str, Tensor]:
        some = query_labels.any(dim=1)  # queries with none of the classes have no target
        return {"class": class_cross_entropy(scores.logits[some], query_labels[some])}

    def decide(self, scores: Scores) -> Tensor:
        return threshold_decision(self.probabilities(scores), self.threshold)

    def tune(self, results: Sequence[Scores], truth: Episodes, value: Callable[[Episodes], float]) -> None:
        """The candidate threshold with the best value; of equal ones the highest."""
        scores = [self.probabilities(result).cpu() for result in results]
        candidates = candidate_thresholds([episode.numpy() for episode in scores])
        values = [value([threshold_decision(episode, t).numpy() for episode in scores]) for t in candidates.tolist()]
        self.threshold.fill_(float(candidates[int(np.argmax(values))]))

    def describe_decision(self) -> dict[str, Any]:
        return {"rule": "threshold", "threshold": float(self.threshold)}

    def unit(self, vectors: Tensor) -> Tensor:
        return F.normalize(vectors, dim=-1) if self.settings.unit_vectors else vectors


class ScaledMethod(ThresholdMethod):
    """A threshold method with a learned scale of distances between unit vectors, whose softmax would else be flat."""

    def __init__(self, width: int, settings: Any, way: int, shot: int = 5) -> None:
        super().__init__(width, settings, way, shot)
        if settings.unit_vectors:
            self.log_scale = nn.Parameter(torch.tensor(settings.scale).log())

    def scaled(self, distances: Tensor) -> Tensor:
        return distances * self.log_scale.exp() if self.settings.unit_vectors else distances


def candidate_thresholds(probabilities: Episodes) -> np.ndarray:
    """Thresholds, highest first: one above all but the best scores, then quantiles of these others."""
    others = np.concatenate([np.sort(episode, axis=1)[:, :-1].ravel() for episode in probabilities])
    if not len(others):
        return np.ones(1, np.float32)
    quantiles = np.quantile(others, np.linspace(1.0, 0.0, CANDIDATES), method="nearest").astype(np.float32)
    return np.concatenate([[np.nextafter(quantiles[0], np.float32(2.0))], quantiles])

"""How probable an aspect is: a logistic regression over what its score is made of and how it stands to the others.

It is learned over episodes of aspects that the encoder never saw, and then serves any aspects: how near a sentence is
to an aspect says whether it is there at all, how it stands to the others says which of neighbours it is.
"""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from fewaspect.core.errors import CheckpointError
from fewaspect.core.files import atomic_write
from fewaspect.core.settings import to_json
from fewaspect.detector.scoring import Parts

FEATURES = ("whole", "seen", "apart", "share", "lead", "shots", "aspects")
SHARPNESS = 5.0  # of the softmax that the share is taken from: mild, so that a second aspect keeps its share
RANK = 3  # the score that others lead is the third best: a sentence often has two aspects, rarely more


def features(parts: Parts, scores: np.ndarray, shots: np.ndarray) -> np.ndarray:
    """(Q, N, features) of each sentence and aspect, from scores on the scale of cosines and (N,) numbers of shots."""
    sharp = SHARPNESS * scores
    highest = sharp.max(axis=1, keepdims=True, initial=-1e30)
    share = sharp - highest - np.log(np.exp(sharp - highest).sum(axis=1, keepdims=True))
    Q, N = scores.shape
    third = np.partition(scores, N - min(RANK, N), axis=1)[:, N - min(RANK, N)]
    known = np.broadcast_to(np.log1p(shots), (Q, N))
    aspects = np.full((Q, N), math.log(max(1, N)))
    return np.stack([parts.whole, parts.seen, parts.apart, share, scores - third[:, None], known, aspects], axis=-1)


@dataclass(frozen=True)
class ProbabilityModel:
    """Intercept and weights of the logistic regression."""

    intercept: float
    weights: dict[str, float]

    def __call__(self, features: np.ndarray, shift: float = 0.0) -> np.ndarray:
        """(Q, N) probabilities."""
        return 1 / (1 + np.exp(-(self.logits(features) + shift)))

    def logits(self, features: np.ndarray) -> np.ndarray:
        """(Q, N), of which the probabilities are the logistic function."""
        return features @ np.array([self.weights[name] for name in FEATURES]) + self.intercept

    def save(self, path: Path) -> None:
        with atomic_write(path) as file:
            file.write(to_json(asdict(self)))

    @classmethod
    def load(cls, path: Path) -> ProbabilityModel:
        try:
            found: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
            weights = {name: float(found["weights"][name]) for name in FEATURES}
            return cls(float(found["intercept"]), weights)
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise CheckpointError(
                f"{path}: expected the weights of {', '.join(FEATURES)} and an intercept, found {error!r}."
            ) from error


def fit_probability_model(episodes: Sequence[tuple[np.ndarray, np.ndarray]]) -> ProbabilityModel:
    """From (Q, N, features) and (Q, N) truth of many episodes; every episode counts the same, whatever its size."""
    from sklearn.linear_model import LogisticRegression

    x = np.concatenate([rows.reshape(-1, rows.shape[-1]).astype(float) for rows, _ in episodes])
    y = np.concatenate([truth.ravel() for _, truth in episodes])
    counts = np.concatenate([np.full(truth.size, 1.0 / truth.size) for _, truth in episodes])
    middle, spread = x.mean(axis=0), x.std(axis=0) + 1e-9
    fitted = LogisticRegression(max_iter=1000).fit((x - middle) / spread, y, counts * len(y) / counts.sum())
    weights = fitted.coef_[0] / spread
    intercept = float(fitted.intercept_[0] - weights @ middle)
    return ProbabilityModel(intercept, dict(zip(FEATURES, map(float, weights), strict=True)))

"""LPN+ once more, in float64 and loops, one aspect and sentence at a time; from `docs/explanation/lpn-plus.md`."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

Vector = np.ndarray
Matrix = np.ndarray


@dataclass
class Formulas:
    """Examples (T x d each) with weights for each aspect, label texts (T x d, or none), and the learned numbers."""

    examples: list[Matrix]
    membership: Matrix  # S x N
    negative_weights: list[float]  # S
    duplicates: list[int]  # S, equal for equal sentences
    labels: list[Vector]  # N
    label_tokens: list[Matrix]  # N
    attention: float
    attended_weight: float
    label_logit: float
    label_slope: float
    steps: int = 2
    ridge_weight: float = 1.2
    ridge_strength: float = 0.5
    token_match_weight: float = 0.6

    def score(self, H: Matrix, n: int) -> float:
        sentence, attended, ridge, match = self.components(H, n)
        cosines = (1 - self.attended_weight) * sentence + self.attended_weight * attended
        return cosines + self.ridge_weight * ridge + self.token_match_weight * match

    def components(self, H: Matrix, n: int) -> tuple[float, float, float, float]:
        """Sentence similarity, attended similarity, ridge score and token match of one sentence and aspect."""
        prototype, query, attended, direction = self.fitted(n)
        z = self.attended(H, query)
        return float(unit(H.sum(axis=0)) @ prototype), float(z @ attended), float(z @ direction), self.match(H, n)

    def fitted(self, n: int) -> tuple[Vector, Vector, Vector, Vector]:
        """Prototype, attention query, attended prototype and ridge direction."""
        S, N = self.membership.shape
        vectors = [unit(H.sum(axis=0)) for H in self.examples]
        prototype = self.blend(vectors, n)
        attended = direction = query = prototype
        for step in range(self.steps):
            query = unit(attended + unit(direction)) if step else prototype
            z = [self.attended(H, query) for H in self.examples]
            attended = self.blend(z, n)
            positive = [*self.membership[:, n], *(float(m == n) for m in range(N))]
            negative = [*(self.against(s, n) for s in range(S)), *(float(m != n) for m in range(N))]
            direction = self.ridge([*z, *self.labels], positive, negative)
        return prototype, query, attended, direction

    def against(self, s: int, n: int) -> float:
        """Weight of an example against an aspect: none if it, or an equal one, is an example of the aspect."""
        equal = [t for t in range(len(self.examples)) if self.duplicates[t] == self.duplicates[s]]
        if any(self.membership[t, n] > 0 for t in equal):
            return 0.0
        return float(self.membership[s].sum() + self.negative_weights[s])

    def blend(self, vectors: list[Vector], n: int) -> Vector:
        shots = float(self.membership[:, n].sum())
        if shots <= 0:
            return unit(self.labels[n])
        share = 1 / (1 + math.exp(-(self.label_logit + self.label_slope * math.log(max(shots, 1.0)))))
        mean = sum(weight * vector for weight, vector in zip(self.membership[:, n], vectors, strict=True))
        return unit((1 - share) * unit(mean) + share * self.labels[n])

    def attended(self, H: Matrix, query: Vector) -> Vector:
        powers = [math.exp(self.attention * float(unit(h) @ query)) for h in H]
        return unit(sum(power / sum(powers) * h for power, h in zip(powers, H, strict=True)))

    def ridge(self, rows: list[Vector], positive: list[float], negative: list[float]) -> Vector:
        """The minimum of sum_m c_m (w x_m - y_m)^2 + strength |w|^2, by its normal equations."""
        total = sum(positive) + sum(negative)
        A, b = self.ridge_strength * np.eye(len(rows[0])), np.zeros(len(rows[0]))
        for x, own, other in zip(rows, positive, negative, strict=True):
            if own:
                c = own * total / (2 * sum(positive))
                b += c * x
            else:
                c = other * total / (2 * sum(negative)) if other else 0.0
            A += c * np.outer(x, x)
        return np.linalg.solve(A, b)

    def match(self, H: Matrix, n: int) -> float:
        """How much nearer the best token is to one of the aspect, in examples or label text, than to any of others."""
        S, N = self.membership.shape
        own = [u for s in range(S) if self.membership[s, n] > 0 for u in self.examples[s]] + [*self.label_tokens[n]]
        others = [u for s in range(S) if self.against(s, n) > 0 for u in self.examples[s]]
        others += [u for m in range(N) if m != n for u in self.label_tokens[m]]
        nearest = [[max([0.0, *(float(unit(h) @ unit(u)) for u in side)]) for side in (own, others)] for h in H]
        return max(mine - theirs for mine, theirs in nearest)


def unit(v: Vector) -> Vector:
    return v / np.linalg.norm(v)

"""The paper's equations once more, in numpy and loops, read from its text and not from our code.

Columns of H are tokens, as in the paper: H is d x T. Everything is float64.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

Vector = np.ndarray
Matrix = np.ndarray


def softmax(values: Sequence[float] | Vector) -> Vector:
    highest = max(values)
    powers = [math.exp(value - highest) for value in values]
    return np.array([power / sum(powers) for power in powers])


def pooled(H: Matrix, F1: Matrix, F2: Matrix, F3: Matrix) -> Vector:
    """Equations 1 to 3: the embedding o of one sentence."""
    before = F2 @ np.tanh(F1 @ H)  # R x T
    A = np.stack([softmax(row) for row in before])
    M = H @ A.T  # d x R
    return F3 @ np.concatenate([M[:, r] for r in range(M.shape[1])])


def importance(o: Vector, U: Matrix, V: Matrix, e: Vector) -> float:
    """Equation 5 in its first form, o^T U V^T e."""
    return float(o @ (U @ V.T) @ e)


def prototype(shots: Sequence[Vector], alphas: Sequence[float]) -> Vector:
    """Equations 6 and 7: the shots of one class weighed by the softmax of their importance."""
    beta = softmax(alphas)
    return sum((beta[j] * shots[j] for j in range(len(shots))), np.zeros_like(shots[0]))


def class_probabilities(o: Vector, prototypes: Sequence[Vector]) -> Vector:
    """Equation 8."""
    return softmax([-float(np.linalg.norm(o - p) ** 2) for p in prototypes])


def class_loss(probabilities: Sequence[Vector], labels: Matrix) -> float:
    """Equation 9, L_lepn."""
    total = 0.0
    for x, p in enumerate(probabilities):
        for i in range(len(p)):
            total -= labels[x][i] * math.log(p[i])
    return total / len(probabilities)


def label_specific(H: Matrix, p: Vector, e: Vector, Wa: Matrix, ba: Vector) -> Vector:
    """Equations 10 and 11: the embedding z of one sentence for one class."""
    a = np.concatenate([p, e])
    g = softmax((Wa @ a + ba) @ H)
    return g @ H.T


def contrastive_loss(z: Sequence[Vector], classes: Sequence[int], tau: float) -> float:
    """Equations 12 and 13, L_scl, over the set I; an anchor without positives adds nothing to the sum."""
    total = 0.0
    for anchor in range(len(z)):
        others = [other for other in range(len(z)) if other != anchor]
        positives = [other for other in others if classes[other] == classes[anchor]]
        similarities = [float(z[anchor] @ z[other]) / tau for other in others]
        if not positives:
            continue
        highest = max(similarities)
        log_sum = highest + math.log(sum(math.exp(s - highest) for s in similarities))
        total -= sum(float(z[anchor] @ z[k]) / tau - log_sum for k in positives) / len(positives)
    return total / len(z)


def count_loss(vectors: Sequence[Vector], counts: Sequence[int], Wl: Matrix, bl: Vector) -> float:
    """Equations 15 and 16, L_count; the first element stands for a count of one."""
    total = 0.0
    for o, count in zip(vectors, counts, strict=True):
        n = softmax(Wl @ o + bl)
        t = np.zeros(len(n))
        t[count - 1] = 1.0
        total -= float(np.sum(t * np.log(n)))
    return total / len(vectors)

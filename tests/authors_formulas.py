"""What the authors' released code computes where it differs from the paper, in numpy and loops, with all its biases.

Columns of H are tokens, as in `equations.py`; `w` are weights by the names that ours have. Everything is float64.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

import equations

LENGTH = 50  # what the recipe pads to, with zero states that take attention; the authors pad to the longest sentence
COUNTS = 5
Weights = Mapping[str, np.ndarray]


@dataclass(frozen=True)
class AuthorsEpisode:
    """Class probabilities (Q x N) and count probabilities (S + Q) x 5 of an episode, and the weighted losses."""

    probabilities: np.ndarray
    counts: np.ndarray
    losses: dict[str, float]


def read(H: np.ndarray) -> np.ndarray:
    return np.pad(H, ((0, 0), (0, LENGTH - H.shape[1])))


def vector(H: np.ndarray, w: Weights) -> np.ndarray:
    """The sentence vector: biases in both outer layers, a ReLU between the heads and F3."""
    H = read(H)
    hidden = np.tanh(w["pooling.F1.weight"] @ H + w["pooling.F1.bias"][:, None])
    heads = [H @ equations.softmax(row) for row in w["pooling.F2.weight"] @ hidden]
    return w["pooling.F3.weight"] @ np.maximum(np.concatenate(heads), 0.0) + w["pooling.F3.bias"]


def importance(o: np.ndarray, e: np.ndarray, w: Weights) -> float:
    """The bilinear form, with biases on both sides."""
    left = w["bilinear.U.weight"] @ o + w["bilinear.U.bias"]
    right = w["bilinear.V.weight"] @ e + w["bilinear.V.bias"]
    return float(sum(left[k] * right[k] for k in range(len(left))))


def label_specific(H: np.ndarray, p: np.ndarray, e: np.ndarray, w: Weights) -> np.ndarray:
    """The unit label-specific embedding, its attention divided by the root of the width."""
    query = w["label_attention.Wa.weight"] @ np.concatenate([p, e]) + w["label_attention.Wa.bias"]
    z = read(H) @ equations.softmax(query @ read(H) / math.sqrt(len(H)))
    return z / np.linalg.norm(z)


def contrastive_loss(z: Sequence[np.ndarray], classes: Sequence[int]) -> float:
    """As the paper's, but that the sum over the positives is divided by one more than there are."""
    total = 0.0
    for j in range(len(z)):
        others = [k for k in range(len(z)) if k != j]
        positives = [k for k in others if classes[k] == classes[j]]
        log_sum = np.logaddexp.reduce([z[j] @ z[k] / 0.1 for k in others])
        total -= sum(z[j] @ z[k] / 0.1 - log_sum for k in positives) / (len(positives) + 1)
    return total / len(z)


def episode(
    support: Sequence[np.ndarray], queries: Sequence[np.ndarray], labels: Sequence[np.ndarray],
    classes_of: Sequence[int], carried: Sequence[Sequence[bool]], w: Weights,
) -> AuthorsEpisode:  # fmt: skip
    """From token states; `classes_of` is each shot's class, `carried` the classes of support and queries."""
    N, y = len(labels), np.array(carried[len(support) :])
    o_support, o_queries = [vector(H, w) for H in support], [vector(H, w) for H in queries]
    e = [vector(H, w) for H in labels]
    p = []
    for i in range(N):
        shots = [o for o, c in zip(o_support, classes_of, strict=True) if c == i]
        alphas = [importance(o, e[i], w) if "bilinear.U.weight" in w else 0.0 for o in shots]
        p.append(equations.prototype(shots, alphas))
    probabilities = np.array([equations.class_probabilities(o, p) for o in o_queries])
    Wl, bl = w["count_head.Wl.weight"], w["count_head.Wl.bias"]
    counts = np.array([equations.softmax(Wl @ o + bl) for o in (*o_support, *o_queries)])
    targets = [min(sum(map(bool, row)), COUNTS) - 1 for row in carried]
    losses = {
        "class": float(-(y * np.log(probabilities)).mean()),  # over queries and classes
        "count": 0.1 * -float(np.mean([math.log(row[t]) for row, t in zip(counts, targets, strict=True)])),
    }
    if "label_attention.Wa.weight" in w:
        pairs = [(H, i) for H, row in zip((*support, *queries), carried, strict=True) for i in range(N) if row[i]]
        z = [label_specific(H, p[i], e[i], w) for H, i in pairs]
        losses["contrastive"] = 0.01 * contrastive_loss(z, [i for _, i in pairs])
    return AuthorsEpisode(probabilities, counts, losses)

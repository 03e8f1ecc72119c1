"""Scores to probabilities: a logistic regression over the components of a score and its place among the others.

It is fitted once, over episodes of aspects that the encoder never saw, and serves any aspects: how near a sentence is
to an aspect says whether the aspect is there at all, its place among the others says which of several it is. The bias
is fitted to a user's own examples: "food" covers far more than "parking", so where examples that are left out score
low or high, other sentences will too.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from fewaspect.core.errors import WRONG_VALUE, CheckpointError
from fewaspect.core.files import atomic_write
from fewaspect.core.settings import to_json
from fewaspect.detector.scoring import FittedAspects, LPNPlusScorer, ScoreComponents, SupportSet, negative_membership

FEATURES = (
    "sentence_similarity", "attended_similarity", "ridge_score", "log_softmax", "margin", "log_shots", "log_aspects",
    "head_score", "neighbour_score", "uncentred_similarity", "lower_head_score",
)  # fmt: skip
_VERSION_0_1 = dict(zip(("whole", "seen", "apart", "share", "lead", "shots", "aspects"), FEATURES, strict=False))
SHARPNESS = 5.0  # of the softmax: mild, so that a second aspect keeps its share
RANK = 3  # the margin is taken to the third best score: a sentence often has two aspects, rarely more
NONE_RATE = 0.35  # share of sentences without an aspect in benchmarks/studies/shipped_model.py
MAX_ROWS = 128  # examples that the bias is fitted to
MAX_STEPS = 50  # of Newton's method


def score_features(components: ScoreComponents, scores: np.ndarray, shots: np.ndarray) -> np.ndarray:
    """(Q, N, features), from (Q, N) scores on the scale of cosines and (N,) or (Q, N) numbers of shots."""
    sharp = SHARPNESS * scores
    highest = sharp.max(axis=1, keepdims=True, initial=-1e30)
    log_softmax = sharp - highest - np.log(np.exp(sharp - highest).sum(axis=1, keepdims=True))
    N = scores.shape[1]
    third = np.partition(scores, N - min(RANK, N), axis=1)[:, N - min(RANK, N)]
    log_shots = np.broadcast_to(np.log1p(shots), scores.shape)
    log_aspects = np.full(scores.shape, math.log(max(1, N)))
    further = [np.zeros_like(scores) if part is None else part for part in components[4:]]
    margin = scores - third[:, None]
    return np.stack([*components[:3], log_softmax, margin, log_shots, log_aspects, *further], axis=-1)


@dataclass(frozen=True)
class ProbabilityModel:
    """Intercept and weights of the logistic regression.

    With K examples a feature's weight is `weights` + `slopes` log(1 + K): few examples are trusted less than many.
    More than `most_shots`, the most it has learned with, count as so many.
    """

    intercept: float
    weights: dict[str, float]
    slopes: dict[str, float] = field(default_factory=lambda: dict.fromkeys(FEATURES, 0.0))
    none_rates: tuple[float, ...] = ()  # share of sentences without an aspect where one is named, two, ...
    most_shots: int | None = None

    def __call__(self, features: np.ndarray, bias: float = 0.0) -> np.ndarray:
        """(Q, N) probabilities of (Q, N, features)."""
        return 1 / (1 + np.exp(-(self.logits(features) + bias)))

    def logits(self, features: np.ndarray) -> np.ndarray:
        """(Q, N) of (Q, N, features)."""
        weights, slopes = (np.array([part[name] for name in FEATURES]) for part in (self.weights, self.slopes))
        place = FEATURES.index("log_shots")
        log_shots: np.ndarray = features[..., place]
        counted = log_shots if self.most_shots is None else np.minimum(log_shots, math.log1p(self.most_shots))
        beyond = weights[place] * (log_shots - counted)
        return features @ weights - beyond + counted * (features @ slopes) + self.intercept

    def few_aspects_bias(self, aspects: int) -> float:
        """What is added to the logits where so few aspects are named that more sentences than `NONE_RATE` have none."""
        rate = self.none_rates[aspects - 1] if aspects <= len(self.none_rates) else NONE_RATE
        return math.log((1 - rate) / (1 - NONE_RATE))

    @property
    def identity(self) -> str:
        """As text, for digests; in the words of version 0.1, so that what it saved is recognized."""
        weights = {old: self.weights[name] for old, name in _VERSION_0_1.items()}
        further = {name: value for name, value in self.weights.items() if name not in _VERSION_0_1.values() and value}
        further |= {f"{name} log_shots": value for name, value in self.slopes.items() if value}
        further |= {f"none of {n}": value for n, value in enumerate(self.none_rates, start=1)}
        further |= {} if self.most_shots is None else {"most_shots": self.most_shots}
        return f"Presence(intercept={self.intercept!r}, weights={weights!r})" + (repr(further) if further else "")

    def save(self, path: Path) -> None:
        with atomic_write(path) as file:
            file.write(to_json(asdict(self)))

    @classmethod
    def from_json(cls, content: Mapping[str, Any]) -> ProbabilityModel:
        """From its fields as JSON; the names of version 0.1 are read too, and the features it had not are worth 0."""
        given = dict.fromkeys(FEATURES[len(_VERSION_0_1) :], 0.0)
        given |= {_VERSION_0_1.get(name, name): value for name, value in content["weights"].items()}
        slopes = {**dict.fromkeys(FEATURES, 0.0), **content.get("slopes", {})}
        weights, slopes = ({name: float(part[name]) for name in FEATURES} for part in (given, slopes))
        rates, most = tuple(map(float, content.get("none_rates", ()))), content.get("most_shots")
        return cls(float(content["intercept"]), weights, slopes, rates, None if most is None else int(most))

    @classmethod
    def load(cls, path: Path) -> ProbabilityModel:
        try:
            return cls.from_json(json.loads(path.read_text(encoding="utf-8")))
        except (OSError, *WRONG_VALUE) as error:
            raise CheckpointError(
                f"{path}: expected the weights of {', '.join(FEATURES)} and an intercept, found {error!r}."
            ) from error


class LeftOut(NamedTuple):
    """Examples as aspects that were fitted without them see them: what the bias is fitted to."""

    rows: np.ndarray  # (rows,) numbers in the support set
    logits: np.ndarray  # (rows, N)
    truth: np.ndarray  # (rows, N) booleans
    weights: np.ndarray  # (rows, N)

    def bias(self, kept: np.ndarray | slice = slice(None)) -> float:
        """The most probable one, by the `kept` of them."""
        return most_probable_bias(self.logits[kept], self.truth[kept], self.weights[kept])


def fit_bias(
    scorer: LPNPlusScorer, model: ProbabilityModel, support: SupportSet, fitted: FittedAspects,
    refit: Callable[[np.ndarray], ScoreComponents] | None = None,
) -> float:  # fmt: skip
    """What must be added to the logits to make the labels of the examples most probable, each of them left out.

    0 without examples, and for a single aspect without examples of none.
    """
    left_out = leave_out(scorer, model, support, fitted, refit)
    return 0.0 if left_out is None else left_out.bias()


def leave_out(
    scorer: LPNPlusScorer, model: ProbabilityModel, support: SupportSet, fitted: FittedAspects,
    refit: Callable[[np.ndarray], ScoreComponents] | None = None,
) -> LeftOut | None:  # fmt: skip
    """None where examples say nothing of the bias. `refit` leaves rows out by fitting anew, where they are so few that
    each of them moves the mean of all."""
    rows = calibration_rows(support)
    own, shots = support.membership[rows], fitted.shots - support.membership[rows]  # (rows, N)
    if not own.any() or (own.shape[1] == 1 and not support.negative_weights.any()):
        return None
    components = refit(rows) if refit else left_out_components(scorer, support, fitted, rows)
    logits = model.logits(score_features(components, scorer.combine_scores(components), shots))
    members, none = support.membership.max(axis=1), support.negative_weights  # pieces of a long text add up to one
    share = max(members.sum() / (members.sum() + none.sum()), 1 - NONE_RATE)  # of examples with an aspect
    logits = logits + math.log(share / (1 - NONE_RATE))  # examples have an aspect more often than sentences do
    weights = members[rows] + none[rows] * members[rows].sum() * (1 / share - 1) / max(none[rows].sum(), 1e-9)
    used = (own > 0) | (negative_membership(support)[rows] > 0)  # not if an equal sentence has the aspect
    used &= ~((own > 0) & support.unnamed & (shots < 1e-3))  # without its only example, nothing is left
    return LeftOut(rows, logits, own > 0, weights[:, None] * used)


def calibration_rows(support: SupportSet) -> np.ndarray:
    """At most `MAX_ROWS` examples, some of none among them if there are. Which ones depends on their words alone, not
    on their order."""
    members, none = (
        rows[np.argsort(support.duplicate_ids[rows], kind="stable")]
        for rows in (np.flatnonzero(support.membership.any(axis=1)), np.flatnonzero(support.negative_weights > 0))
    )
    none = none[: max(round(NONE_RATE * MAX_ROWS), MAX_ROWS - len(members))]
    return np.concatenate([members[: MAX_ROWS - len(none)], none])


def left_out_components(
    scorer: LPNPlusScorer, support: SupportSet, fitted: FittedAspects, rows: np.ndarray
) -> ScoreComponents:
    """(rows, N) each. Without token matches: an example's own would say too much. An example that has no part in an
    aspect's regression is compared as any sentence."""
    left = scorer.leave_one_out(support, fitted, asked=rows)
    sentence, attended, ridge = (part[rows] for part in left[:3])
    missing = np.flatnonzero(np.isnan(ridge).any(axis=1))
    if len(missing):
        found = scorer.components(fitted._replace(token_list=None), support.examples.take(rows[missing]))
        for part, other in ((attended, found.attended_similarity), (ridge, found.ridge_score)):
            part[missing] = np.where(np.isnan(part[missing]), other, part[missing])
    further = (None if part is None else part[rows] for part in left[4:])
    return ScoreComponents(sentence, attended, ridge, None, *further)


def most_probable_bias(logits: np.ndarray, truth: np.ndarray, weights: np.ndarray) -> float:
    """The maximum a posteriori, by Newton's method; the prior is a standard normal distribution.

    (rows, N) logits and truth, and weights that broadcast to them.
    """
    bias = 0.0
    for _ in range(MAX_STEPS):
        p = 1 / (1 + np.exp(-(logits + bias)))
        slope, curvature = (weights * (truth - p)).sum() - bias, (weights * p * (1 - p)).sum() + 1
        step = float(np.clip(slope / curvature, -1, 1))
        bias += step
        if abs(step) < 1e-6:
            break
    return bias

"""Which answers may be used without looking: so high a threshold that a stated share of them is right.

Learn-then-test (Angelopoulos et al. 2021): thresholds are tried in an order that does not depend on the labels they are
tested with, from the most promising one downwards, each by a binomial test of "no more than the target is right". The
last one before the first failure holds with the stated confidence; where the first one fails, nothing is promised.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from fewaspect.core.errors import ConfigError
from fewaspect.detector.explain import decide

# chosen on the validation sets: benchmarks/practical/promises.py
FOLDS = 5  # of the labelled texts, when answers are rescored
PRIORS = (0.01, 1.5, 3.0)  # precisions of the priors of intercept, slope and the bias of an aspect
STEP = 1.25  # by so much the number of accepted answers grows from one test to the next
MOST_LABELS = 10_000  # if more would be needed, labels hardly help


@dataclass(frozen=True)
class Promise:
    """At least `precision` of the accepted answers are right, with this confidence: over all answers, or per aspect."""

    precision: float
    confidence: float
    per_aspect: bool
    source: str  # "texts" or "examples": what it was tuned on
    labels: int  # how many of them
    thresholds: Mapping[str, float | None]  # what a probability must reach; None: no answer is accepted

    def reached(self, names: Sequence[str], probabilities: np.ndarray) -> np.ndarray:
        """(Q, N) booleans of (Q, N) probabilities."""
        own = [self.thresholds.get(name) for name in names]
        return decide(probabilities, np.array([math.inf if value is None else value for value in own]))

    @property
    def accepts(self) -> bool:
        """Whether any answer can be accepted."""
        return any(value is not None for value in self.thresholds.values())

    def __str__(self) -> str:
        whom = "of each aspect" if self.per_aspect else "of all aspects"
        goal = (
            f"at least {self.precision:g} of the accepted answers {whom} are right, with confidence {self.confidence:g}"
        )
        return goal if self.accepts else f"no answer is accepted: the labels do not show that {goal}"

    @classmethod
    def from_json(cls, content: Mapping[str, Any], names: Sequence[str]) -> Promise:
        """From its fields; refused if it is of other aspects."""
        thresholds = {
            str(name): None if value is None else float(value) for name, value in content["thresholds"].items()
        }
        if set(thresholds) != set(names):
            raise ValueError(f"a promise for the aspects must name them all, found {', '.join(thresholds)}")
        goal = Goal.checked(content["precision"], content["confidence"])
        source, labels = str(content["source"]), int(content["labels"])
        return cls(goal.precision, goal.confidence, bool(content["per_aspect"]), source, labels, thresholds)


class Goal(NamedTuple):
    """What is to be promised."""

    precision: float
    confidence: float

    @classmethod
    def checked(cls, precision: Any, confidence: Any) -> Goal:
        for name, value in (("precision", precision), ("confidence", confidence)):
            if isinstance(value, bool) or not isinstance(value, int | float | np.floating) or not 0 < value < 1:
                raise ConfigError(f"{name}: expected a number between 0 and 1, such as 0.9, found {value!r}.")
        return cls(float(precision), float(confidence))

    @property
    def fewest(self) -> int:
        """Answers that can hold it, if all of them are right."""
        return max(1, math.ceil(math.log(1 - self.confidence) / math.log(self.precision) - 1e-9))

    def holds(self, right: int, accepted: int) -> bool:
        """Whether so many right answers speak against a precision of no more than the target."""
        return accepted > 0 and binomial_tail(right, accepted, self.precision) <= 1 - self.confidence + 1e-12


@dataclass(frozen=True)
class PromisedAspect:
    """From which probability answers are accepted, None: never; and of the labels, answers, accepted ones, right ones.

    `own_threshold` is where the promise would hold for this aspect alone. Where it cannot, `more` says about how many
    more labels that would take; None where no number of them would do.
    """

    threshold: float | None
    answers: int
    accepted: int
    right: int
    own_threshold: float | None
    more: int | None


@dataclass(frozen=True)
class PromisedOverall:
    """All answers on the labels, those accepted, those right, and the Clopper-Pearson bound of their precision."""

    answers: int
    accepted: int
    right: int
    lower_bound: float
    more: int | None


class Promised(dict[str, PromisedAspect]):
    """What was promised, by aspect and overall; as a string, a table."""

    def __init__(self, rows: Mapping[str, PromisedAspect], overall: PromisedOverall, promise: Promise) -> None:
        super().__init__(rows)
        self.overall, self.promise = overall, promise

    def __str__(self) -> str:
        width = max([len("all answers"), *map(len, self)])
        lines = [f"{'aspect':{width}}  accepted from  answers  accepted  right  alone from"]
        lines += [
            f"{name:{width}}  {_shown(row.threshold):>13}  {row.answers:7d}  {row.accepted:8d}  {row.right:5d}  "
            f"{alone(row)}"
            for name, row in self.items()
        ]
        whole = self.overall
        state = f"precision at least {whole.lower_bound:.2f}" if whole.accepted else cannot(whole.more)
        lines.append(
            f"{'all answers':{width}}  {'':>13}  {whole.answers:7d}  {whole.accepted:8d}  {whole.right:5d}  {state}"
        )
        return "\n".join(lines)


def alone(row: PromisedAspect) -> str:
    """The threshold from which an aspect holds the promise by itself, or why it cannot."""
    return cannot(row.more) if row.own_threshold is None else f"{row.own_threshold:.2f}"


def cannot(more: int | None) -> str:
    """That nothing is promised, and what it takes."""
    return f"cannot promise: {lacking(more)}"


def lacking(more: int | None) -> str:
    return "more labels would hardly help" if more is None else f"needs about {more} more labels"


def _shown(threshold: float | None) -> str:
    return "never" if threshold is None else f"{threshold:.2f}"


class _Answers(NamedTuple):
    """What was answered of labelled texts; (A,) each."""

    texts: np.ndarray
    aspects: np.ndarray
    scores: np.ndarray  # logits, out of fold if they were rescored
    right: np.ndarray


def promise_on_texts(
    names: Sequence[str], probabilities: np.ndarray, truth: np.ndarray, thresholds: np.ndarray, goal: Goal,
    per_aspect: bool = False,
) -> Promised:  # fmt: skip
    """From labelled texts that are a fair sample: (texts, N) arrays, and (N,) thresholds of what is answered."""
    found = _answers(probabilities, truth, thresholds)
    return _promised(names, found, thresholds, goal, per_aspect, "texts", len(truth))


def promise_on_examples(
    names: Sequence[str], left_out: np.ndarray, truth: np.ndarray, thresholds: np.ndarray, goal: Goal,
    per_aspect: bool = False,
) -> Promised:  # fmt: skip
    """From examples that were left out one at a time. They are no fair sample: sentences without an aspect are lacking.

    For those the probabilities stand in: that of an accepted answer must reach the target precision, too.
    """
    found, floors = _answers(left_out, truth, thresholds), np.maximum(thresholds, goal.precision)
    return _promised(names, found, floors, goal, per_aspect, "examples", len(truth))


def _promised(
    names: Sequence[str], found: _Answers, floors: np.ndarray, goal: Goal, per_aspect: bool, source: str, labels: int
) -> Promised:
    """Answers are rescored first, so that one cut of the scores is a threshold of its own for each aspect."""
    rescoring = Rescoring.fit(found, np.ones(len(found.texts), dtype=bool), len(names))
    found = out_of_fold(found, len(names))
    common = certified_cut(found.scores, found.right, goal)
    rows, chosen = {}, np.zeros(len(found.right), dtype=bool)
    for n, name in enumerate(names):
        own = found.aspects == n
        cut = certified_cut(found.scores[own], found.right[own], goal)
        in_force = cut if per_aspect else common if own.any() else None  # never answered: nothing is known of it
        accepted = own & (found.scores >= (math.inf if in_force is None else in_force))
        chosen |= accepted
        threshold, alone = (None if c is None else max(rescoring.probability(c, n), float(floors[n]))
                            for c in (in_force, cut))  # fmt: skip
        more = None if cut is not None else labels_needed(found.scores[own], labels, goal)
        counts = int(own.sum()), int(accepted.sum()), int(found.right[accepted].sum())
        rows[name] = PromisedAspect(threshold, *counts, alone, more)
    accepted, right = int(chosen.sum()), int(found.right[chosen].sum())
    more = None if accepted else labels_needed(found.scores, labels, goal)
    overall = PromisedOverall(len(chosen), accepted, right, precision_bound(right, accepted, goal.confidence), more)
    thresholds = {name: row.threshold for name, row in rows.items()}
    return Promised(rows, overall, Promise(*goal, per_aspect, source, labels, thresholds))


def out_of_fold(found: _Answers, aspects: int) -> _Answers:
    """Each answer with the score that the labels of other texts give it."""
    scores = found.scores.copy()
    for fold in range(FOLDS):
        own = found.texts % FOLDS == fold
        scores[own] = Rescoring.fit(found, ~own, aspects)(found.scores[own], found.aspects[own])
    return found._replace(scores=scores)


def certified_cut(scores: np.ndarray, right: np.ndarray, goal: Goal) -> float | None:
    """The lowest score from which on the goal holds, of (A,) logits and booleans; None where none was found.

    The first test is where the scores, taken as probabilities, make success most likely; then more and more answers.
    """
    order = np.argsort(-scores, kind="stable")
    ranked, correct = scores[order], np.cumsum(right[order])
    counts = np.unique(len(ranked) - np.searchsorted(ranked[::-1], ranked))  # equal scores are accepted together
    counts = counts[counts >= goal.fewest]
    if not len(counts):
        return None
    expected = np.cumsum(_sigmoid(ranked))[counts - 1] / counts
    place, best = int(((expected - goal.precision) * np.sqrt(counts)).argmax()), None
    while place < len(counts) and goal.holds(int(correct[counts[place] - 1]), int(counts[place])):
        best = int(counts[place])
        place = max(place + 1, int(np.searchsorted(counts, best * STEP)))
        if place >= len(counts) and best < counts[-1]:
            place = len(counts) - 1
    return None if best is None else float(ranked[best - 1])


def labels_needed(scores: np.ndarray, labels: int, goal: Goal) -> int | None:
    """About how many more labelled texts it takes, if the scores are as right as they say; None if they never do.

    For the best of all cuts: as many answers as hold the goal, at the pace at which the labels so far brought them.
    Where answers are too few to hold it in any case, it may also be that all of them will be right.
    """
    ranked = np.sort(scores)[::-1]
    counts = np.unique(np.geomspace(1, len(ranked), 30).astype(int)) if len(ranked) else np.zeros(0, dtype=int)
    expected = np.cumsum(_sigmoid(ranked))[counts - 1] / counts
    texts = [
        needed * labels / count
        for count, share in zip(counts, expected, strict=True)
        if (needed := answers_needed(float(share), goal)) is not None
    ]
    if not texts and len(ranked) < goal.fewest:
        texts = [goal.fewest * (labels + 1) / max(len(ranked), 1)]
    least = min(texts, default=math.inf)
    return None if least > MOST_LABELS else max(1, math.ceil(least) - labels)


def answers_needed(precision: float, goal: Goal) -> int | None:
    """How many answers, right in this share, hold the goal; None if not even very many do."""
    few, many = goal.fewest, MOST_LABELS

    def holds(count: int) -> bool:
        return goal.holds(math.floor(precision * count), count)

    if precision <= goal.precision or not holds(many):
        return None
    while few < many:  # bisection: but for rounding, more answers hold it more easily
        middle = (few + many) // 2
        few, many = (few, middle) if holds(middle) else (middle + 1, many)
    return many


@dataclass(frozen=True)
class Rescoring:
    """Logits anew from what labels say: intercept + slope logit + the bias of the aspect (a logistic regression)."""

    intercept: float
    slope: float
    biases: np.ndarray  # (N,)

    def __call__(self, logits: np.ndarray, aspects: np.ndarray) -> np.ndarray:
        return self.intercept + self.slope * logits + self.biases[aspects]

    def probability(self, score: float, aspect: int) -> float:
        """The probability that has this score."""
        return float(_sigmoid((score - self.intercept - self.biases[aspect]) / self.slope))

    @classmethod
    def fit(cls, found: _Answers, used: np.ndarray, aspects: int) -> Rescoring:
        """The most probable one, by Newton's method; without labels, logits stay as they are."""
        logits, right = found.scores[used], found.right[used]
        X = np.column_stack([np.ones(len(logits)), logits, np.eye(aspects)[found.aspects[used]]])  # (A, 2 + N)
        prior = np.array([*PRIORS[:2], *[PRIORS[2]] * aspects])
        weights = np.zeros(len(prior))  # beside a slope of 1
        for _ in range(30):
            p = _sigmoid(logits + X @ weights)
            gradient = X.T @ (p - right) + prior * weights
            step = np.linalg.solve((X * (p * (1 - p))[:, None]).T @ X + np.diag(prior), gradient)
            weights -= step
            if np.abs(step).max() < 1e-8:
                break
        return cls(float(weights[0]), max(0.1, 1 + float(weights[1])), weights[2:])


def binomial_tail(least: int, trials: int, probability: float) -> float:
    """How probable `least` successes or more are."""
    if least <= 0:
        return 1.0
    if least > trials:
        return 0.0
    k, log_factorials = np.arange(least, trials + 1), _log_factorials(1 << max(trials, 1).bit_length())
    log_choose = log_factorials[trials] - log_factorials[k] - log_factorials[trials - k]
    return float(min(1.0, np.exp(log_choose + k * np.log(probability) + (trials - k) * np.log1p(-probability)).sum()))


@lru_cache(maxsize=4)
def _log_factorials(most: int) -> np.ndarray:
    """(most + 1,) of 0, 1, ..."""
    return np.concatenate([[0.0], np.cumsum(np.log(np.arange(1, most + 1)))])


def precision_bound(right: int, accepted: int, confidence: float) -> float:
    """The one-sided lower bound of Clopper and Pearson (1934), by bisection; 0 where nothing was right."""
    low, high = 0.0, 1.0
    for _ in range(50 if right else 0):
        middle = (low + high) / 2
        low, high = (middle, high) if binomial_tail(right, accepted, middle) <= 1 - confidence else (low, middle)
    return low


def _answers(probabilities: np.ndarray, truth: np.ndarray, thresholds: np.ndarray) -> _Answers:
    texts, aspects = np.nonzero(decide(probabilities, thresholds))
    p = np.clip(probabilities[texts, aspects], 1e-9, 1 - 1e-9)
    return _Answers(texts, aspects, np.log(p) - np.log1p(-p), truth[texts, aspects].astype(bool))


def _sigmoid(logits: Any) -> Any:
    return 1 / (1 + np.exp(-np.clip(logits, -500, 500)))

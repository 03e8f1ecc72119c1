"""What the checked sentences of an audit say: precision, recall and F1, each with an interval."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from fewaspect.core.errors import ConfigError, DataError
from fewaspect.data.labels import check_lengths, to_indicator_matrix, unknown_aspect_error
from fewaspect.detector.labelling.recalibration import Population, posterior_curves, to_logits

if TYPE_CHECKING:
    from fewaspect.detector.labelling.audit import Audit

TIMES = (2.0, 3.0, 4.0, 5.0, 7.0, 10.0, 15.0)  # as many labels, tried to see when an interval is half as wide


@dataclass(frozen=True)
class Estimate:
    """The median of what is probable, and the interval that holds the truth with the confidence asked for."""

    value: float
    low: float
    high: float

    def __str__(self) -> str:
        return f"{self.value:.2f} ({self.low:.2f} to {self.high:.2f})"


@dataclass(frozen=True)
class AuditedAspect:
    """`answered`: of all sentences; `checked`: of those how many were checked; `found`: checked ones that have the
    aspect. `more`: about how many further sentences would halve the interval of F1, at most all there are."""

    precision: Estimate | None  # None where the aspect is answered nowhere
    recall: Estimate
    f1: Estimate
    answered: int
    checked: int
    found: int
    more: int


@dataclass(frozen=True)
class AuditResult:
    """`precision`, `recall` and `f1` are of all answers together (micro); as a string, a table."""

    aspects: dict[str, AuditedAspect]
    precision: Estimate | None
    recall: Estimate
    f1: Estimate
    macro_f1: Estimate
    labelled: int
    size: int
    confidence: float
    more: int  # sentences that would about halve the interval of F1

    def __str__(self) -> str:
        width = max([len("all answers"), *map(len, self.aspects)])
        rows = [f"{'aspect':{width}}  {'precision':20}  {'recall':20}  {'F1':20}  checked  more"]
        for name, row in self.aspects.items():
            rows.append(f"{name:{width}}  {_cells(row)}  {row.checked:7d}  {row.more:4d}")
        rows.append(f"{'all answers':{width}}  {_cells(self)}  {self.labelled:7d}  {self.more:4d}")
        return "\n".join(rows)


@dataclass(frozen=True)
class Outcomes:
    """Draws of what is true of all sentences."""

    right: np.ndarray  # (N, draws) sentences for which an aspect is answered that has it
    positives: np.ndarray  # (N, draws) sentences that have it
    answered: np.ndarray  # (N, 1)

    @property
    def together(self) -> Outcomes:
        """All aspects as one."""
        return Outcomes(*(part.sum(axis=0, keepdims=True) for part in (self.right, self.positives, self.answered)))

    @property
    def precision(self) -> np.ndarray:
        return self.right / np.maximum(self.answered, 1)

    @property
    def recall(self) -> np.ndarray:
        """Where no sentence has the aspect, nothing is missed."""
        return np.where(self.positives > 0, self.right / np.maximum(self.positives, 1), 1.0)

    @property
    def f1(self) -> np.ndarray:
        """1 where the aspect is nowhere and answered nowhere."""
        both = self.answered + self.positives
        return np.where(both > 0, 2 * self.right / np.maximum(both, 1), 1.0)


@dataclass(frozen=True)
class Checked:
    """The labelled sentences of an audit: (n, N) logits, what is answered, what is true."""

    logits: np.ndarray
    answered: np.ndarray
    truth: np.ndarray

    @classmethod
    def of(cls, audit: Audit, labels: Any) -> Checked:
        rows, truth = read_answers(audit, labels)
        sentences = [audit.sentences[row] for row in rows]
        if not sentences:
            raise DataError(f"labels: expected those of some of the {len(audit.sentences)} sentences, found none.")
        logits = to_logits(np.array([sentence.probabilities for sentence in sentences]))
        answered = np.array([[name in sentence.answers for name in audit.names] for sentence in sentences])
        return cls(logits, answered, truth)

    def outcomes(self, audit: Audit, times: float = 1.0) -> Outcomes:
        """As if there were so many `times` as many labels that say the same."""
        n = len(self.truth)
        rng = np.random.default_rng(audit.seed)
        curves = posterior_curves(self.logits, self.answered, self.truth, rng, times)  # (N, 3, draws)
        left = max(audit.size - times * n, 0) / max(audit.size - n, 1)  # share of the others that stays unlabelled
        counts = []
        for population, own, *columns in zip(
            audit.population, curves, self.logits.T, self.answered.T, self.truth.T, strict=True
        ):
            logits, answered, truth = columns
            rest = population.without(Population.of(logits, answered))
            known = times * np.bincount(answered[truth].astype(int), minlength=2)  # not answered, answered
            counts.append(known[:, None] + rest.true_counts(own, rng, left))
        true = np.stack(counts)  # (N, 2, draws)
        predicted = np.array([[population.answered] for population in audit.population])
        return Outcomes(np.minimum(true[:, 1], predicted), true.sum(axis=1), predicted)


def estimate(audit: Audit, labels: Any, confidence: float) -> AuditResult:
    """Of the sentences that have labels; the same labels give the same numbers."""
    if not 0 < confidence < 1:
        raise ConfigError(f"confidence: expected a number between 0 and 1, found {confidence!r}.")
    checked = Checked.of(audit, labels)
    now, (*more, more_of_all) = checked.outcomes(audit), labels_to_halve(audit, checked, confidence)
    aspects = {}
    for n, (name, population) in enumerate(zip(audit.names, audit.population, strict=True)):
        precision, recall, f1 = (_interval(part[n], confidence) for part in (now.precision, now.recall, now.f1))
        counts = population.answered, int(checked.answered[:, n].sum()), int(checked.truth[:, n].sum())
        aspects[name] = AuditedAspect(precision if population.answered else None, recall, f1, *counts, more[n])
    of_all = now.together
    precision, recall, f1 = (_interval(part[0], confidence) for part in (of_all.precision, of_all.recall, of_all.f1))
    return AuditResult(
        aspects, precision if of_all.answered.any() else None, recall, f1,
        _interval(now.f1.mean(axis=0), confidence), len(checked.truth), audit.size, confidence, more_of_all,
    )  # fmt: skip


def labels_to_halve(audit: Audit, checked: Checked, confidence: float) -> list[int]:
    """For each aspect, and for all answers together, how many further labels make the interval of F1 half as wide."""
    n = len(checked.truth)
    times = [1.0, *(factor for factor in TIMES if factor * n < audit.size), audit.size / n]
    widths = np.stack([_widths(checked.outcomes(audit, factor), confidence) for factor in times])  # (times, N + 1)
    falling = np.log(np.maximum.accumulate(np.maximum(widths, 1e-6)[::-1]))  # more labels never widen an interval
    goals = falling[-1] - np.log(2)
    log_times = [np.interp(goal, own, np.log(times[::-1])) for goal, own in zip(goals, falling.T, strict=True)]
    return [min(round((float(np.exp(own)) - 1) * n), audit.size - n) for own in log_times]


def read_answers(audit: Audit, labels: Any) -> tuple[list[int], np.ndarray]:
    """Which sentences are labelled, and (n, N) what is true of them."""
    if isinstance(labels, str) or not isinstance(labels, Iterable):
        raise DataError(f"labels: expected a list of aspect names, or None, for each sentence, found {labels!r}.")
    given: Any = labels if hasattr(labels, "shape") else list(labels)
    check_lengths(len(audit.sentences), len(given))
    rows = [row for row, own in enumerate(given) if own is not None]
    truth, unknown = to_indicator_matrix(
        given if hasattr(labels, "shape") else [given[row] for row in rows], audit.names, len(rows)
    )
    for name in unknown:
        raise unknown_aspect_error(name, audit.names)
    return rows, truth


def _cells(row: AuditedAspect | AuditResult) -> str:
    return "  ".join(f"{'-' if part is None else str(part):20}" for part in (row.precision, row.recall, row.f1))


def _widths(outcomes: Outcomes, confidence: float) -> np.ndarray:
    """(N + 1,) of the intervals of F1: each aspect, then all together."""
    f1 = np.concatenate([outcomes.f1, outcomes.together.f1])
    low, high = np.quantile(f1, _tails(confidence), axis=1)
    return np.asarray(high - low)


def _interval(draws: np.ndarray, confidence: float) -> Estimate:
    low, high = np.quantile(draws, _tails(confidence))
    return Estimate(float(np.median(draws)), float(low), float(high))


def _tails(confidence: float) -> Sequence[float]:
    return (1 - confidence) / 2, (1 + confidence) / 2

"""Probabilities to the aspects that are answered, and what `analyze` says of them: the numbers that decided, what each
word adds, the nearest examples.

Thresholds, as given, tuned or by default, act here and nowhere else.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from numbers import Real
from typing import TYPE_CHECKING, Any

import numpy as np

from fewaspect.core.errors import ConfigError
from fewaspect.data.labels import unknown_aspect_error
from fewaspect.text.language import language_of

if TYPE_CHECKING:
    from fewaspect.detector.fitting import FittedState
    from fewaspect.detector.labelling.target_precision import Promise
    from fewaspect.detector.model import InferenceModel, SentencePredictions
    from fewaspect.detector.sentiment.aspect_sentiment import AspectSentiment

DEFAULT_THRESHOLD = 0.4  # chosen on the validation sets of the corpus: docs/explanation/shipped-model.md
NEAREST = 3  # examples shown per aspect

Threshold = float | Mapping[str, float] | None


def thresholds_of(names: Sequence[str], given: Threshold, tuned: Mapping[str, float]) -> np.ndarray:
    """(N,) what each aspect's probability must reach: what is given, else what was tuned, else the default."""
    if given is None or isinstance(given, Mapping):
        chosen = {**tuned, **(given or {})}
        for name in given or {}:
            if name not in names:
                raise unknown_aspect_error(name, names)
        own = {name: _checked(value, f"threshold of {name}") for name, value in chosen.items()}
        return np.array([own.get(name, DEFAULT_THRESHOLD) for name in names])
    return np.full(len(names), _checked(given, "threshold"))


def plain(given: Threshold) -> Threshold:
    """For JSON, which knows no numbers of numpy."""
    if given is None:
        return None
    return {name: float(value) for name, value in given.items()} if isinstance(given, Mapping) else float(given)


def decide(probabilities: np.ndarray, thresholds: np.ndarray | float) -> np.ndarray:
    """(Q, N) booleans; a probability of 0, which only a text without words has, never suffices."""
    return (probabilities >= thresholds) & (probabilities > 0)


def reason(probabilities: np.ndarray, thresholds: np.ndarray, decided: np.ndarray, names: Sequence[str]) -> str:
    """Why these aspects and no others, or why none: the numbers that decided."""
    if not probabilities.any():
        return "no aspect: there are no words to read"
    if decided.any():
        return ", ".join(
            f"{names[n]} {probabilities[n]:.2f} >= {thresholds[n]:.2f}" for n in best_first(probabilities, decided)
        )
    best = int(probabilities.argmax())
    return f"best: {names[best]} {_below(probabilities[best], thresholds[best])}"


def best_first(probabilities: np.ndarray, decided: np.ndarray) -> list[int]:
    """The decided aspects' numbers, the most probable first."""
    return [int(n) for n in np.argsort(-probabilities, kind="stable") if decided[n]]


def _below(probability: float, threshold: float) -> str:
    """Both numbers with as many digits as it takes to tell them apart."""
    for digits in range(2, 6):
        if f"{probability:.{digits}f}" != f"{threshold:.{digits}f}":
            break
    return f"{probability:.{digits}f} < {threshold:.{digits}f}"


def _checked(value: Any, name: str) -> float:
    if isinstance(value, bool) or not isinstance(value, Real) or not 0 <= float(value) <= 1:
        raise ConfigError(f"{name}: expected a number from 0 to 1, found {value!r}.")
    return float(value)


@dataclass(frozen=True)
class WordEvidence:
    """A word, where it stands in the text, and what it adds to the score of each aspect in its sentence."""

    start: int
    end: int
    text: str
    evidence: dict[str, float]


@dataclass(frozen=True)
class NearExample:
    """An example, the aspects it was given for, and its cosine with the sentence that speaks most for the aspect."""

    text: str
    aspects: tuple[str, ...]
    similarity: float


@dataclass(frozen=True)
class SentenceResult:
    """One sentence of a text: where it stands, what is decided of it and why; `accepted` and `sentiment` as of an
    `Analysis`."""

    start: int
    end: int
    text: str
    aspects: tuple[str, ...]
    probabilities: dict[str, float]
    reason: str
    accepted: tuple[str, ...] | None = None
    sentiment: dict[str, AspectSentiment] | None = None


@dataclass(frozen=True)
class Analysis:
    """The analysis of a text: its aspects (best first), all probabilities, the reason, words, examples and sentences.

    `accepted` are the aspects that keep the promise of `tune(precision=...)`, None without one. `sentiment` is that of
    each of the aspects, where it was asked for.
    """

    text: str
    aspects: tuple[str, ...]
    probabilities: dict[str, float]
    reason: str
    words: tuple[WordEvidence, ...]
    nearest: dict[str, tuple[NearExample, ...]]
    sentences: tuple[SentenceResult, ...]
    accepted: tuple[str, ...] | None = None
    sentiment: dict[str, AspectSentiment] | None = None

    @cached_property
    def language(self) -> str:
        """Of the text, as a code of two letters; empty where it is not known."""
        return language_of(self.text)


def explain(
    model: InferenceModel,
    state: FittedState,
    texts: Sequence[str],
    predictions: SentencePredictions,
    thresholds: np.ndarray,
    promise: Promise | None = None,
) -> list[Analysis]:
    """The analyses of texts that have been read; with words if evidence, with examples if vectors were asked for."""
    names = state.examples.names
    decided = decide(predictions.probabilities, thresholds)  # (sentences, N)
    of_texts, kept = predictions.of_texts, accepted_names(names, promise)
    evidence = _word_evidence(model, state, predictions)
    results = []
    for number, text in enumerate(texts):
        spans, rows, p = predictions.spans[number], predictions.rows[number], of_texts[number]
        union: np.ndarray = np.any(decided[rows], axis=0) if rows else np.zeros(len(names), dtype=bool)
        sentences = tuple(
            SentenceResult(
                start, end, text[start:end], _named(names, predictions.probabilities[row], decided[row]),
                _by_name(names, predictions.probabilities[row]),
                reason(predictions.probabilities[row], thresholds, decided[row], names),
                kept(predictions.probabilities[row], decided[row]),
            )
            for (start, end), row in zip(spans, rows, strict=True)
        )  # fmt: skip
        in_words = tuple(
            WordEvidence(start + at, start + to, text[start + at : start + to], adds)
            for (start, _), row in zip(spans, rows, strict=True)
            for at, to, adds in evidence.get(row, ())
        )
        nearest = _nearest(state, predictions, rows) if rows and len(predictions.vectors) else {}
        results.append(
            Analysis(
                text, _named(names, p, union), _by_name(names, p), reason(p, thresholds, union, names),
                in_words, nearest, sentences, kept(p, union),
            )
        )  # fmt: skip
    return results


def accepted_names(
    names: Sequence[str], promise: Promise | None
) -> Callable[[np.ndarray, np.ndarray], tuple[str, ...] | None]:
    """What gives, of (N,) probabilities and decisions, the aspects that are accepted; None without a promise."""

    def accepted(p: np.ndarray, decided: np.ndarray) -> tuple[str, ...] | None:
        return None if promise is None else _named(names, p, decided & promise.reached(names, p))

    return accepted


def _word_evidence(
    model: InferenceModel, state: FittedState, predictions: SentencePredictions
) -> dict[int, list[tuple[int, int, dict[str, float]]]]:
    """By sentence, the places of its words in it and what each adds; punctuation is no word."""
    names, found = state.examples.names, {}
    read = model.encoder.tokeniser.words([predictions.sentences[row] for row in predictions.evidence])
    for (row, shares), (places, word_of_token) in zip(predictions.evidence.items(), read, strict=True):
        sentence, adds = predictions.sentences[row], np.zeros((len(places), len(names)))
        tokens = [token for token, word in enumerate(word_of_token) if word is not None]
        np.add.at(adds, [word for word in word_of_token if word is not None], shares.T[tokens])
        found[row] = [
            (start, end, dict(zip(names, values, strict=True)))
            for (start, end), values in zip(places, adds.tolist(), strict=True)
            if not _is_punctuation(sentence[start:end])
        ]
    return found


def _nearest(
    state: FittedState, predictions: SentencePredictions, rows: Sequence[int]
) -> dict[str, tuple[NearExample, ...]]:
    """For each aspect those of its examples that are nearest to the sentence where it is most probable."""
    examples, nearest = state.examples, {}
    texts, membership = examples.texts, examples.membership
    similar = predictions.vectors[rows] @ state.example_vectors.T  # (sentences of the text, S)
    best = predictions.probabilities[rows].argmax(axis=0)  # (N,)
    for n, name in enumerate(examples.names):
        own = np.flatnonzero(membership[:, n])
        order = own[np.argsort(-similar[best[n], own], kind="stable")][:NEAREST]
        nearest[name] = tuple(
            NearExample(texts[s], tuple(x for x in examples.names if x in examples.sentences[texts[s]]),
                        round(float(similar[best[n], s]), 6))
            for s in order
        )  # fmt: skip
    return nearest


def _named(names: Sequence[str], probabilities: np.ndarray, decided: np.ndarray) -> tuple[str, ...]:
    return tuple(names[n] for n in best_first(probabilities, decided))


def _by_name(names: Sequence[str], values: np.ndarray) -> dict[str, float]:
    return dict(zip(names, values.tolist(), strict=True))


def _is_punctuation(word: str) -> bool:
    return not word.isalnum() and all(unicodedata.category(letter).startswith("P") for letter in word)

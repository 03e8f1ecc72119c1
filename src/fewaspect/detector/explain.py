"""What `analyze` answers: decisions with their reasons, what each word adds, the nearest examples."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from fewaspect.detector.fitting import FittedState
from fewaspect.detector.model import InferenceModel, SentencePredictions
from fewaspect.detector.thresholds import best_first, decide, reason

NEAREST = 3  # examples shown per aspect


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
    """One sentence of a text: where it stands, what is decided of it and why."""

    start: int
    end: int
    text: str
    aspects: tuple[str, ...]
    probabilities: dict[str, float]
    reason: str


@dataclass(frozen=True)
class Analysis:
    """A text: its aspects (best first), all probabilities, the reason, and where all of it comes from."""

    text: str
    aspects: tuple[str, ...]
    probabilities: dict[str, float]
    reason: str
    words: tuple[WordEvidence, ...]
    nearest: dict[str, tuple[NearExample, ...]]
    sentences: tuple[SentenceResult, ...]


def explain(
    scorer: InferenceModel,
    known: FittedState,
    texts: Sequence[str],
    reading: SentencePredictions,
    thresholds: np.ndarray,
) -> list[Analysis]:
    """The analyses of texts that have been read; with words if evidence, with examples if vectors were asked for."""
    names = known.examples.names
    decided = decide(reading.probabilities, thresholds)  # (sentences, N)
    of_texts = reading.of_texts
    evidence = _word_evidence(scorer, known, reading)
    results = []
    for number, text in enumerate(texts):
        spans, rows, p = reading.spans[number], reading.rows[number], of_texts[number]
        union: np.ndarray = np.any(decided[rows], axis=0) if rows else np.zeros(len(names), dtype=bool)
        sentences = tuple(
            SentenceResult(
                start, end, text[start:end], _named(names, reading.probabilities[row], decided[row]),
                _by_name(names, reading.probabilities[row]),
                reason(reading.probabilities[row], thresholds, decided[row], names),
            )
            for (start, end), row in zip(spans, rows, strict=True)
        )  # fmt: skip
        in_words = tuple(
            WordEvidence(start + at, start + to, text[start + at : start + to], adds)
            for (start, _), row in zip(spans, rows, strict=True)
            for at, to, adds in evidence.get(row, ())
        )
        nearest = _nearest(known, reading, rows) if rows and len(reading.vectors) else {}
        results.append(
            Analysis(
                text, _named(names, p, union), _by_name(names, p), reason(p, thresholds, union, names),
                in_words, nearest, sentences,
            )
        )  # fmt: skip
    return results


def _word_evidence(
    scorer: InferenceModel, known: FittedState, reading: SentencePredictions
) -> dict[int, list[tuple[int, int, dict[str, float]]]]:
    """By sentence, the places of its words in it and what each adds; punctuation is no word."""
    names, found = known.examples.names, {}
    read = scorer.encoder.tokeniser.words([reading.sentences[row] for row in reading.evidence])
    for (row, shares), (places, word_of_token) in zip(reading.evidence.items(), read, strict=True):
        sentence, adds = reading.sentences[row], np.zeros((len(places), len(names)))
        tokens = [token for token, word in enumerate(word_of_token) if word is not None]
        np.add.at(adds, [word for word in word_of_token if word is not None], shares.T[tokens])
        found[row] = [
            (start, end, dict(zip(names, values, strict=True)))
            for (start, end), values in zip(places, adds.tolist(), strict=True)
            if not _is_punctuation(sentence[start:end])
        ]
    return found


def _nearest(
    known: FittedState, reading: SentencePredictions, rows: Sequence[int]
) -> dict[str, tuple[NearExample, ...]]:
    """For each aspect those of its examples that are nearest to the sentence where it is most probable."""
    examples, nearest = known.examples, {}
    texts, membership = examples.texts, examples.membership
    similar = reading.vectors[rows] @ known.example_vectors.T  # (sentences of the text, S)
    best = reading.probabilities[rows].argmax(axis=0)  # (N,)
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

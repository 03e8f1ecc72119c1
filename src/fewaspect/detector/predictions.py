"""Texts as sentences, and sentences as probabilities; equal sentences are read once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from fewaspect.detector.encoding import FittedState
from fewaspect.detector.model import InferenceModel
from fewaspect.inference.encoded import Sentences
from fewaspect.text.splitting import Span, fitting_spans, sentence_spans


@dataclass(frozen=True)
class SentencePredictions:
    """Where each text's sentences stand, which of the distinct ones each is, and what each of these comes to."""

    spans: list[list[Span]]  # of each text
    rows: list[list[int]]  # of each text, beside its spans
    sentences: list[str]  # distinct
    probabilities: np.ndarray  # (sentences, N)
    vectors: np.ndarray  # (sentences, d), or (0, d) if they were not asked for
    cut: list[bool]  # of each text: whether a sentence was too long for the encoder and is read in pieces
    evidence: dict[int, np.ndarray] = field(default_factory=dict)  # (N, T) what tokens add to scores, if asked for

    @property
    def of_texts(self) -> np.ndarray:
        """(texts, N): an aspect is as probable in a text as in the sentence where it is most probable."""
        result = np.zeros((len(self.rows), self.probabilities.shape[1]))
        for text, rows in enumerate(self.rows):
            if rows:
                result[text] = self.probabilities[rows].max(axis=0)
        return result


def split(
    scorer: InferenceModel, texts: Sequence[str]
) -> tuple[list[list[Span]], list[list[int]], list[str], list[bool]]:
    """The sentences of each text, none longer than the encoder reads: places, numbers, the distinct ones, and in
    which texts some had to be cut."""
    whole = [sentence_spans(text) for text in texts]
    spans = fitting_spans(texts, whole, scorer.encoder.tokens.too_long)
    numbers: dict[str, int] = {}
    rows = [
        [numbers.setdefault(text[start:end], len(numbers)) for start, end in own]
        for text, own in zip(texts, spans, strict=True)
    ]
    return spans, rows, list(numbers), [own != first for own, first in zip(spans, whole, strict=True)]


def read(
    scorer: InferenceModel, known: FittedState, texts: Sequence[str], batch_tokens: int | None, *,
    vectors: bool = False, evidence: bool = False,
) -> SentencePredictions:  # fmt: skip
    """Every sentence compared with every aspect; one without a word that can be read has probabilities of nought."""
    spans, rows, sentences, cut = split(scorer, texts)
    reading = SentencePredictions(
        spans, rows, sentences, np.zeros((len(sentences), len(known.examples.names))),
        np.zeros((len(sentences) if vectors else 0, scorer.encoder.width), dtype=np.float32), cut,
    )  # fmt: skip
    aspects = known.aspects  # learned now, not by several workers at once

    def compare(some: Sentences) -> tuple[np.ndarray, np.ndarray, list[np.ndarray]]:
        adds = scorer.looking.token_evidence(aspects, some) if evidence else []
        return scorer.probabilities(aspects, some), some.vectors, adds

    for batch, (probabilities, directions, adds) in scorer.each(sentences, batch_tokens, compare):
        reading.probabilities[batch] = probabilities
        if vectors:
            reading.vectors[batch] = directions
        if evidence:
            reading.evidence.update(zip(batch.tolist(), adds, strict=True))
    return reading

"""Random sentences, support sets and scorers for the tests of the scoring core."""

from __future__ import annotations

from typing import Any

import numpy as np

from fewaspect.core.settings import LPNPlusSettings
from fewaspect.detector.scoring import LPNPlusScorer, SupportSet
from fewaspect.inference.encoded import Sentences

WIDTH = 16


def random_sentences(rng: np.random.Generator, count: int) -> Sentences:
    """Token states of one to nine tokens, with a common direction, as encoders have it."""
    return Sentences.of(
        [rng.normal(0.3, 1, (rng.integers(1, 10), WIDTH)).astype(np.float32) for _ in range(count)], WIDTH
    )


def some_support(rng: np.random.Generator, aspects: int, unused: int = 0) -> SupportSet:
    """Uneven examples, one of two aspects; an aspect without any if there are a few; `unused` rows count for none."""
    examples, labels = random_sentences(rng, 4 * aspects + unused), random_sentences(rng, aspects)
    membership = np.zeros((len(examples), aspects), dtype=np.float32)
    membership[np.arange(4 * aspects), np.arange(4 * aspects) % aspects] = 1
    membership[0, -1] = 1
    membership[(rng.random(membership.shape) < 0.2) & (np.arange(len(examples)) >= aspects)[:, None]] = 0
    membership[:, 0] *= aspects != 4
    return SupportSet(
        examples, np.arange(len(examples)), membership, np.zeros(len(examples), np.float32), labels.vectors, labels
    )


def some_scorer(**settings: Any) -> LPNPlusScorer:
    return LPNPlusScorer(20.0, 0.5, -0.4, -0.3, LPNPlusSettings(**settings))


def prototypes_of(scorer: LPNPlusScorer, support: SupportSet) -> np.ndarray:
    columns = zip(support.membership.T, support.labels, strict=True)
    return np.stack([scorer.prototype(support.examples.vectors, own, label) for own, label in columns])


def states(sentences: Sentences) -> list[np.ndarray]:
    """(T, d) of each sentence, in double precision."""
    return [sentences.tokens[start:end].astype(float) for start, end in sentences.spans()]

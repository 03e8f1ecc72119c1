"""Statistics of labelled sentences: counts, lengths, duplicates, aspects too small for K shots."""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from fewaspect.data.labelled import SentenceSet


@dataclass(frozen=True, slots=True)
class WordCounts:
    """White-space separated words per sentence."""

    mean: float
    median: float
    p95: float
    max: int


@dataclass(frozen=True, slots=True)
class AspectCount:
    """Number of lines with an aspect, and of distinct texts among them."""

    sentences: int
    texts: int


@dataclass(frozen=True, slots=True)
class Statistics:
    """Statistics of a sentence set.

    `duplicates` counts lines whose text occurred before (by `text_identity`), `contradictory` those of them with other
    aspects than before. `too_small` are the aspects with fewer than `shots` + `queries` distinct texts.
    """

    name: str
    sentences: int
    aspects: int
    labels_per_sentence: dict[int, int]
    none: int
    words: WordCounts
    duplicates: int
    contradictory: int
    shots: int
    queries: int
    too_small: tuple[str, ...]
    per_aspect: dict[str, AspectCount]

    def as_json(self) -> dict[str, Any]:
        """JSON-able values."""
        return asdict(self)


def describe(sentences: SentenceSet, shots: int = 5, queries: int = 5) -> Statistics:
    """Statistics of the sentences; aspects are ordered by falling frequency."""
    labels = Counter(len(set(sentence.aspects)) for sentence in sentences)
    per_aspect = _per_aspect(sentences)
    duplicates, contradictory = _duplicates(sentences)
    too_small = tuple(name for name, count in per_aspect.items() if count.texts < shots + queries)
    return Statistics(
        name=sentences.name, sentences=len(sentences), aspects=len(per_aspect),
        labels_per_sentence=dict(sorted(labels.items())), none=labels[0], words=_word_counts(sentences),
        duplicates=duplicates, contradictory=contradictory, shots=shots, queries=queries, too_small=too_small,
        per_aspect=per_aspect,
    )  # fmt: skip


def _per_aspect(sentences: SentenceSet) -> dict[str, AspectCount]:
    lines: Counter[str] = Counter()
    texts: dict[str, set[int]] = {}
    for sentence, text_id in zip(sentences, sentences.text_ids.tolist(), strict=True):
        for aspect in set(sentence.aspects):
            lines[aspect] += 1
            texts.setdefault(aspect, set()).add(text_id)
    order = sorted(lines, key=lambda aspect: (-lines[aspect], aspect))
    return {aspect: AspectCount(lines[aspect], len(texts[aspect])) for aspect in order}


def _duplicates(sentences: SentenceSet) -> tuple[int, int]:
    first: dict[int, frozenset[str]] = {}
    duplicates = contradictory = 0
    for sentence, text_id in zip(sentences, sentences.text_ids.tolist(), strict=True):
        aspects = frozenset(sentence.aspects)
        if text_id in first:
            duplicates += 1
            contradictory += aspects != first[text_id]
        else:
            first[text_id] = aspects
    return duplicates, contradictory


def _word_counts(sentences: SentenceSet) -> WordCounts:
    lengths = np.array([len(text.split()) for text in sentences.texts] or [0])
    median, p95 = np.percentile(lengths, [50, 95])
    return WordCounts(round(float(lengths.mean()), 2), float(median), round(float(p95), 2), int(lengths.max()))

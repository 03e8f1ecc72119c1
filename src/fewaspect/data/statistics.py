"""What a set of labelled sentences holds: counts, lengths, duplicates, aspects too small for K shots."""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from fewaspect.data.labelled import SentenceSet


@dataclass(frozen=True, slots=True)
class Words:
    """Words per sentence, a word being what stands between spaces."""

    mean: float
    median: float
    p95: float
    max: int


@dataclass(frozen=True, slots=True)
class AspectCount:
    """How many lines carry an aspect, and how many distinct texts those are."""

    sentences: int
    texts: int


@dataclass(frozen=True, slots=True)
class Statistics:
    """The answer of `describe`.

    `duplicates` are lines whose text came before (case and spacing do not count); `contradictory` are those of them
    with other aspects than at its first occurrence. `too_small` names the aspects with fewer than `shots` + `queries`
    distinct texts.
    """

    name: str
    sentences: int
    aspects: int
    labels_per_sentence: dict[int, int]
    none: int
    words: Words
    duplicates: int
    contradictory: int
    shots: int
    queries: int
    too_small: tuple[str, ...]
    per_aspect: dict[str, AspectCount]

    def as_json(self) -> dict[str, Any]:
        """Plain values for a JSON file."""
        return asdict(self)


def describe(sentences: SentenceSet, shots: int = 5, queries: int = 5) -> Statistics:
    """Count everything once; aspects are listed from the most to the least frequent."""
    labels_per_sentence = Counter(len(set(sentence.aspects)) for sentence in sentences)
    per_aspect = _per_aspect(sentences)
    duplicates, contradictory = _duplicates(sentences)
    return Statistics(
        name=sentences.name,
        sentences=len(sentences),
        aspects=len(per_aspect),
        labels_per_sentence=dict(sorted(labels_per_sentence.items())),
        none=labels_per_sentence[0],
        words=_words(sentences),
        duplicates=duplicates,
        contradictory=contradictory,
        shots=shots,
        queries=queries,
        too_small=tuple(name for name, count in per_aspect.items() if count.texts < shots + queries),
        per_aspect=per_aspect,
    )


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


def _words(sentences: SentenceSet) -> Words:
    lengths = np.array([len(text.split()) for text in sentences.texts] or [0])
    median, p95 = np.percentile(lengths, [50, 95])
    return Words(round(float(lengths.mean()), 2), float(median), round(float(p95), 2), int(lengths.max()))

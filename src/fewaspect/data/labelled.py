"""Labelled sentences, sets of them indexed by aspect, and multi-aspect ones joined from two for training."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np

from fewaspect.core.forking import cached_property
from fewaspect.text.identity import text_identity


@dataclass(frozen=True, slots=True)
class LabelledSentence:
    """A sentence and the names of its aspects, which may be none."""

    text: str
    aspects: tuple[str, ...] = ()
    polarities: tuple[str | None, ...] = ()  # what it says about each, where that was read


class SentenceSet:
    """Labelled sentences with an index from each aspect to the sentences that carry it."""

    def __init__(self, sentences: Iterable[LabelledSentence], name: str = "") -> None:
        self.sentences = tuple(sentences)
        self.name = name

    def __len__(self) -> int:
        return len(self.sentences)

    def __iter__(self) -> Iterator[LabelledSentence]:
        return iter(self.sentences)

    def __getitem__(self, index: int) -> LabelledSentence:
        return self.sentences[index]

    @cached_property
    def texts(self) -> tuple[str, ...]:
        return tuple(sentence.text for sentence in self.sentences)

    @cached_property
    def classes(self) -> tuple[str, ...]:
        """All aspect names, sorted."""
        return tuple(sorted({aspect for sentence in self.sentences for aspect in sentence.aspects}))

    @cached_property
    def labels(self) -> np.ndarray:
        """(sentences, classes) booleans, in the order of `classes`."""
        column = {name: i for i, name in enumerate(self.classes)}
        matrix = np.zeros((len(self), len(self.classes)), dtype=bool)
        for row, sentence in enumerate(self.sentences):
            matrix[row, [column[aspect] for aspect in sentence.aspects]] = True
        return matrix

    @cached_property
    def text_ids(self) -> np.ndarray:
        """(sentences,) integers, equal where the texts have the same `text_identity`."""
        seen: dict[str, int] = {}
        return np.array([seen.setdefault(text_identity(text), len(seen)) for text in self.texts], dtype=np.int64)


def with_joined_sentences(sentences: SentenceSet, share: float, seed: int) -> SentenceSet:
    """The sentences, plus `share` times as many that join two of them and have the aspects of both.

    Only sentences with disjoint, non-empty aspects are joined; where such pairs are rare, there may be fewer.
    """
    rng = np.random.Generator(np.random.PCG64(np.random.SeedSequence([seed, 1])))
    labelled = [sentence for sentence in sentences if sentence.aspects]
    wanted = round(share * len(sentences)) if labelled else 0
    joined: list[LabelledSentence] = []
    attempts = 0
    while len(joined) < wanted and attempts < 100 * wanted:
        attempts += 1
        first, second = (labelled[int(position * len(labelled))] for position in rng.random(2))
        if not set(first.aspects) & set(second.aspects):
            joined.append(LabelledSentence(f"{first.text} {second.text}", (*first.aspects, *second.aspects)))
    return SentenceSet((*sentences, *joined), sentences.name)

"""Labelled sentences, and sets of them indexed by aspect."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from fewaspect.text.identity import text_identity


@dataclass(frozen=True, slots=True)
class LabelledSentence:
    """A sentence and the names of its aspects, which may be none."""

    text: str
    aspects: tuple[str, ...] = ()


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

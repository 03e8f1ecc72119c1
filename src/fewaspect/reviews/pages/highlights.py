"""Which words of a text to mark, for which of its aspects."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from fewaspect.detector.explain import SentenceResult, WordEvidence


@dataclass(frozen=True, slots=True)
class Mark:
    """A word that speaks for an aspect, as a span of the text."""

    start: int
    end: int
    aspect: str
    evidence: float


@dataclass(frozen=True, slots=True)
class Segment:
    """A piece of text, marked for an aspect or plain; the pieces in order are the text."""

    text: str
    aspect: str | None = None


def marks(
    words: Sequence[WordEvidence], sentences: Sequence[SentenceResult], at_least: float = 0.5
) -> tuple[Mark, ...]:
    """In each sentence, each word under the decided aspect that it is the strongest evidence for.

    A word needs at least half the evidence of the strongest word of its sentence; punctuation is never marked.
    """
    return tuple(
        mark for sentence in sentences for mark in _sentence_marks(_words_within(words, sentence), sentence, at_least)
    )


def _words_within(words: Sequence[WordEvidence], sentence: SentenceResult) -> list[WordEvidence]:
    return [
        word
        for word in words
        if sentence.start <= word.start and word.end <= sentence.end and any(map(str.isalnum, word.text))
    ]


def _sentence_marks(words: Sequence[WordEvidence], sentence: SentenceResult, at_least: float) -> Iterator[Mark]:
    needed = {
        name: at_least * max((word.evidence.get(name, 0.0) for word in words), default=0.0) for name in sentence.aspects
    }
    for word in words:
        evidence = {name: word.evidence.get(name, 0.0) for name in sentence.aspects}
        strong = [name for name, value in evidence.items() if value > 0 and value >= needed[name]]
        if strong:
            best = max(strong, key=lambda name: evidence[name])
            yield Mark(word.start, word.end, best, evidence[best])


def segments(text: str, marked: Sequence[Mark], start: int = 0) -> Iterator[Segment]:
    """The text cut at the marks; `start` is where the text begins in the one that the marks count from.

    Neighbours with the same aspect and only spaces between them become one.
    """
    end = 0
    held: Segment | None = None
    for mark in marked:
        first, last = mark.start - start, mark.end - start
        if first < end or last > len(text):
            continue
        between = text[end:first]
        if held and held.aspect == mark.aspect and not between.strip():
            held = Segment(held.text + between + text[first:last], mark.aspect)
        else:
            if held:
                yield held
            if between:
                yield Segment(between)
            held = Segment(text[first:last], mark.aspect)
        end = last
    if held:
        yield held
    if end < len(text):
        yield Segment(text[end:])

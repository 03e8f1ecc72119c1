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
    """In each sentence, each word under the decided aspect that it says most for.

    A word counts if it says at least half of what the strongest word of its sentence says; punctuation never does.
    """
    found = []
    for sentence in sentences:
        inside = [word for word in words if sentence.start <= word.start and word.end <= sentence.end]
        inside = [word for word in inside if any(map(str.isalnum, word.text))]
        strongest = {name: max((w.evidence.get(name, 0.0) for w in inside), default=0.0) for name in sentence.aspects}
        for word in inside:
            said = {name: word.evidence.get(name, 0.0) for name in sentence.aspects}
            strong = [name for name, value in said.items() if value > 0 and value >= at_least * strongest[name]]
            if strong:
                best = max(strong, key=lambda name: said[name])
                found.append(Mark(word.start, word.end, best, said[best]))
    return tuple(found)


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

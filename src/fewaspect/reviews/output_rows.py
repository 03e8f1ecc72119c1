"""What is written for a review, or for one of its sentences: its own columns and what was detected."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from fewaspect.data.formats.records import Place
from fewaspect.detector.tables import ASPECTS, PROBABILITY
from fewaspect.reviews.pages.highlights import Mark, marks

if TYPE_CHECKING:
    from fewaspect.detector.explain import Analysis
    from fewaspect.reviews.readers.review_reader import Review

_DIGITS = 4


@dataclass(frozen=True, slots=True)
class Row:
    """One row of output; `number` is that of the review, from 1, and the text is `start` to `end` of it."""

    place: Place
    fields: Mapping[str, Any]
    text: str
    number: int
    start: int
    end: int
    aspects: tuple[str, ...]
    probabilities: Mapping[str, float]
    reason: str
    marks: tuple[Mark, ...]
    analysis: Analysis


def rows_of(review: Review, analysis: Analysis, number: int, per_sentence: bool) -> Iterator[Row]:
    """A row for the review, or one for each of its sentences, with the sentence in place of the text."""
    marked = marks(analysis.words, analysis.sentences) if analysis.words else ()
    whole = Row(
        review.place, review.fields, analysis.text, number, 0, len(analysis.text), analysis.aspects,
        analysis.probabilities, analysis.reason, marked, analysis,
    )  # fmt: skip
    if not per_sentence:
        yield whole
        return
    for sentence in analysis.sentences:
        yield replace(
            whole,
            fields={**review.fields, review.column: sentence.text},
            text=sentence.text,
            start=sentence.start,
            end=sentence.end,
            aspects=sentence.aspects,
            probabilities=sentence.probabilities,
            reason=sentence.reason,
            marks=tuple(mark for mark in marked if sentence.start <= mark.start and mark.end <= sentence.end),
        )


@dataclass(frozen=True)
class Layout:
    """Which columns are added to those of the reviews, under which names."""

    classes: tuple[str, ...]
    explain: bool = False
    per_sentence: bool = False
    prefix: str = ""

    def flat(self, row: Row) -> dict[str, Any]:
        """For tables: one column per aspect."""
        added: dict[str, Any] = self._where(row) | {ASPECTS: list(row.aspects)}
        added |= {PROBABILITY + name: float(row.probabilities[name]) for name in self.classes}
        if self.explain:
            added |= {"reason": row.reason, "words": _words_in_a_line(row)}
        return self._prefixed(added)

    def nested(self, row: Row) -> dict[str, Any]:
        """For JSON: lists and objects, numbers rounded."""
        added: dict[str, Any] = self._where(row) | {
            ASPECTS: list(row.aspects),
            "probabilities": _rounded(row.probabilities),
        }
        if self.explain:
            added |= {"reason": row.reason, "words": _words(row), "nearest": _nearest(row)}
            if not self.per_sentence:
                added["sentences"] = _sentences(row)
        return self._prefixed(added)

    @property
    def flat_names(self) -> list[str]:
        where = ["row", "start", "end"] if self.per_sentence else []
        explained = ["reason", "words"] if self.explain else []
        return [self.prefix + n for n in (*where, ASPECTS, *(PROBABILITY + c for c in self.classes), *explained)]

    def _where(self, row: Row) -> dict[str, Any]:
        return {"row": row.number, "start": row.start, "end": row.end} if self.per_sentence else {}

    def _prefixed(self, added: dict[str, Any]) -> dict[str, Any]:
        return {self.prefix + name: value for name, value in added.items()}


def _rounded(values: Mapping[str, float]) -> dict[str, float]:
    return {name: round(float(value), _DIGITS) for name, value in values.items()}


def _words(row: Row) -> list[dict[str, Any]]:
    return [
        {
            "text": row.text[mark.start - row.start : mark.end - row.start],
            "start": mark.start - row.start,
            "end": mark.end - row.start,
            "aspect": mark.aspect,
            "evidence": round(float(mark.evidence), _DIGITS),
        }
        for mark in row.marks
    ]


def _words_in_a_line(row: Row) -> str:
    """food: soup, cold; service: waiter"""
    by_aspect: dict[str, list[str]] = {name: [] for name in row.aspects}
    for mark in row.marks:
        by_aspect.setdefault(mark.aspect, []).append(row.text[mark.start - row.start : mark.end - row.start])
    return "; ".join(f"{name}: {', '.join(words)}" for name, words in by_aspect.items() if words)


def _nearest(row: Row) -> dict[str, list[dict[str, Any]]]:
    return {
        name: [
            {"text": near.text, "similarity": round(float(near.similarity), _DIGITS)}
            for near in row.analysis.nearest.get(name, ())
        ]
        for name in row.aspects
    }


def _sentences(row: Row) -> list[dict[str, Any]]:
    return [
        {
            "text": sentence.text,
            "start": sentence.start,
            "end": sentence.end,
            "aspects": list(sentence.aspects),
            "probabilities": _rounded(sentence.probabilities),
            "reason": sentence.reason,
        }
        for sentence in row.analysis.sentences
    ]

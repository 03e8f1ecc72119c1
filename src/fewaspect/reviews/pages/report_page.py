"""The report of a file of reviews: frequencies, co-occurrence, and the sentences that show each aspect best."""

from __future__ import annotations

import heapq
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from fewaspect.reviews.pages.highlights import marks, segments
from fewaspect.reviews.pages.html import hues, render
from fewaspect.reviews.pipeline import Detector
from fewaspect.reviews.sampling import FairSample
from fewaspect.text.identity import text_identity
from fewaspect.text.scripts import count_words, word_set

if TYPE_CHECKING:
    from fewaspect.detector.explain import Analysis
    from fewaspect.reviews.pages.opinions import Opinions
    from fewaspect.reviews.pipeline import Summary

MATRIX = 15  # aspects in the matrix of co-occurrence; more could not be read
_KEPT = 32  # candidates per aspect, from which different ones are chosen
WORDS = range(4, 46)
_FEW = 5  # reviews; pairs of aspects that occur in fewer are left to chance


@dataclass
class BestSentences:
    """The sentences of the highest value by name, each once; never more than a few."""

    best: dict[str, list[tuple[float, int, str]]] = field(default_factory=dict)
    _held: dict[str, set[str]] = field(default_factory=dict)
    _order: int = 0

    def offer(self, name: str, value: float, text: str) -> None:
        heap, held = self.best.setdefault(name, []), self._held.setdefault(name, set())
        same = text_identity(text)
        if same in held or (len(heap) >= _KEPT and value <= heap[0][0]):
            return
        self._order -= 1  # of equals, the earlier stays
        held.add(same)
        heapq.heappush(heap, (value, self._order, text))
        if len(heap) > _KEPT:
            held.discard(text_identity(heapq.heappop(heap)[2]))

    def texts(self, name: str) -> list[str]:
        """The best first."""
        return [text for *_, text in sorted(self.best.get(name, ()), reverse=True)]


@dataclass
class Candidates(BestSentences):
    """The most probable sentences of each aspect and a fair sample of those without any."""

    without: FairSample = field(default_factory=lambda: FairSample(_KEPT))

    def add(self, analyses: Sequence[Analysis]) -> None:
        for analysis in analyses:
            for sentence in analysis.sentences:
                if count_words(sentence.text) not in WORDS:
                    continue
                for name in sentence.aspects:
                    self.offer(name, sentence.probabilities[name], sentence.text)
                if not sentence.aspects:
                    self.without.add(sentence.text)


@dataclass(frozen=True)
class Extras:
    """What a person adds to the page: notes, which charts, of which reviews, their segments, periods and comparison.

    `hues`: colours of aspects, as angles.
    """

    notes: str = ""
    charts: tuple[str, ...] | None = None  # None: all
    where: tuple[str, ...] = ()
    segments: dict[str, Any] | None = None
    comparison: dict[str, Any] | None = None
    periods: dict[str, Any] | None = None
    hues: Mapping[str, int] = field(default_factory=dict)

    def shows(self, chart: str) -> bool:
        return self.charts is None or chart in self.charts


def different(texts: Sequence[str], number: int, overlap: float = 0.5) -> list[str]:
    """The first texts that share at most that part of their words with one chosen before; if too few, others too."""
    texts = list(dict.fromkeys(texts))
    chosen: list[str] = []
    taken: list[set[str]] = []
    for text in texts:
        words = word_set(text_identity(text))
        if all(len(words & other) <= overlap * min(len(words), len(other)) for other in taken):
            chosen.append(text)
            taken.append(words)
    return [*chosen, *(text for text in texts if text not in chosen)][:number]


def render_report(
    detector: Detector, summary: Summary, candidates: Candidates, title: str, each: int = 4,
    opinions: Opinions | None = None, extras: Extras | None = None,
) -> str:  # fmt: skip
    """The page; words are explained for the sentences on it only."""
    extras = extras or Extras()
    chosen = _chosen(candidates, summary.by_frequency(), each) if extras.shows("words") else {}
    without = different(candidates.without.sentences(), 2 * each)
    wanted = list(dict.fromkeys(text for texts in chosen.values() for text in texts))
    analyses = dict(zip(wanted, detector.analyze_many(wanted, words=True), strict=True)) if wanted else {}
    examples = {name: [_example(analyses[text], name) for text in texts] for name, texts in chosen.items()}
    found = [name for name in summary.by_frequency() if summary.counts[name]]
    colours = {**hues(summary.classes), **extras.hues}
    values: dict[str, Any] = {
        "title": title, "summary": summary, "examples": examples, "without": without, "hues": colours,
        "matrix": found[:MATRIX], "left_out": max(0, len(found) - MATRIX), "pairs": _striking(summary),
        "extras": extras, "opinions": None if opinions is None else opinions.rows(found, max(1, each // 2)),
    }  # fmt: skip
    return render("report.html", values)


def _chosen(candidates: Candidates, names: Sequence[str], each: int) -> dict[str, list[str]]:
    """The most probable sentences of each aspect, those that show no other aspect already before those that do."""
    chosen: dict[str, list[str]] = {}
    used: set[str] = set()
    for name in reversed(names):  # rare aspects have the least to choose from
        chosen[name] = different(sorted(candidates.texts(name), key=used.__contains__), each)
        used.update(chosen[name])
    return {name: chosen[name] for name in names}


def _example(analysis: Analysis, name: str) -> dict[str, Any]:
    return {
        "segments": list(segments(analysis.text, marks(analysis.words, analysis.sentences))),
        "probability": analysis.probabilities[name],
        "also": [other for other in analysis.aspects if other != name],
    }


def _striking(summary: Summary, number: int = 3) -> list[tuple[str, str, float, int]]:
    """Aspects that occur together most above chance: the two, how many times as often, in how many reviews."""
    found = [
        (one, other, count * summary.reviews / (summary.counts[one] * summary.counts[other]), count)
        for (one, other), count in summary.pairs.items()
        if count >= _FEW
    ]
    return sorted((pair for pair in found if pair[2] >= 1.2), key=lambda pair: -pair[2])[:number]

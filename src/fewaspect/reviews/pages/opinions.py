"""What the reviews think of each aspect: how many are negative, mixed, neutral and positive, and typical sentences."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from fewaspect.reviews.pages.html import SIGNS
from fewaspect.reviews.pages.report_page import WORDS, BestSentences, different
from fewaspect.text.scripts import count_words

if TYPE_CHECKING:
    from fewaspect.detector.explain import Analysis

_WITH_SENTENCES = ("negative", "positive")


@dataclass
class Opinions:
    """Counts of reviews by aspect and answer, and the surest sentences of each."""

    counts: Counter[tuple[str, str]] = field(default_factory=Counter)
    sentences: dict[str, BestSentences] = field(default_factory=lambda: {w: BestSentences() for w in _WITH_SENTENCES})

    def add(self, analyses: Sequence[Analysis]) -> None:
        for analysis in analyses:
            self.counts.update((name, told.polarity) for name, told in (analysis.sentiment or {}).items())
            for sentence in analysis.sentences:
                if count_words(sentence.text) not in WORDS:
                    continue
                for name, told in (sentence.sentiment or {}).items():
                    if best := self.sentences.get(told.polarity):
                        sureness = sentence.probabilities[name] * told.probabilities[told.polarity]
                        best.offer(name, sureness, sentence.text)

    def rows(self, names: Sequence[str], each: int) -> list[dict[str, Any]]:
        """For the template, an entry for each aspect."""
        return [self._row(name, each) for name in names]

    def _row(self, name: str, each: int) -> dict[str, Any]:
        total = sum(self.counts[name, word] for word in SIGNS)
        parts = [
            {
                "word": word, "sign": sign, "count": (count := self.counts[name, word]),
                "percent": 100 * count / max(1, total),
                "typical": different(self.sentences[word].texts(name), each) if word in self.sentences else [],
            }
            for word, sign in SIGNS.items()
        ]  # fmt: skip
        return {"name": name, "total": total, "parts": parts}

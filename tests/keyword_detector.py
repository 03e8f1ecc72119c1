"""A detector without a model: an aspect is mentioned where one of its keywords is. Quick, and its answers are plain."""

from __future__ import annotations

import re
from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any

KEYWORDS = {"food": ("soup", "pizza"), "service": ("waiter", "staff"), "price & value": ("cheap", "expensive")}


class KeywordDetector:
    """The part of AspectDetector that reading and writing reviews needs; `asked` are the texts of each call."""

    def __init__(self, keywords: dict[str, tuple[str, ...]] = KEYWORDS) -> None:
        self.keywords = keywords
        self.classes_ = list(keywords)
        self.asked: list[list[str]] = []
        self.pile_size_, self.promise_ = 0, None
        self.model_ = SimpleNamespace(scorer=SimpleNamespace(learns_from_pile=False), languages=None)

    def adapt(self, texts: Sequence[str]) -> KeywordDetector:
        """Keywords are all it knows."""
        return self

    def analyze_many(self, texts: Sequence[str], words: bool = True) -> list[Any]:
        self.asked.append(list(texts))
        return [self._analysis(text, words) for text in texts]

    def _analysis(self, text: str, words: bool) -> Any:
        sentences = [self._sentence(text, match) for match in re.finditer(r"[^.\s][^.]*\.?", text)]
        probabilities = {name: max((s.probabilities[name] for s in sentences), default=0.05) for name in self.keywords}
        aspects = tuple(name for name in self.keywords if probabilities[name] > 0.5)
        evidence = [
            SimpleNamespace(
                start=match.start(), end=match.end(), text=match[0],
                evidence={name: float(match[0].lower() in found) for name, found in self.keywords.items()},
            )
            for match in re.finditer(r"\w+", text)
        ]  # fmt: skip
        near = {
            name: (SimpleNamespace(text=found[0], aspects=(name,), similarity=0.5),)
            for name, found in self.keywords.items()
        }
        return SimpleNamespace(
            text=text, aspects=aspects, probabilities=probabilities, reason=self._reason(aspects),
            words=tuple(evidence) if words else (), nearest=near if words else {}, sentences=tuple(sentences),
            accepted=None, sentiment=None, language="en",
        )  # fmt: skip

    def _sentence(self, text: str, match: re.Match[str]) -> Any:
        found = {
            name: 0.95 if any(word in match[0].lower() for word in words) else 0.05
            for name, words in self.keywords.items()
        }
        aspects = tuple(name for name, p in found.items() if p > 0.5)
        return SimpleNamespace(
            start=match.start(), end=match.end(), text=match[0], aspects=aspects, probabilities=found,
            reason=self._reason(aspects), accepted=None, sentiment=None,
        )  # fmt: skip

    def _reason(self, aspects: tuple[str, ...]) -> str:
        return f"keywords of {', '.join(aspects)}" if aspects else "no keyword"

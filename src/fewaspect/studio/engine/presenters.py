"""What the page shows of the sentences of a project."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from fewaspect.detector.explain import Analysis
from fewaspect.inference.languages import is_unread, languages_of
from fewaspect.reviews.pages.highlights import marks
from fewaspect.studio.engine.promises import with_looks
from fewaspect.studio.engine.sentiment.sentence_sentiment import with_sentiment
from fewaspect.studio.engine.snapshot import Snapshot

if TYPE_CHECKING:
    from fewaspect.detector.detector import AspectDetector


def present(snapshot: Snapshot, rows: Sequence[int] | np.ndarray) -> list[dict[str, Any]]:
    """Each sentence with its aspects, probabilities, deciding words and the reason; computed once in a snapshot."""
    rows = [int(row) for row in rows]
    if snapshot.detector is None:
        return [_sentence(snapshot, row, None, False) for row in rows]
    shown = snapshot.shown.get(rows, partial(_analyze, snapshot, snapshot.detector))
    # apart from the cache: what is promised comes later, and what a person says of an aspect changes nothing else
    return with_sentiment(snapshot, rows, with_looks(snapshot, rows, shown))


def unread_languages(snapshot: Snapshot, texts: Sequence[str]) -> list[bool]:
    """Which texts seem to be in a language that the model of the project does not read."""
    reads = languages_of(snapshot.definition.model)
    return [is_unread(reads, text) for text in texts]


def deciding_words(analysis: Analysis, snapshot: Snapshot) -> list[dict[str, Any]]:
    """With weights; that of the strongest word of each aspect is 1."""
    marked = marks(analysis.words, analysis.sentences)
    strongest: dict[str, float] = {}
    for mark in marked:
        strongest[mark.aspect] = max(strongest.get(mark.aspect, 0.0), mark.evidence)
    return [
        {"start": m.start, "end": m.end, "aspect": snapshot.id_by_name[m.aspect],
         "weight": round(m.evidence / strongest[m.aspect], 4)}
        for m in marked
    ]  # fmt: skip


def _analyze(snapshot: Snapshot, detector: AspectDetector, rows: Sequence[int]) -> list[dict[str, Any]]:
    """The probabilities go into the score table too."""
    texts = [snapshot.sentences.texts[row] for row in rows]
    analyses, foreign = detector.analyze_many(texts, nearest=False), unread_languages(snapshot, texts)
    snapshot.scores.put(np.array(rows), np.array([list(analysis.probabilities.values()) for analysis in analyses]))
    return [_sentence(snapshot, *one) for one in zip(rows, analyses, foreign, strict=True)]


def _sentence(snapshot: Snapshot, row: int, analysis: Analysis | None, foreign: bool) -> dict[str, Any]:
    sentences, example = snapshot.sentences, snapshot.confirmed.get(row)
    rejected = [snapshot.aspect_ids[n] for n in snapshot.rejected.get(row, ())]
    found: dict[str, Any] = {"aspects": [], "scores": {}, "words": [], "reason": "there are no aspects yet"}
    if analysis is not None:
        probabilities, reason = analysis.probabilities, analysis.reason
        if example is not None:
            own = [aspect.name for aspect in snapshot.definition.aspects if aspect.id in example.aspects]
            names = tuple(sorted(own, key=lambda name: -probabilities[name]))
            parts = tuple(replace(part, aspects=names) for part in analysis.sentences)
            analysis, reason = replace(analysis, aspects=names, sentences=parts), "an example of yours"
        elif rejected:
            analysis = _without(analysis, {a.name for a in snapshot.definition.aspects if a.id in rejected})
            reason = snapshot.reason(row, np.array([name in analysis.aspects for name in probabilities]))
        found = {
            "aspects": [snapshot.id_by_name[name] for name in analysis.aspects],
            "scores": {str(snapshot.id_by_name[name]): round(float(p), 6) for name, p in probabilities.items()},
            "words": deciding_words(analysis, snapshot),
            "reason": reason,
        }
    return {
        "id": int(sentences.ids[row]), "review_id": int(sentences.review_ids[row]),
        "position": int(sentences.positions[row]), "text": sentences.texts[row], "date": sentences.dates[row], **found,
        "example_id": example.id if example else None, "confirmed": example is not None, "rejected": rejected,
        "look": None, "sentiment": None, "foreign": foreign,
    }  # fmt: skip


def _without(analysis: Analysis, names: Collection[str]) -> Analysis:
    parts = [replace(p, aspects=tuple(name for name in p.aspects if name not in names)) for p in analysis.sentences]
    aspects = tuple(name for name in analysis.aspects if name not in names)
    return replace(analysis, aspects=aspects, sentences=tuple(parts))

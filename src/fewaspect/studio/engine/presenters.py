"""What the page shows of a project: its sentences, and counts of each aspect, of pairs of aspects, by month."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from fewaspect.detector.explain import Analysis
from fewaspect.reviews.pages.highlights import marks
from fewaspect.studio.engine.promises import with_looks
from fewaspect.studio.engine.snapshot import Snapshot

if TYPE_CHECKING:
    from fewaspect.detector.detector import AspectDetector


def present(snapshot: Snapshot, rows: Sequence[int] | np.ndarray) -> list[dict[str, Any]]:
    """Each sentence with its aspects, probabilities, deciding words and the reason; computed once in a snapshot."""
    rows = [int(row) for row in rows]
    if snapshot.detector is None:
        return [_sentence(snapshot, row, None) for row in rows]
    shown = snapshot.shown.get(rows, partial(_analyze, snapshot, snapshot.detector))
    return with_looks(snapshot, rows, shown)  # apart from the cache: what is promised comes later


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


def dashboard_counts(snapshot: Snapshot) -> dict[str, Any]:
    """A project in counts of sentences, by the scores so far."""
    decided, ids = snapshot.decided(), snapshot.aspect_ids
    counts = decided.astype(np.int64)
    both = counts.T @ counts  # (N, N)
    return {
        "sentences": len(decided), "none": int((~decided.any(axis=1)).sum()), "scored": snapshot.scored,
        "revision": snapshot.revision,
        "aspects": [{"id": number, "count": int(both[n, n])} for n, number in enumerate(ids)],
        "together": [[ids[i], ids[j], int(both[i, j])] for i, j in np.argwhere(np.triu(both, 1))],
        "over_time": _by_month(snapshot, decided),
    }  # fmt: skip


def _analyze(snapshot: Snapshot, detector: AspectDetector, rows: Sequence[int]) -> list[dict[str, Any]]:
    """The probabilities go into the score table too."""
    analyses = detector.analyze_many([snapshot.sentences.texts[row] for row in rows], nearest=False)
    snapshot.scores.put(np.array(rows), np.array([list(analysis.probabilities.values()) for analysis in analyses]))
    return [_sentence(snapshot, row, analysis) for row, analysis in zip(rows, analyses, strict=True)]


def _sentence(snapshot: Snapshot, row: int, analysis: Analysis | None) -> dict[str, Any]:
    sentences, example = snapshot.sentences, snapshot.confirmed.get(row)
    found: dict[str, Any] = {"aspects": [], "scores": {}, "words": [], "reason": "there are no aspects yet"}
    if analysis is not None:
        probabilities, reason = analysis.probabilities, analysis.reason
        if example is not None:
            own = [aspect.name for aspect in snapshot.definition.aspects if aspect.id in example.aspects]
            names = tuple(sorted(own, key=lambda name: -probabilities[name]))
            parts = tuple(replace(part, aspects=names) for part in analysis.sentences)
            analysis, reason = replace(analysis, aspects=names, sentences=parts), "an example of yours"
        found = {
            "aspects": [snapshot.id_by_name[name] for name in analysis.aspects],
            "scores": {str(snapshot.id_by_name[name]): round(float(p), 6) for name, p in probabilities.items()},
            "words": deciding_words(analysis, snapshot),
            "reason": reason,
        }
    return {
        "id": int(sentences.ids[row]), "review_id": int(sentences.review_ids[row]),
        "position": int(sentences.positions[row]), "text": sentences.texts[row], "date": sentences.dates[row], **found,
        "example_id": example.id if example else None, "confirmed": example is not None, "look": None,
    }  # fmt: skip


def _by_month(snapshot: Snapshot, decided: np.ndarray) -> list[dict[str, Any]]:
    rows: dict[str, list[int]] = defaultdict(list)
    for row, day in enumerate(snapshot.sentences.dates):
        if day:
            rows[day[:7]].append(row)
    return [
        {"period": period, "total": len(own),
         "counts": dict(zip(map(str, snapshot.aspect_ids), decided[own].sum(axis=0).tolist(), strict=True))}
        for period, own in sorted(rows.items())
    ]  # fmt: skip

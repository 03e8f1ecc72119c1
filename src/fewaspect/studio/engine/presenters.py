"""Sentences as the page shows them, and which of them it shows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from fewaspect.detector.explain import Analysis
from fewaspect.reviews.pages.highlights import marks
from fewaspect.studio.engine.state import State

UNSURE = 0.5  # from here on a sentence counts as uncertain
MOST_DESCRIBED = 5_000  # sentences of a state that are kept as they were shown


@dataclass(frozen=True)
class Wanted:
    """Which sentences, in which order."""

    aspect: int | None = None
    show: str = "all"  # all, none, uncertain, examples
    words: str = ""
    order: str = "file"  # file, uncertain
    together: int | None = None  # another aspect that the sentence has too
    period: str = ""  # how its date begins

    @property
    def by_scores(self) -> bool:
        """Whether it depends on what is found which sentences these are."""
        return self.order != "file" or self.show in ("none", "uncertain") or (self.aspect or self.together) is not None


def select(state: State, wanted: Wanted) -> np.ndarray:
    """The rows that are wanted, as far as is known."""
    keep = np.ones(len(state.rows.ids), dtype=bool)
    decided = state.decided()
    for aspect in (wanted.aspect, wanted.together):
        if aspect is not None:
            columns = [n for n, number in enumerate(state.aspect_ids) if number == aspect]
            keep &= decided[:, columns].any(axis=1)
    if wanted.period:
        keep &= np.array([(day or "").startswith(wanted.period) for day in state.rows.dates], dtype=bool)
    if wanted.show == "none":
        keep &= ~decided.any(axis=1) & ((state.at > 0) | (state.detector is None))
    if wanted.show == "uncertain":
        keep &= state.unsure() >= UNSURE
    if wanted.show == "examples":
        keep &= np.isin(np.arange(len(keep)), list(state.confirmed))
    rows = np.flatnonzero(keep)
    if words := wanted.words.casefold().split():
        folded = state.rows.folded
        rows = np.array([row for row in rows if all(word in folded[row] for word in words)], dtype=np.int64)
    return rows[np.argsort(-state.unsure()[rows], kind="stable")] if wanted.order == "uncertain" else rows


def show_page(state: State, wanted: Wanted, offset: int, limit: int) -> tuple[int, list[dict[str, Any]]]:
    """How many there are, and some of them; those are scored at the state's revision and fit what is wanted."""
    while True:
        rows = select(state, wanted)
        shown = rows[offset : offset + limit]
        if not wanted.by_scores or not len(state.stale(shown)):  # to describe is to score
            return len(rows), describe(state, shown)
        state.score(shown)  # which may show that others are wanted


def describe(state: State, rows: Sequence[int] | np.ndarray) -> list[dict[str, Any]]:
    """Each sentence with its aspects, probabilities, deciding words and the reason; worked out once in a state."""
    wanted = [int(row) for row in rows]
    if state.detector is None:
        return [_sentence(state, row, None) for row in wanted]
    with state.describing:
        new = [row for row in wanted if row not in state.described]
        if len(state.described) + len(new) > MOST_DESCRIBED:
            state.described.clear()
            new = wanted
        analyses = state.detector.analyze_many([state.rows.texts[row] for row in new], nearest=False)
        if new:
            state.keep(np.array(new), np.array([list(a.probabilities.values()) for a in analyses]))
        state.described.update((row, _sentence(state, row, a)) for row, a in zip(new, analyses, strict=True))
        return [state.described[row] for row in wanted]


def deciding_words(analysis: Analysis, state: State) -> list[dict[str, Any]]:
    """The strongest word of each aspect weighs 1."""
    marked = marks(analysis.words, analysis.sentences)
    strongest: dict[str, float] = {}
    for mark in marked:
        strongest[mark.aspect] = max(strongest.get(mark.aspect, 0.0), mark.evidence)
    return [
        {"start": m.start, "end": m.end, "aspect": state.id_by_name[m.aspect],
         "weight": round(m.evidence / strongest[m.aspect], 4)}
        for m in marked
    ]  # fmt: skip


def by_id(state: State, values: dict[str, float]) -> dict[str, float]:
    return {str(state.id_by_name[name]): round(float(value), 6) for name, value in values.items()}


def _sentence(state: State, row: int, analysis: Analysis | None) -> dict[str, Any]:
    rows, example = state.rows, state.confirmed.get(row)
    found: dict[str, Any] = {"aspects": [], "scores": {}, "words": [], "reason": "there are no aspects yet"}
    if analysis is not None:
        names = list(analysis.aspects)
        if example is not None:
            own = [aspect.name for aspect in state.definition.aspects if aspect.id in example.aspects]
            probable = analysis.probabilities
            names = sorted(own, key=lambda name: -probable[name])
            parts = tuple(replace(part, aspects=tuple(names)) for part in analysis.sentences)
            analysis = replace(analysis, sentences=parts)
        found = {
            "aspects": [state.id_by_name[name] for name in names],
            "scores": by_id(state, analysis.probabilities),
            "words": deciding_words(analysis, state),
            "reason": analysis.reason if example is None else "an example of yours",
        }
    return {
        "id": int(rows.ids[row]), "review_id": int(rows.review_ids[row]), "position": int(rows.positions[row]),
        "text": rows.texts[row], "date": rows.dates[row], **found,
        "example_id": example.id if example else None, "confirmed": example is not None,
    }  # fmt: skip

"""Which sentences of a project, in which order."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from fewaspect.studio.engine.presenters import present
from fewaspect.studio.engine.promises import to_review
from fewaspect.studio.engine.snapshot import Snapshot

UNCERTAIN = 0.5  # from this uncertainty on a sentence counts as uncertain
SCORED_AT_ONCE = 512  # up to so many stale sentences are scored before the query is answered

_SHOWN: dict[str, Callable[[Snapshot, np.ndarray], np.ndarray | bool]] = {  # (S,) by what is decided (S, N)
    "all": lambda snapshot, decided: True,
    "none": lambda snapshot, decided: ~decided.any(axis=1) & snapshot.scores.has_scores,
    "uncertain": lambda snapshot, decided: snapshot.uncertainty() >= UNCERTAIN,
    "look": lambda snapshot, decided: _needs_look(snapshot),
    "examples": lambda snapshot, decided: np.isin(np.arange(len(decided)), list(snapshot.confirmed)),
}


def _needs_look(snapshot: Snapshot) -> np.ndarray:
    """(S,) booleans; none where no precision is asked for."""
    review = to_review(snapshot)
    return np.zeros(len(snapshot.sentences.ids), dtype=bool) if review is None else np.any(review, axis=1)


@dataclass(frozen=True)
class SentenceQuery:
    """Conditions, all of which hold, and an order."""

    aspect: int | None = None
    show: str = "all"  # all, none, uncertain, look, examples
    words: str = ""
    order: str = "file"  # file, uncertain
    co_aspect: int | None = None  # another aspect of the same sentence
    period: str = ""  # how its date begins

    @property
    def depends_on_scores(self) -> bool:
        by_aspect = (self.aspect or self.co_aspect) is not None
        return by_aspect or self.order != "file" or self.show in ("none", "uncertain", "look")

    def select(self, snapshot: Snapshot) -> np.ndarray:
        """(R,) the rows, by the scores so far."""
        rows = np.flatnonzero(self._matches(snapshot))
        if words := self.words.casefold().split():
            texts = snapshot.sentences.casefolded
            rows = np.array([row for row in rows if all(word in texts[row] for word in words)], dtype=np.int64)
        if self.order == "uncertain":
            return rows[np.argsort(-snapshot.uncertainty()[rows], kind="stable")]
        return rows

    def page(self, snapshot: Snapshot, offset: int, limit: int) -> tuple[int, list[dict[str, Any]]]:
        """How many there are, and some of them, scored at the revision of the snapshot."""
        if self.depends_on_scores and len(stale := snapshot.scores.stale()) <= SCORED_AT_ONCE:
            snapshot.score(stale)
        while True:
            rows = self.select(snapshot)
            page = rows[offset : offset + limit]
            if not self.depends_on_scores or not len(snapshot.scores.stale(page)):
                return len(rows), present(snapshot, page)
            snapshot.score(page)  # by their new scores others may be selected

    def _matches(self, snapshot: Snapshot) -> np.ndarray:
        """(S,) booleans: all conditions but the words."""
        decided = snapshot.decided()
        matches = np.ones(len(decided), dtype=bool)
        for aspect in (self.aspect, self.co_aspect):
            if aspect is not None:
                matches &= decided[:, np.equal(snapshot.aspect_ids, aspect)].any(axis=1)
        if self.period:
            matches &= np.array([(day or "").startswith(self.period) for day in snapshot.sentences.dates], dtype=bool)
        return matches & _SHOWN[self.show](snapshot, decided)

"""Which sentences of a project, in which order."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from fewaspect.studio.engine.insights.conditions import matching
from fewaspect.studio.engine.presenters import present
from fewaspect.studio.engine.promises import to_review
from fewaspect.studio.engine.sentiment.sentence_sentiment import having_polarity, read_sentiment, unread_rows
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


def _dated(dates: Sequence[str | None], period: str) -> np.ndarray:
    """(S,) booleans."""
    first, _, last = period.partition("..")
    if last:
        return np.array([first <= (day or "") <= last for day in dates], dtype=bool)
    return np.array([(day or "").startswith(first) for day in dates], dtype=bool)


@dataclass(frozen=True)
class SentenceQuery:
    """Conditions, all of which hold, and an order."""

    aspect: int | None = None
    show: str = "all"  # all, none, uncertain, look, examples
    words: str = ""
    order: str = "file"  # file, uncertain, certain
    co_aspect: int | None = None  # another aspect of the same sentence
    period: str = ""  # how its date begins, or the first and the last day: 2024-01-01..2024-03-31
    where: tuple[str, ...] = ()  # conditions on the columns of its review
    polarity: str | None = None  # what it thinks of the aspect, or of any
    group: str = ""  # any aspect of this group
    like: int | None = None  # a sentence: those that are most like it come first, itself before them

    @property
    def depends_on_scores(self) -> bool:
        by_aspect = (self.aspect or self.co_aspect or self.polarity) is not None or bool(self.group)
        return by_aspect or self.order != "file" or self.show in ("none", "uncertain", "look")

    def is_provisional(self, snapshot: Snapshot) -> bool:
        """Whether a page of now may have other sentences, or other answers, once all is worked out."""
        if snapshot.must_learn or snapshot.must_promise or (self.polarity is not None and snapshot.must_tell):
            return True
        return self.depends_on_scores and len(snapshot.scores.stale()) > SCORED_AT_ONCE

    def select(self, snapshot: Snapshot) -> np.ndarray:
        """(R,) the rows, by the scores so far."""
        rows = np.flatnonzero(self._matches(snapshot))
        if words := self.words.casefold().split():
            texts = snapshot.sentences.casefolded
            rows = np.array([row for row in rows if all(word in texts[row] for word in words)], dtype=np.int64)
        return rows[np.argsort(self._place(snapshot)[rows], kind="stable")]

    def _place(self, snapshot: Snapshot) -> np.ndarray:
        """(S,) by which they are sorted; what a person has confirmed comes last by certainty."""
        if self.like is not None:
            similar = snapshot.sentences.vectors.similarity(snapshot, snapshot.sentences.row_of(self.like))
            return np.zeros(len(snapshot.sentences.ids)) if similar is None else -similar
        if self.order == "file":
            return np.zeros(len(snapshot.sentences.ids))
        uncertainty = snapshot.uncertainty()
        if self.order == "uncertain":
            return -uncertainty
        uncertainty[list(snapshot.confirmed)] = 2.0
        uncertainty[~snapshot.scores.has_scores] = 2.0
        return uncertainty

    def page(self, snapshot: Snapshot, offset: int, limit: int) -> tuple[int, list[dict[str, Any]]]:
        """How many there are, and some of them, scored at the revision of the snapshot."""
        if self.depends_on_scores and len(stale := snapshot.scores.stale()) <= SCORED_AT_ONCE:
            snapshot.score(stale)
        if self.polarity is not None and len(unread := unread_rows(snapshot)) <= SCORED_AT_ONCE:
            read_sentiment(snapshot, unread)
        while True:
            rows = self.select(snapshot)
            page = rows[offset : offset + limit]
            if not self.depends_on_scores or not len(snapshot.scores.stale(page)):
                return len(rows), present(snapshot, page)
            snapshot.score(page)  # by their new scores others may be selected

    def position(self, snapshot: Snapshot, sentence: int) -> int | None:
        """Where a sentence is among the selected, by the scores so far; None: nowhere."""
        (found,) = np.nonzero(snapshot.sentences.ids[self.select(snapshot)] == sentence)
        return int(found[0]) if len(found) else None

    def _matches(self, snapshot: Snapshot) -> np.ndarray:
        """(S,) booleans: all conditions but the words."""
        decided = snapshot.decided()
        matches = np.ones(len(decided), dtype=bool)
        for aspect in (self.aspect, self.co_aspect):
            if aspect is not None:
                matches &= decided[:, np.equal(snapshot.aspect_ids, aspect)].any(axis=1)
        if self.group:
            groups = [aspect.group for aspect in snapshot.definition.aspects]
            matches &= decided[:, np.equal(groups, self.group)].any(axis=1)
        if self.period:
            matches &= _dated(snapshot.sentences.dates, self.period)
        if self.where:
            matches &= matching(snapshot.sentences.columns, self.where)[snapshot.sentences.review_of]
        if self.polarity is not None:
            matches &= having_polarity(snapshot, self.polarity, self.aspect, decided)
        return matches & _SHOWN[self.show](snapshot, decided)

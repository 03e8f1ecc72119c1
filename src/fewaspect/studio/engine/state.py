"""A project at one revision: its detector, its sentences, and the probabilities found so far."""

from __future__ import annotations

import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from fewaspect.detector.suggest import uncertainty
from fewaspect.detector.thresholds import DEFAULT_THRESHOLD, decide
from fewaspect.studio.problems import MissingError
from fewaspect.studio.store.definition import Definition, Example
from fewaspect.text.identity import text_identity

if TYPE_CHECKING:
    from fewaspect.detector.detector import AspectDetector

GRACE = 2.0  # seconds for which the state before may answer
MOST_RENEWED = 400  # sentences that are read anew before anyone asks for them


@dataclass(frozen=True)
class Rows:
    """The sentences of a project in the order of the file."""

    ids: np.ndarray  # (S,) ascending
    review_ids: np.ndarray
    positions: np.ndarray
    starts: np.ndarray
    texts: list[str]
    dates: list[str | None]

    @classmethod
    def of(cls, found: Sequence[Any]) -> Rows:
        numbers = np.array([row[:4] for row in found], dtype=np.int64).reshape(-1, 4)
        ids, review_ids, positions, starts = numbers.T
        texts, dates = [row.text for row in found], [row.date for row in found]
        return cls(ids, review_ids, positions, starts, texts, dates)

    @cached_property
    def identities(self) -> dict[str, list[int]]:
        """Which rows are the same sentence."""
        found: dict[str, list[int]] = {}
        for row, text in enumerate(self.texts):
            found.setdefault(text_identity(text), []).append(row)
        return found

    @cached_property
    def folded(self) -> list[str]:
        """For searching."""
        return [text.casefold() for text in self.texts]

    def row_of(self, sentence: int) -> int:
        row = int(np.searchsorted(self.ids, sentence))
        if row == len(self.ids) or self.ids[row] != sentence:
            raise MissingError(f"expected a sentence of this project, found none with the id {sentence}.")
        return row


@dataclass(eq=False)
class State:
    """Nothing of it changes but what is found, which is filled in, and `before`; a change of the project makes another.

    `known` counts up when the detector learns; a row's `at` says at which count it was scored, 0: never.
    """

    definition: Definition
    detector: AspectDetector | None
    rows: Rows
    imported: int
    known: int
    probabilities: np.ndarray  # (S, N)
    at: np.ndarray  # (S,)
    before: State | None = None  # may answer who knows no later one, until what it showed is read anew
    since: float = 0.0  # when `before` was no longer the newest
    lock: threading.Lock = field(default_factory=threading.Lock)
    described: dict[int, dict[str, Any]] = field(default_factory=dict)  # rows as the page shows them, once it did
    scoring: threading.Lock = field(default_factory=threading.Lock)  # held by whom scores; others find it done
    describing: threading.Lock = field(default_factory=threading.Lock)

    @classmethod
    def after(
        cls, before: State | None, definition: Definition, detector: AspectDetector | None, rows: Rows, imported: int
    ) -> State:
        """What was found before stays until it is found anew; a mere change of thresholds leaves it right."""
        ids = [aspect.id for aspect in definition.aspects]  # a loaded detector may say the same of other aspects
        same = (
            before is not None
            and before.aspect_ids == ids
            and before.definition.as_examples() == definition.as_examples()
        )
        known = (before.known if before else 0) + (not same)
        probabilities = np.zeros((len(rows.ids), len(definition.aspects)))
        at = np.zeros(len(rows.ids), dtype=np.int64)
        if before is not None:
            _, new, old = np.intersect1d(rows.ids, before.rows.ids, assume_unique=True, return_indices=True)
            columns = {aspect.id: n for n, aspect in enumerate(before.definition.aspects)}
            kept = [(n, columns[a.id]) for n, a in enumerate(definition.aspects) if a.id in columns]
            with before.lock:
                at[new] = before.at[old]
                for to, come_from in kept:
                    probabilities[new, to] = before.probabilities[old, come_from]
        shown, since = _shown_last(before) if detector and before and before.imported == imported else (None, 0.0)
        return cls(definition, detector, rows, imported, known, probabilities, at, shown, since)

    @property
    def revision(self) -> int:
        return self.definition.revision

    def at_least(self, revision: int | None) -> State:
        """This one, or for a while the one before, if it is not older than the revision."""
        before = self.before
        if revision is None or before is None or before.revision < revision:
            return self
        return self if time.monotonic() - self.since > GRACE else before

    def shown_before(self) -> list[int]:
        """The rows that were shown last in the state before and are not described here yet."""
        before = self.before
        return [row for row in list(before.described)[-MOST_RENEWED:] if row not in self.described] if before else []

    @cached_property
    def thresholds(self) -> np.ndarray:
        """(N,) in use."""
        return np.array(list(self.detector.thresholds_.values()) if self.detector else [])

    @property
    def threshold(self) -> float:
        """Of aspects without their own."""
        return DEFAULT_THRESHOLD if self.definition.threshold is None else self.definition.threshold

    @cached_property
    def aspect_ids(self) -> list[int]:
        return [aspect.id for aspect in self.definition.aspects]

    @cached_property
    def id_by_name(self) -> dict[str, int]:
        return {aspect.name: aspect.id for aspect in self.definition.aspects}

    @cached_property
    def confirmed(self) -> dict[int, Example]:
        """Rows whose aspects come from the user."""
        identities = self.rows.identities
        return {row: e for e in self.definition.examples for row in identities.get(text_identity(e.text), ())}

    @property
    def scored(self) -> float:
        """Share of the sentences that are scored at this revision."""
        if self.detector is None or not len(self.at):
            return 1.0
        return float((self.at == self.known).mean())

    @property
    def unfinished(self) -> bool:
        return self.detector is not None and bool((self.at != self.known).any())

    def stale(self, rows: np.ndarray | None = None) -> np.ndarray:
        """Those of the rows that are not scored at this revision."""
        if self.detector is None:
            return np.zeros(0, dtype=np.int64)
        return np.flatnonzero(self.at != self.known) if rows is None else rows[self.at[rows] != self.known]

    def score(self, rows: np.ndarray) -> None:
        """What others have scored while this waited is not scored again."""
        with self.scoring:
            rows = self.stale(rows)
            if len(rows) and self.detector is not None:
                self.keep(rows, self.detector.predict_proba([self.rows.texts[row] for row in rows]))

    def keep(self, rows: np.ndarray, probabilities: np.ndarray) -> None:
        with self.lock:
            self.probabilities[rows] = probabilities
            self.at[rows] = self.known

    def decided(self) -> np.ndarray:
        """(S, N) booleans as far as is known: what the user said, else what reaches its threshold."""
        found = decide(self.probabilities, self.thresholds)
        columns = {number: n for n, number in enumerate(self.aspect_ids)}
        for row, example in self.confirmed.items():
            found[row] = False
            found[row, [columns[a] for a in example.aspects]] = True
        return found

    def unsure(self) -> np.ndarray:
        """(S,) from 0, sure, to 1, at a threshold; what the user said is sure, and what is not read says nothing."""
        if self.detector is None:
            return np.zeros(len(self.at))
        result = uncertainty(self.probabilities, self.thresholds).max(axis=1, initial=0.0)
        result[list(self.confirmed)] = 0.0
        result[self.at == 0] = 0.0
        return result


def _shown_last(before: State) -> tuple[State | None, float]:
    """The last state whose sentences had all been read when it was followed, and when that was."""
    if (earlier := before.before) is not None:
        return earlier, before.since
    return (before if before.described else None), time.monotonic()

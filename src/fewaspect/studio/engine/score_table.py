"""Probabilities of a project's sentences, each row with the fit of the detector that gave it."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence

import numpy as np


class ScoreTable:
    """A row for each sentence, a column for each aspect; a row is stale unless the newest fit has scored it.

    Probabilities are written before their version and read after it: a row that counts as scored is complete.
    """

    def __init__(self, sentence_ids: np.ndarray, aspect_ids: Sequence[int], fit_version: int = 1) -> None:
        self.sentence_ids, self.aspect_ids = sentence_ids, list(aspect_ids)
        self.fit_version = fit_version
        self.scored_version = np.zeros(len(sentence_ids), dtype=np.int64)  # (S,) the fit that scored it; 0: none yet
        self.probabilities = np.zeros((len(sentence_ids), len(aspect_ids)))  # (S, N)
        self._scoring = threading.Lock()  # one thread scores at a time; the next finds its rows done

    def successor(self, sentence_ids: np.ndarray, aspect_ids: Sequence[int], *, refitted: bool) -> ScoreTable:
        """The table after a change; what stays keeps its probabilities, which a refit of the detector makes stale."""
        refitted = refitted or list(aspect_ids) != self.aspect_ids
        if not refitted and np.array_equal(sentence_ids, self.sentence_ids):
            return self
        table = ScoreTable(sentence_ids, aspect_ids, self.fit_version + refitted)
        _, rows, old_rows = np.intersect1d(sentence_ids, self.sentence_ids, True, return_indices=True)
        _, columns, old_columns = np.intersect1d(aspect_ids, self.aspect_ids, True, return_indices=True)
        table.scored_version[rows] = self.scored_version[old_rows]
        table.probabilities[np.ix_(rows, columns)] = self.probabilities[np.ix_(old_rows, old_columns)]
        return table

    def stale(self, rows: np.ndarray | None = None) -> np.ndarray:
        """Those of the rows, by default of all, that the newest fit has not scored; none without aspects."""
        if not self.aspect_ids:
            return np.zeros(0, dtype=np.int64)
        outdated = self.scored_version != self.fit_version
        return np.flatnonzero(outdated) if rows is None else rows[outdated[rows]]

    @property
    def scored(self) -> float:
        """Share of the rows that are not stale."""
        return 1 - len(self.stale()) / max(1, len(self.scored_version))

    @property
    def has_scores(self) -> np.ndarray:
        """(S,) booleans: whether any fit has scored the row; without aspects there is nothing to score."""
        return (self.scored_version > 0) | (not self.aspect_ids)

    def put(self, rows: np.ndarray, probabilities: np.ndarray) -> None:
        """Probabilities (R, N) of the newest fit."""
        self.probabilities[rows] = probabilities
        self.scored_version[rows] = self.fit_version

    def score(self, rows: np.ndarray, predict: Callable[[np.ndarray], np.ndarray]) -> None:
        """Score the stale ones of the rows; `predict` gives the probabilities (R, N) of rows (R,)."""
        with self._scoring:
            if len(rows := self.stale(rows)):
                self.put(rows, predict(rows))

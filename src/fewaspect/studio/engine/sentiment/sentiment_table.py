"""What the model read in a project's sentences about their aspects, each pair once; corrections come on top."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence

import numpy as np

Read = Callable[[np.ndarray, np.ndarray], tuple[np.ndarray, np.ndarray]]
"""(R, N, 3) probabilities and (R, d) vectors of rows (R,) about the aspects that are wanted (R, N)."""


class SentimentTable:
    """A row for each sentence, a column for each aspect. A reading depends on the sentence and on what the model reads
    of the aspect (`labels`) alone: other examples leave it valid."""

    def __init__(self, sentence_ids: np.ndarray, aspect_ids: Sequence[int], labels: Sequence[str], width: int) -> None:
        self.sentence_ids, self.aspect_ids, self.labels = sentence_ids, list(aspect_ids), list(labels)
        self.probabilities = np.zeros((len(sentence_ids), len(aspect_ids), 3), dtype=np.float16)  # 0: not read
        self.vectors = np.zeros((len(sentence_ids), width), dtype=np.float16)
        self.finished: object = None  # the scores by which nothing was left to read
        self._writing = threading.Lock()

    def successor(self, sentence_ids: np.ndarray, aspect_ids: Sequence[int], labels: Sequence[str]) -> SentimentTable:
        """The table after a change, with what stays valid."""
        same = list(aspect_ids) == self.aspect_ids and list(labels) == self.labels
        if same and np.array_equal(sentence_ids, self.sentence_ids):
            return self
        table = SentimentTable(sentence_ids, aspect_ids, labels, self.vectors.shape[1])
        _, rows, old_rows = np.intersect1d(sentence_ids, self.sentence_ids, True, return_indices=True)
        before = {key: n for n, key in enumerate(zip(self.aspect_ids, self.labels, strict=True))}
        kept = [(n, before[key]) for n, key in enumerate(zip(aspect_ids, labels, strict=True)) if key in before]
        if kept and len(rows):
            columns, old_columns = (list(part) for part in zip(*kept, strict=True))
            table.probabilities[np.ix_(rows, columns)] = self.probabilities[np.ix_(old_rows, old_columns)]
            table.vectors[rows] = self.vectors[old_rows]
        return table

    def unread(self, rows: np.ndarray, wanted: np.ndarray) -> np.ndarray:
        """(R, N) booleans: those of the wanted pairs (R, N) of the rows (R,) that are not read."""
        return wanted & ~self.probabilities[rows].any(axis=2)

    def read(self, rows: np.ndarray, wanted: np.ndarray, read: Read) -> None:
        """The wanted pairs (R, N) of the rows (R,) that are not read. Nobody waits for what another thread reads: a few
        pairs that are read twice cost less."""
        missing = self.unread(rows, wanted)
        some = missing.any(axis=1)
        if not some.any():
            return
        found, vectors = read(rows[some], missing[some])
        where = np.nonzero(missing[some])
        with self._writing:
            self.vectors[rows[some]] = vectors
            self.probabilities[rows[some][where[0]], where[1]] = found[where]

    def readings(self, rows: np.ndarray, aspects: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """(P, 3) probabilities and (P, d) vectors of pairs of row and column that are read."""
        found = self.probabilities[rows, aspects].astype(np.float64)
        return found / found.sum(axis=1, keepdims=True), self.vectors[rows].astype(np.float64)

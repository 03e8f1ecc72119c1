"""How alike the sentences of a project are, by the vectors of its detector."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from fewaspect.studio.engine.snapshot import Snapshot


class SentenceVectors:
    """(S, d) in half precision, computed once when first asked for; they do not depend on the aspects."""

    def __init__(self) -> None:
        self._vectors: np.ndarray | None = None
        self._computing = threading.Lock()

    def similarity(self, snapshot: Snapshot, row: int) -> np.ndarray | None:
        """(S,) cosines with one of the sentences, which comes first; None without a detector."""
        if snapshot.detector is None:
            return None
        with self._computing:
            if self._vectors is None:
                self._vectors = snapshot.detector.embed(snapshot.sentences.texts).astype(np.float16)
        similar = self._vectors.astype(np.float32) @ self._vectors[row].astype(np.float32)
        similar[row] = np.inf
        return similar

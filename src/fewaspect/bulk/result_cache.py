"""Results of texts met before, in a memory of bounded size: what repeats from partition to partition is read once."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from fewaspect.detector.tables import TextPredictions

KEPT = 20_000  # texts
_LONGEST = 300  # characters; long texts hardly ever repeat


class Recent:
    """Asks `find` for the texts that it does not remember; the one used longest ago is forgotten first."""

    def __init__(self, find: Callable[[Sequence[str]], TextPredictions], kept: int = KEPT) -> None:
        self.find, self.kept = find, kept
        self.read = 0  # texts that were asked for
        self._held: dict[str, tuple[np.ndarray, int, bool]] = {}

    def __call__(self, texts: Sequence[str]) -> TextPredictions:
        """What was found in each of these distinct texts."""
        known = {text: self._held.pop(text) for text in texts if text in self._held}
        new = [text for text in texts if text not in known]
        fresh = self.find(new)
        self.read += len(new)
        known |= zip(
            new, zip(fresh.probabilities, fresh.sentences.tolist(), fresh.cut.tolist(), strict=True), strict=True
        )
        self._held |= {text: known[text] for text in texts if len(text) <= _LONGEST}
        for text in list(self._held)[: max(0, len(self._held) - self.kept)]:
            del self._held[text]
        rows = [known[text] for text in texts]
        return TextPredictions(
            np.array([row[0] for row in rows]).reshape(len(rows), fresh.probabilities.shape[1]),
            np.array([row[1] for row in rows], dtype=np.int64),
            np.array([row[2] for row in rows], dtype=bool),
        )

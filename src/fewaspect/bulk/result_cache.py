"""Predictions of the texts used most recently, so that a text that occurs in many partitions is scored once."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from fewaspect.detector.tables import TextPredictions

CAPACITY = 20_000  # texts
_LONGEST = 300  # characters; long texts hardly ever repeat
Prediction = tuple[np.ndarray, int, bool]  # probabilities (N,), number of sentences, whether one was cut


class ResultCache:
    """Predicts the texts that it does not hold; the one used longest ago is dropped first."""

    def __init__(self, predict: Callable[[Sequence[str]], TextPredictions], capacity: int = CAPACITY) -> None:
        self.predict, self.capacity = predict, capacity
        self.misses = 0  # texts that were predicted
        self._held: dict[str, Prediction] = {}

    def __call__(self, texts: Sequence[str]) -> TextPredictions:
        """What was found in each of these distinct texts."""
        known = {text: self._held.pop(text) for text in texts if text in self._held}
        new = [text for text in texts if text not in known]
        predicted = self.predict(new)
        self.misses += len(new)
        known |= zip(new, _rows(predicted), strict=True)
        self._keep({text: known[text] for text in texts if len(text) <= _LONGEST})
        return _joined([known[text] for text in texts], predicted.probabilities.shape[1])

    def _keep(self, used: dict[str, Prediction]) -> None:
        self._held |= used
        for text in list(self._held)[: max(0, len(self._held) - self.capacity)]:
            del self._held[text]


def _rows(found: TextPredictions) -> list[Prediction]:
    return list(zip(found.probabilities, found.sentences.tolist(), found.cut.tolist(), strict=True))


def _joined(rows: list[Prediction], classes: int) -> TextPredictions:
    return TextPredictions(
        np.array([row[0] for row in rows]).reshape(len(rows), classes),
        np.array([row[1] for row in rows], dtype=np.int64),
        np.array([row[2] for row in rows], dtype=bool),
    )

"""A sentence from which polarity is learned, with shares of the three polarities for each of its aspects."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from fewaspect.data.labels import describe_aspect
from fewaspect.data.polarity import MIXED, POLARITIES, PolarSentence

SURE = 0.8  # from which share on a sentence is joined by its polarity
NEGATIVE, NEUTRAL, POSITIVE = range(3)
TARGETS = {**{name: np.eye(3)[n] for n, name in enumerate(POLARITIES)}, MIXED: np.array([0.5, 0.0, 0.5])}


@dataclass(frozen=True)
class Example:
    """A sentence and the (3,) shares of negative, neutral, positive of each of its aspects."""

    text: str
    targets: dict[str, np.ndarray]  # by the text of the label

    @classmethod
    def of(cls, row: PolarSentence) -> Example:
        """A mixed aspect is half negative, half positive."""
        return cls(row.text, {label_text(name): TARGETS[polarity] for name, polarity in row.polarities.items()})

    @property
    def contrasting(self) -> bool:
        """Whether it is negative about one aspect and positive about another."""
        found = {int(own.argmax()) for own in self.targets.values() if own.max() > 0.5}
        return {NEGATIVE, POSITIVE} <= found

    @property
    def sure(self) -> int | None:
        """The polarity of all its aspects; None if they differ or are not sure."""
        found = {int(own.argmax()) if own.max() >= SURE else -1 for own in self.targets.values()}
        return found.pop() if len(found) == 1 and -1 not in found else None


def label_text(name: str) -> str:
    return describe_aspect(name) or name

"""The protocol of an encoder as it serves, whatever computes it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np

from fewaspect.text.tokenization import SentenceTokeniser


class TextEncoder(Protocol):
    """A trained encoder: token ids to token states."""

    width: int  # d
    tokeniser: SentenceTokeniser
    batch_tokens: int  # tokens of the best batch size, padding included
    workers: int  # threads that may call `states` at the same time

    def states(self, ids: Sequence[Sequence[int]]) -> list[np.ndarray]:
        """(T, d) states of each sentence of a batch; sentences of similar length waste little on padding."""
        ...

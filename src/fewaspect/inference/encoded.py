"""Sentences as an encoder reads them, in numpy: a unit vector each, and the states of their tokens."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np


@dataclass(frozen=True)
class Sentences:
    """`tokens` holds the states of all sentences one after the other; `lengths` says where each one ends."""

    vectors: np.ndarray  # (B, d) unit vectors
    tokens: np.ndarray  # (tokens, d)
    lengths: np.ndarray  # (B,) int64

    @classmethod
    def of(cls, states: Sequence[np.ndarray], width: int) -> Sentences:
        """From (T, d) states of each; the vector of a sentence is the direction of their sum."""
        sums = [part.sum(axis=0) for part in states]
        nothing = np.zeros((0, width), dtype=np.float32)
        lengths = np.array([len(part) for part in states], dtype=np.int64)
        return cls(unit(np.stack(sums)) if sums else nothing, np.concatenate([nothing, *states]), lengths)

    def __len__(self) -> int:
        return len(self.lengths)

    @cached_property
    def mask(self) -> np.ndarray:
        """(B, T) which places of the padded form hold a token."""
        return np.arange(self.lengths.max(initial=0)) < self.lengths[:, None]

    @cached_property
    def padded(self) -> np.ndarray:
        """(B, T, d) with zeros where `mask` is false."""
        result = np.zeros((*self.mask.shape, self.tokens.shape[1]), dtype=np.float32)
        result[self.mask] = self.tokens
        return result

    def take(self, rows: np.ndarray) -> Sentences:
        """These sentences, in this order."""
        lengths = self.lengths[rows]
        first = np.cumsum(self.lengths) - self.lengths
        within = np.arange(lengths.sum()) - np.repeat(np.cumsum(lengths) - lengths, lengths)
        return Sentences(self.vectors[rows], self.tokens[np.repeat(first[rows], lengths) + within], lengths)


def unit(vectors: np.ndarray) -> np.ndarray:
    """Along the last axis; nought stays nought."""
    return vectors / np.maximum(np.linalg.norm(vectors, axis=-1, keepdims=True), 1e-12)

"""Sentences as an encoder reads them, in numpy: a unit vector each, and the states of their tokens."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from fewaspect.core.forking import cached_property


@dataclass(frozen=True)
class Sentences:
    """`tokens` holds the states of all sentences one after another, unpadded; `lengths` says how many each has."""

    vectors: np.ndarray  # (B, d) unit vectors
    tokens: np.ndarray  # (tokens, d)
    lengths: np.ndarray  # (B,) int64
    lower: np.ndarray | None = None  # (B, d) mean state of a lower layer, of an encoder that gives it

    @classmethod
    def of(cls, states: Sequence[np.ndarray], width: int, lower: np.ndarray | None = None) -> Sentences:
        """From (T, d) states of each; the vector of a sentence is the direction of their sum."""
        sums = [part.sum(axis=0) for part in states]
        nothing = np.zeros((0, width), dtype=np.float32)
        lengths = np.array([len(part) for part in states], dtype=np.int64)
        return cls(unit(np.stack(sums)) if sums else nothing, np.concatenate([nothing, *states]), lengths, lower)

    def __len__(self) -> int:
        return len(self.lengths)

    @cached_property
    def starts(self) -> np.ndarray:
        """(B,) place of each sentence's first token."""
        return np.cumsum(self.lengths) - self.lengths

    @cached_property
    def token_norms(self) -> np.ndarray:
        """(tokens, 1)."""
        return norms(self.tokens)

    @cached_property
    def unit_tokens(self) -> np.ndarray:
        """(tokens, d) states as unit vectors."""
        return self.tokens / self.token_norms

    def take(self, rows: np.ndarray) -> Sentences:
        """These sentences, in this order."""
        lower = None if self.lower is None else self.lower[rows]
        return Sentences(self.vectors[rows], self.tokens[self.token_rows(rows)], self.lengths[rows], lower)

    def token_rows(self, rows: np.ndarray) -> np.ndarray:
        """Where the tokens of these sentences are, one after another."""
        lengths = self.lengths[rows]
        return np.repeat(self.starts[rows] - (np.cumsum(lengths) - lengths), lengths) + np.arange(lengths.sum())

    def centred(self, mean: np.ndarray | None) -> Sentences:
        """Token states without `mean`, (d,), and sentence vectors anew from their sums; unchanged for None."""
        if mean is None:
            return self
        tokens = self.tokens - mean
        moved = Sentences(self.vectors, tokens, self.lengths, self.lower)
        return replace(moved, vectors=unit(moved.sums()))

    def sums(self) -> np.ndarray:
        """(B, d) of the token states: row by row, which takes a tenth of the time of `reduceat` where rows are long."""
        found = np.zeros_like(self.vectors)
        for total, (start, end) in zip(found, self.spans(), strict=True):
            np.add.reduce(self.tokens[start:end], axis=0, out=total)
        return found

    def spans(self, rows: np.ndarray | slice = slice(None)) -> list[tuple[int, int]]:
        """Where the tokens of each sentence, or of these, begin and end."""
        starts, lengths = self.starts[rows], self.lengths[rows]
        return list(zip(starts.tolist(), (starts + lengths).tolist(), strict=True))

    def reduce(self, operation: np.ufunc, values: np.ndarray) -> np.ndarray:
        """(B, N) sums or maxima over the tokens of each sentence, of (tokens, N); 0 for one without tokens."""
        result = np.zeros((len(self), values.shape[1]), dtype=values.dtype)
        if len(values):
            result[self.lengths > 0] = operation.reduceat(values, self.starts[self.lengths > 0])
        return result

    def attended(self, rows: np.ndarray, query: np.ndarray, attention: float) -> np.ndarray:
        """(rows, d) the token states of some of the sentences, as much of each as a query, (d,), attends to it."""
        tokens, spans = self.tokens, self.spans(rows)
        cosines = np.concatenate([tokens[:0] @ query, *(tokens[start:end] @ query for start, end in spans)])
        own = Sentences(self.vectors[rows], tokens[:0], self.lengths[rows])
        weights = own.softmax(attention * cosines[:, None] / self.token_norms[self.token_rows(rows)])[:, 0]
        found = np.empty_like(own.vectors)
        for vector, (start, end), (first, last) in zip(found, spans, own.spans(), strict=True):
            np.dot(weights[first:last], tokens[start:end], out=vector)
        return found

    def softmax(self, logits: np.ndarray) -> np.ndarray:
        """(tokens, N) shares of the tokens within their sentence."""
        weights = np.exp(logits - np.repeat(self.reduce(np.maximum, logits), self.lengths, axis=0))
        return weights / np.repeat(self.reduce(np.add, weights), self.lengths, axis=0)


class LowerStates(NamedTuple):
    """Unit vectors of examples and label texts from a lower layer of the encoder, which is nearer to the words."""

    examples: np.ndarray  # (S, d)
    labels: np.ndarray  # (N, d) zeros for an unnamed aspect
    mean: np.ndarray  # (d,) what they are centred by

    def regression(self, membership: np.ndarray, named: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """(M, d) examples, then the label texts of `named` aspects, (N,) bool, and their (M, N) labels."""
        labels = np.eye(len(named), dtype=membership.dtype)[named]
        return np.concatenate([self.examples, self.labels[named]]), np.concatenate([membership, labels])


def unit(vectors: np.ndarray) -> np.ndarray:
    """Unit vectors along the last axis; a zero vector stays zero."""
    return vectors / norms(vectors)


def norms(vectors: np.ndarray) -> np.ndarray:
    """Along the last axis, which stays; never zero."""
    return np.maximum(np.sqrt(np.einsum("...d,...d->...", vectors, vectors)), 1e-12)[..., None]

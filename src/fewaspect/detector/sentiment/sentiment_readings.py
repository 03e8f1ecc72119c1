"""What the model reads in sentences about aspects, before a user's polarities: to be kept and corrected later."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from fewaspect.detector.sentiment.aspect_sentiment import WITHOUT_WORDS, label_states, sentiment_branch
from fewaspect.inference.encoded import unit

if TYPE_CHECKING:
    from fewaspect.detector.model import InferenceModel
    from fewaspect.detector.support import Examples


def read_pairs(
    model: InferenceModel, examples: Examples, sentences: Sequence[str], wanted: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """(sentences, N, 3) probabilities of the pairs that are `wanted`, (sentences, N), the others 0; and (sentences, d)
    vectors. `PolarityCorrection.corrected` takes both."""
    branch = sentiment_branch(model)
    told = wanted[:, :, None] * WITHOUT_WORDS
    vectors = np.zeros((len(sentences), model.encoder.width))
    asked = np.flatnonzero(wanted.any(axis=0))
    labels = label_states(model, examples, [examples.names[n] for n in asked])

    def read(batch: np.ndarray, ids: list[list[int]]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        last, shared = model.shared_states(ids)
        pairs = np.argwhere(wanted[batch])
        of_asked = np.column_stack([pairs[:, 0], np.searchsorted(asked, pairs[:, 1])])
        found = branch.of_pairs(list(zip(shared, last, strict=True)), labels, of_asked)
        return pairs, found, sentence_vectors(shared)

    for batch, (pairs, found, directions) in model.map_ids(sentences, None, read):
        told[batch[pairs[:, 0]], pairs[:, 1]] = found
        vectors[batch] = directions
    return told, vectors


def sentence_vectors(sentences: Sequence[np.ndarray]) -> np.ndarray:
    """(pairs, d) directions of the mean of their tokens, without the special ones at both ends."""
    return unit(np.stack([states[1:-1].mean(axis=0) for states in sentences]).astype(np.float64))

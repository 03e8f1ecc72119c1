"""Examples as the others see them: each with the probabilities it would get, had it not been given.

In closed form, from one fit, or from fits to halves of the examples; what was encoded is not encoded again.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from fewaspect.detector.calibration import left_out_components, score_features
from fewaspect.detector.fitting import FittedState, fit_aspects, joined_encodings, mean_state, support_set
from fewaspect.detector.model import InferenceModel
from fewaspect.detector.scoring import FittedAspects
from fewaspect.inference.encoder import ONE_THREAD


def left_out_logits(model: InferenceModel, state: FittedState) -> np.ndarray:
    """(S, N) of a fitted state, each example left out of prototypes, regressions and classifier, though not of the
    attention; of a text in pieces, the highest."""
    if not state.examples.texts:
        return np.zeros((0, len(state.examples.names)))
    support = support_set(state, mean_state(state) if model.scorer.settings.centred else None)
    fitted, rows = state.fitted, np.arange(len(support.membership))
    with ONE_THREAD:
        components = left_out_components(model.scorer, support, fitted, rows)
    features = score_features(components, model.scorer.combine_scores(components), fitted.shots - support.membership)
    return _of_texts(state, state.examples.texts, model.probability_model.logits(features) + fitted.bias)


def halved_logits(model: InferenceModel, state: FittedState, repeats: int, seed: int = 0) -> np.ndarray:
    """(repeats, S, N) each example by aspects that were fitted to a half of the examples that it is not in.

    The examples of every aspect are divided evenly, and by chance.
    """
    texts, rng = np.array(state.examples.texts, dtype=object), np.random.default_rng(seed)
    result = np.empty((repeats, len(texts), len(state.examples.names)))
    for repeat in range(repeats):
        half = even_halves(state.examples.membership, rng)
        for side in (False, True):
            read = texts[half == side].tolist()
            others = fit_aspects(model, state.without(read), bias=0.0).fitted._replace(bias=state.fitted.bias)
            result[repeat, half == side] = _logits(model, state, others, read)
    return result


def even_halves(membership: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """(S,) booleans: of the examples of every aspect about as many in either half, rare aspects first."""
    half = np.zeros(len(membership), dtype=bool)
    free = np.ones(len(membership), dtype=bool)
    for column in [*membership.T[np.argsort(membership.sum(axis=0), kind="stable")], np.ones(len(half), dtype=bool)]:
        rows = rng.permutation(np.flatnonzero(column & free))
        behind = int((column & ~free & ~half).sum()) - int((column & ~free & half).sum())  # the other half has more
        count = int(np.clip((len(rows) + behind + rng.integers(2)) // 2, 0, len(rows)))
        half[rows[:count]] = True
        free[rows] = False
    return half


def _logits(model: InferenceModel, state: FittedState, fitted: FittedAspects, texts: Sequence[str]) -> np.ndarray:
    """(texts, N) of some of the examples, by other fitted aspects."""
    read = joined_encodings([state.encodings[text] for text in texts], state.width)
    with ONE_THREAD:
        components = model.scorer.components(fitted, read)
    features = score_features(components, model.scorer.combine_scores(components), fitted.shots)
    return _of_texts(state, texts, model.probability_model.logits(features) + fitted.bias)


def _of_texts(state: FittedState, texts: Sequence[str], logits: np.ndarray) -> np.ndarray:
    """(texts, N) the highest of the (pieces, N) of each."""
    pieces = np.array([len(state.encodings[text].lengths) for text in texts], dtype=int)
    return np.maximum.reduceat(logits, np.cumsum(pieces) - pieces, axis=0) if len(texts) else logits

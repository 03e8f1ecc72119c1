"""The probability model of the multilingual model: learned on English sets that were not trained on and on review
aspects in other languages, with more tasks of names alone than the English model has.

Chosen on a German and three Chinese sets, by models that did not learn from the language: on the German one, macro-F1
of English names alone rises from 33 to 46 and of English examples from 58 to 61. Tasks with examples in one language
and texts in another add little to that, and cost calibration within a language.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import numpy as np

from fewaspect.detector.calibration import ProbabilityModel
from fewaspect.detector.scoring import LPNPlusScorer
from fewaspect.inference.encoded import Sentences, unit
from fewaspect.inference.universal_encoder import UniversalEncoder
from multilingual_features import FeatureSet
from probabilities import EncodedSet, fit_probability_model, none_rates, tasks

TASKS, NAMED_TASKS = 16, 12  # of a set: as users make them, and of names alone
TASK_TEXTS, FEWEST = 600, 20  # texts of a set and of a label


def learn_probabilities(
    encoder: UniversalEncoder, scorer: LPNPlusScorer, sets: Sequence[FeatureSet]
) -> ProbabilityModel:
    """`scorer` is all that tasks ask of a model."""
    model: Any = SimpleNamespace(scorer=scorer)
    used = [
        one for one in sets if one.part == "validation" or (one.part == "multilingual" and one.about.kind == "aspect")
    ]
    encoded = [one for one in (encode_set(encoder, own) for own in used) if one.truth.shape[1] > 1]
    drawn = [task for one in encoded for task in tasks(model, one, TASKS, 7, encoded)]
    drawn += [task for one in encoded for task in tasks(model, one, NAMED_TASKS, 8, encoded, names_alone=1.0)]
    found = fit_probability_model([(task.features, task.truth) for task in drawn])
    return replace(found, none_rates=none_rates(encoded))


def encode_set(encoder: UniversalEncoder, one: FeatureSet) -> EncodedSet:
    """Its first texts, and the labels that enough of them have."""
    lengths = one.lengths[:TASK_TEXTS]
    kept = np.flatnonzero(one.truth[:TASK_TEXTS].sum(axis=0) >= FEWEST)
    sentences = states(encoder, one.features[: lengths.sum()], lengths)
    labels = states(encoder, one.label_features, one.label_lengths).take(kept)
    return EncodedSet(one.about.name, sentences, one.truth[:TASK_TEXTS][:, kept], labels)


def states(encoder: UniversalEncoder, features: np.ndarray, lengths: np.ndarray) -> Sentences:
    tokens = encoder.contextual_states(features.astype(np.float32), lengths)
    sums = np.add.reduceat(tokens, np.cumsum(lengths) - lengths, axis=0)
    return Sentences(unit(sums), tokens, lengths)

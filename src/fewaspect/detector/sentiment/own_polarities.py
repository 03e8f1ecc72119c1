"""Polarities that a user gave with examples: a correction of the probabilities of the model, in closed form."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from fewaspect.data.polarity import ANSWERS
from fewaspect.detector.sentiment.aspect_sentiment import label_of
from fewaspect.detector.sentiment.sentiment_readings import read_pairs, sentence_vectors
from fewaspect.inference.encoder import ONE_THREAD
from fewaspect.inference.sentiment_branch import softmax
from fewaspect.text.splitting import fitting_spans

if TYPE_CHECKING:
    from fewaspect.detector.fitting import FittedState
    from fewaspect.detector.model import InferenceModel
    from fewaspect.detector.support import Examples

MOST = 2000  # polarities that count; of more, a fair sample
SAME_ASPECT, SAME_ANSWER, POWER = 4.0, 4.0, 3  # of the kernel
NOISE = 4.0  # the inverse of the curvature of the logistic loss, at most: one step of Newton's method
TARGETS = np.array([[1, 0, 0], [0, 1, 0], [0, 0, 1], [0.5, 0, 0.5]])  # by answer
_SMALLEST = 1e-9
_AT_ONCE = 1024  # pairs, of which each is compared with all that were given
Reading = tuple[np.ndarray, np.ndarray]  # (d,) sentence vector, (3,) probabilities of the model


@dataclass(frozen=True)
class PolarityCorrection:
    """Kernel ridge regression of what the model got wrong of the S polarities given, added to its log-probabilities.

    Two pairs of sentence and aspect are alike as far as their sentences are, and more if the aspect is the same and if
    the model says the same of both. So one example changes its like alone, and ten that agree change much.
    """

    aspects: np.ndarray  # (S,) indices
    vectors: np.ndarray  # (S, d) unit
    probabilities: np.ndarray  # (S, 3) of the model
    weights: np.ndarray  # (S, 3)
    readings: Mapping[tuple[str, str], Reading]  # of the polarities given, by text and label

    def __call__(self, aspects: np.ndarray, sentences: Sequence[np.ndarray], probabilities: np.ndarray) -> np.ndarray:
        """(pairs, 3) of the (pairs,) indices of the aspects, the (T, d) states of the sentences, and (pairs, 3)."""
        return self.corrected(aspects, sentence_vectors(sentences), probabilities)

    def corrected(self, aspects: np.ndarray, vectors: np.ndarray, probabilities: np.ndarray) -> np.ndarray:
        """The same of (pairs, d) sentence vectors."""
        given = (self.aspects, self.vectors, self.probabilities)
        added = np.zeros((len(aspects), 3))
        for first in range(0, len(aspects), _AT_ONCE):
            some = slice(first, first + _AT_ONCE)
            added[some] = kernel((aspects[some], vectors[some], probabilities[some]), given) @ self.weights
        return softmax(np.log(np.maximum(probabilities, _SMALLEST)) + added)


def fit_correction(
    model: InferenceModel, state: FittedState, before: PolarityCorrection | None = None
) -> PolarityCorrection | None:
    """None without a polarity; the order in which they were given does not matter. What the correction `before` has
    read is not read again."""
    examples = state.examples
    if not examples.polarities:
        return None
    given = [(text, name, polarity) for text, own in examples.polarities.items() for name, polarity in own.items()]
    given = sorted(sorted(given, key=_order)[:MOST])
    readings = _read(model, examples, [(text, name) for text, name, _ in given], before.readings if before else {})
    keys = [(text, reading_label(examples, name)) for text, name, _ in given]
    given = [one for one, key in zip(given, keys, strict=True) if key in readings]
    if not given:
        return None
    own = [readings[key] for key in keys if key in readings]
    vectors, probabilities = (np.stack(part) for part in zip(*own, strict=True))
    place = {name: n for n, name in enumerate(examples.names)}
    aspects = np.array([place[name] for _, name, _ in given])
    wrong = TARGETS[[ANSWERS.index(polarity) for _, _, polarity in given]] - probabilities  # (S, 3)
    pairs = (aspects, vectors, probabilities)
    with ONE_THREAD:
        weights = np.linalg.solve(kernel(pairs, pairs) + NOISE * np.eye(len(given)), NOISE * wrong)
    return PolarityCorrection(aspects, vectors, probabilities, weights, readings)


def kernel(one: Sequence[np.ndarray], other: Sequence[np.ndarray]) -> np.ndarray:
    """(pairs, S): how much alike pairs are, given as aspects, sentence vectors and probabilities."""
    sentences = np.maximum(one[1] @ other[1].T, 0) ** POWER
    answers = np.sqrt(one[2]) @ np.sqrt(other[2]).T
    return sentences * (SAME_ASPECT * (one[0][:, None] == other[0]) + SAME_ANSWER * answers)


def reading_label(examples: Examples, name: str) -> str:
    """What of an aspect a reading depends on."""
    return label_of(examples, name) or f"\0{examples.shots(name)}"  # without a name, on its examples


def _read(
    model: InferenceModel, examples: Examples, pairs: Sequence[tuple[str, str]],
    known: Mapping[tuple[str, str], Reading],
) -> dict[tuple[str, str], Reading]:  # fmt: skip
    """By text and label; of a text longer than the encoder reads, the first piece. Texts without a word are left
    out."""
    keys = {(text, reading_label(examples, name)): (text, name) for text, name in pairs}
    found = {key: known[key] for key in keys if key in known and not key[1].startswith("\0")}
    new = {key: pair for key, pair in keys.items() if key not in found}
    if not new:
        return found
    texts = sorted({text for text, _ in new.values()})
    rows, columns = ({own: n for n, own in enumerate(those)} for those in (texts, examples.names))
    wanted = np.zeros((len(rows), len(columns)), dtype=bool)
    for text, name in new.values():
        wanted[rows[text], columns[name]] = True
    spans = fitting_spans(texts, [[(0, len(text))] for text in texts], model.encoder.tokeniser.too_long)
    pieces = [text[slice(*own[0])] for text, own in zip(texts, spans, strict=True)]
    told, vectors = read_pairs(model, examples, pieces, wanted)
    return found | {
        key: (vectors[rows[text]], told[rows[text], columns[name]])
        for key, (text, name) in new.items() if vectors[rows[text]].any()
    }  # fmt: skip


def _order(given: tuple[str, str, str]) -> bytes:
    return hashlib.blake2b("\n".join(given).encode("utf-8", "surrogatepass"), digest_size=8).digest()

"""From examples to fitted aspects: each example encoded once, then all aspects fitted together in one step."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from fewaspect.detector.calibration import fit_bias
from fewaspect.detector.model import InferenceModel
from fewaspect.detector.scoring import FittedAspects, LPNPlusScorer, SupportSet
from fewaspect.detector.support import Examples
from fewaspect.inference.encoded import Sentences, unit
from fewaspect.inference.encoder import ONE_THREAD
from fewaspect.text.splitting import fitting_spans


@dataclass(frozen=True)
class CachedEncoding:
    """An encoded text; in pieces if it is longer than the encoder reads.

    Token states are kept in half precision, so that what is saved is exactly what was used.
    """

    vectors: np.ndarray  # (pieces, d)
    tokens: np.ndarray  # (tokens, d) half precision
    lengths: np.ndarray  # (pieces,)
    keys: np.ndarray  # (pieces,) equal for equal tokens, whatever was read beside them

    @classmethod
    def empty(cls, width: int) -> CachedEncoding:
        """Of a text without a word."""
        vectors, none = np.zeros((0, width), dtype=np.float32), np.zeros(0, dtype=np.int64)
        return cls(vectors, vectors.astype(np.float16), none, none)

    @property
    def vector(self) -> np.ndarray:
        """(d,) unit vector of all pieces; zeros where there are none."""
        return unit(self.vectors.sum(axis=0))


@dataclass(frozen=True)
class FittedState:
    """The examples, their encodings and those of the label texts, and the aspects fitted to them.

    Immutable: a change of the examples makes another state. `aspects` is None until `fit_aspects` has run.
    """

    examples: Examples
    encodings: Mapping[str, CachedEncoding]  # by example text
    label_encodings: Mapping[str, CachedEncoding]  # by label text
    width: int
    aspects: FittedAspects | None = None

    @property
    def fitted(self) -> FittedAspects:
        """The fitted aspects; an error of the program before `fit_aspects`."""
        assert self.aspects is not None, "fit_aspects comes first"
        return self.aspects

    @cached_property
    def example_vectors(self) -> np.ndarray:
        """(S, d) one unit vector for each example."""
        vectors = [self.encodings[text].vector for text in self.examples.texts]
        return np.stack(vectors) if vectors else np.zeros((0, self.width), dtype=np.float32)

    def without(self, texts: Iterable[str]) -> FittedState:
        """As if these examples had not been given; not fitted yet."""
        gone = set(texts)
        left = {text: own for text, own in self.examples.sentences.items() if text not in gone}
        encodings = {text: encoding for text, encoding in self.encodings.items() if text not in gone}
        return replace(self, examples=replace(self.examples, sentences=left), encodings=encodings, aspects=None)


def encode_examples(model: InferenceModel, examples: Examples, previous: FittedState | None = None) -> FittedState:
    """The state of these examples before `fit_aspects`; what `previous` holds is not encoded again."""
    known: dict[str, CachedEncoding] = {**previous.label_encodings, **previous.encodings} if previous else {}
    label_texts = [text for text in map(examples.label_text, examples.names) if text]
    new = [text for text in dict.fromkeys([*examples.texts, *label_texts]) if text not in known]
    encoded = {**known, **encode_texts(model, new)}
    before = previous.encodings if previous else {}
    unreadable = [text for text in examples.texts if text not in before and not len(encoded[text].lengths)]
    examples = examples.without_unreadable(unreadable)
    encodings = {text: encoded[text] for text in examples.texts}
    return FittedState(examples, encodings, {text: encoded[text] for text in label_texts}, model.encoder.width)


def fit_aspects(model: InferenceModel, state: FittedState) -> FittedState:
    """Fit all aspects together: prototypes, attention, ridge directions, and the bias of their probabilities.

    A prototype follows from its own examples and name alone; the rest depends on the other aspects too.
    """
    support = support_set(state)
    with ONE_THREAD:
        fitted = model.scorer.fit(support, prototypes(model.scorer, support))
        bias = fit_bias(model.scorer, model.probability_model, support, fitted)
    return replace(state, aspects=fitted._replace(bias=bias))


def prototypes(scorer: LPNPlusScorer, support: SupportSet) -> np.ndarray:
    """(N, d)."""
    each = []
    for n, label in enumerate(support.labels):
        own = np.flatnonzero(support.membership[:, n])
        each.append(scorer.prototype(support.examples.vectors[own], support.membership[own, n], label))
    return np.stack(each)


def support_set(state: FittedState) -> SupportSet:
    """Encoded examples in rows, how much each row counts for and against each aspect, and the label texts."""
    examples, encodings = state.examples, [state.encodings[text] for text in state.examples.texts]
    pieces = np.array([len(encoding.lengths) for encoding in encodings], dtype=np.int64)
    in_all = np.maximum(pieces, 1)  # the pieces of a text count as one shot together
    membership = (examples.membership / in_all[:, None]).astype(np.float32)  # (texts, N)
    negative = (~examples.membership.any(axis=1) / in_all).astype(np.float32)
    membership, negative = np.repeat(membership, pieces, axis=0), np.repeat(negative, pieces)
    support = _joined(encodings, state.width)
    empty = CachedEncoding.empty(state.width)
    texts = [state.label_encodings.get(examples.label_text(name), empty) for name in examples.names]
    labels = np.stack([_label_vector(text, support.vectors[membership[:, n] > 0]) for n, text in enumerate(texts)])
    in_one = np.array([text.lengths.sum() for text in texts], dtype=np.int64)  # only their tokens are looked up
    label_tokens = Sentences(labels, _joined(texts, state.width).tokens, in_one)
    keys = np.concatenate([empty.keys, *(encoding.keys for encoding in encodings)])
    return SupportSet(support, keys, membership, negative, labels, label_tokens)


def encode_texts(model: InferenceModel, texts: Sequence[str]) -> dict[str, CachedEncoding]:
    """Each text encoded once; one that is longer than the encoder reads, piece by piece."""
    spans = fitting_spans(texts, [[(0, len(text))] for text in texts], model.encoder.tokeniser.too_long)
    pieces = [text[start:end] for text, own in zip(texts, spans, strict=True) for start, end in own]
    encoded = _encode_pieces(model, pieces)
    result, first = {}, 0
    for text, own in zip(texts, spans, strict=True):
        readable = [piece for piece in encoded[first : first + len(own)] if piece is not None]
        first += len(own)
        result[text] = _concatenated([CachedEncoding.empty(model.encoder.width), *readable])
    return result


def _encode_pieces(model: InferenceModel, pieces: Sequence[str]) -> list[CachedEncoding | None]:
    """None for a piece without a token."""
    keys = [_key(ids) for ids in model.encoder.tokeniser.ids(pieces)]
    encoded: list[CachedEncoding | None] = [None] * len(pieces)
    for batch, read in model.map_batches(pieces, None, lambda sentences: sentences):
        states = np.split(read.tokens.astype(np.float16), np.cumsum(read.lengths)[:-1])
        for piece, vector, tokens in zip(batch.tolist(), read.vectors, states, strict=True):
            encoded[piece] = CachedEncoding(vector[None], tokens, np.array([len(tokens)]), np.array([keys[piece]]))
    return encoded


def _key(ids: Sequence[int]) -> int:
    digest = hashlib.blake2b(np.array(ids, dtype=np.int32).tobytes(), digest_size=8).digest()
    return int.from_bytes(digest, "little", signed=True)


def _label_vector(text: CachedEncoding, shots: np.ndarray) -> np.ndarray:
    """(d,) of the label text; of an unnamed aspect, the mean of its shots stands in."""
    return text.vector if len(text.lengths) else unit(shots.sum(axis=0))


def _joined(encodings: Sequence[CachedEncoding], width: int) -> Sentences:
    """In single precision."""
    whole = _concatenated([CachedEncoding.empty(width), *encodings])
    return Sentences(whole.vectors, whole.tokens.astype(np.float32), whole.lengths)


def _concatenated(encodings: Sequence[CachedEncoding]) -> CachedEncoding:
    names = ("vectors", "tokens", "lengths", "keys")
    return CachedEncoding(*(np.concatenate([getattr(part, name) for part in encodings]) for name in names))

"""What a detector knows: the examples, each represented once, and the aspects that follow from them."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from fewaspect.detector.calibration import ProbabilityModel, fit_bias
from fewaspect.detector.model import InferenceModel
from fewaspect.detector.scoring import FittedAspects, LPNPlusScorer, SupportSet
from fewaspect.detector.support import Examples
from fewaspect.inference.encoded import Sentences, unit
from fewaspect.inference.threads import ONE_THREAD
from fewaspect.text.splitting import fitting_spans


@dataclass(frozen=True)
class CachedEncoding:
    """A text as it was represented; in pieces if it is longer than the encoder reads.

    Token states are kept in half precision, so that what is saved is exactly what was used.
    """

    vectors: np.ndarray  # (pieces, d)
    tokens: np.ndarray  # (tokens, d) half precision
    lengths: np.ndarray  # (pieces,)
    keys: np.ndarray  # (pieces,) equal for equal tokens, whatever was read beside them


@dataclass(frozen=True)
class FittedState:
    """Examples, their representations by text, those of the label texts; what follows from them, when it is needed.

    An aspect's prototype follows from its own examples and name alone. How it looks at texts, and how probable it is,
    depends on the others too, and is learned for all of them together: once, however many were added one by one.
    """

    examples: Examples
    kept: Mapping[str, CachedEncoding]
    labels: Mapping[str, CachedEncoding]  # by label text
    looking: LPNPlusScorer
    presence: ProbabilityModel
    width: int

    @cached_property
    def example_vectors(self) -> np.ndarray:
        """(S, d) one unit vector for each example."""
        vectors = [_mean(self.kept[text]) for text in self.examples.texts]
        return np.stack(vectors) if vectors else np.zeros((0, self.width), dtype=np.float32)

    @cached_property
    def aspects(self) -> FittedAspects:
        with ONE_THREAD:
            fitted = self.looking.fit(self._known, self.prototypes)
            return fitted._replace(bias=fit_bias(self.looking, self.presence, self._known, fitted))

    @cached_property
    def prototypes(self) -> np.ndarray:
        """(N, d)."""
        known = self._known
        each = []
        for n, label in enumerate(known.labels):
            own = np.flatnonzero(known.membership[:, n])
            each.append(self.looking.prototype(known.examples.vectors[own], known.membership[own, n], label))
        return np.stack(each)

    @cached_property
    def _known(self) -> SupportSet:
        examples, parts = self.examples, [self.kept[text] for text in self.examples.texts]
        pieces = np.array([len(part.lengths) for part in parts], dtype=np.int64)
        in_all = np.maximum(pieces, 1)  # the pieces of a text count as one shot together
        membership = (examples.membership / in_all[:, None]).astype(np.float32)  # (texts, N)
        none = (~examples.membership.any(axis=1) / in_all).astype(np.float32)
        membership, none = np.repeat(membership, pieces, axis=0), np.repeat(none, pieces)
        support = _together(parts, self.width)
        texts = [self.labels.get(examples.label_text(name), _nothing(self.width)) for name in examples.names]
        labels = np.stack([_label_vector(text, support.vectors[membership[:, n] > 0]) for n, text in enumerate(texts)])
        in_one = np.array([text.lengths.sum() for text in texts], dtype=np.int64)  # only their words are looked up
        label_words = Sentences(labels, _together(texts, self.width).tokens, in_one)
        same = np.concatenate([np.zeros(0, dtype=np.int64), *(part.keys for part in parts)])
        return SupportSet(support, same, membership, none, labels, label_words)

    def without(self, scorer: InferenceModel, texts: Iterable[str]) -> FittedState:
        """As if these examples had not been given."""
        gone = set(texts)
        left = {text: own for text, own in self.examples.sentences.items() if text not in gone}
        return learn(scorer, replace(self.examples, sentences=left), self)


def learn(scorer: InferenceModel, examples: Examples, before: FittedState | None = None) -> FittedState:
    """Knowledge of these examples; of what was known before, only what is new is represented."""
    label_texts = [text for text in map(examples.label_text, examples.names) if text]
    kept, labels = (dict(before.kept), dict(before.labels)) if before else ({}, {})
    new = [text for text in examples.texts if text not in kept]
    new_labels = [text for text in label_texts if text not in labels]
    represented = keep(scorer, [*new, *new_labels])
    kept.update((text, represented[text]) for text in new)
    labels.update((text, represented[text]) for text in new_labels)
    examples = examples.without_unreadable([text for text in new if not len(kept[text].lengths)])
    return FittedState(
        examples, {text: kept[text] for text in examples.texts}, {text: labels[text] for text in label_texts},
        scorer.looking, scorer.presence, scorer.encoder.width,
    )  # fmt: skip


def keep(scorer: InferenceModel, texts: Sequence[str]) -> dict[str, CachedEncoding]:
    """Each text represented once; one that is longer than the encoder reads, piece by piece."""
    spans = fitting_spans(texts, [[(0, len(text))] for text in texts], scorer.encoder.tokens.too_long)
    pieces = [text[start:end] for text, own in zip(texts, spans, strict=True) for start, end in own]
    keys = [_key(ids) for ids in scorer.encoder.tokens.ids(pieces)]
    vectors: dict[int, np.ndarray] = {}
    tokens: dict[int, np.ndarray] = {}
    for batch, read in scorer.each(pieces, None, lambda sentences: sentences):
        states = np.split(read.tokens.astype(np.float16), np.cumsum(read.lengths)[:-1])
        vectors.update(zip(batch.tolist(), read.vectors, strict=True))
        tokens.update(zip(batch.tolist(), states, strict=True))
    kept, first = {}, 0
    for text, own in zip(texts, spans, strict=True):
        found = [piece for piece in range(first, first + len(own)) if piece in vectors]
        first += len(own)
        nothing = _nothing(scorer.encoder.width)
        kept[text] = CachedEncoding(
            np.concatenate([nothing.vectors, *(vectors[piece][None] for piece in found)]),
            np.concatenate([nothing.tokens, *(tokens[piece] for piece in found)]),
            np.array([len(tokens[piece]) for piece in found], dtype=np.int64),
            np.array([keys[piece] for piece in found], dtype=np.int64),
        )
    return kept


def _key(ids: Sequence[int]) -> int:
    digest = hashlib.blake2b(np.array(ids, dtype=np.int32).tobytes(), digest_size=8).digest()
    return int.from_bytes(digest, "little", signed=True)


def _nothing(width: int) -> CachedEncoding:
    empty = np.zeros((0, width), dtype=np.float32)
    return CachedEncoding(empty, empty.astype(np.float16), np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64))


def _mean(kept: CachedEncoding) -> np.ndarray:
    """(d,) unit vector of all pieces; zeros where there are none."""
    return unit(kept.vectors.sum(axis=0))


def _label_vector(text: CachedEncoding, shots: np.ndarray) -> np.ndarray:
    """The label text's vector; of an aspect without a name that says anything, the mean of its shots stands in."""
    return _mean(text) if len(text.lengths) else unit(shots.sum(axis=0))


def _together(parts: Sequence[CachedEncoding], width: int) -> Sentences:
    """In single precision."""
    nothing = _nothing(width)
    vectors, tokens, lengths = (
        np.concatenate([getattr(part, name) for part in (nothing, *parts)]) for name in ("vectors", "tokens", "lengths")
    )
    return Sentences(vectors, tokens.astype(np.float32), lengths)

"""From examples to fitted aspects: each example encoded once, then all aspects fitted together in one step."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from fewaspect.core.errors import ConfigError
from fewaspect.core.forking import cached_property
from fewaspect.detector.calibration import fit_bias, leave_out
from fewaspect.detector.model import InferenceModel, ModelReference
from fewaspect.detector.scoring import (
    FittedAspects,
    LPNPlusScorer,
    ScoreComponents,
    SupportSet,
    Uncentred,
    centring_share,
)
from fewaspect.detector.support import Examples
from fewaspect.inference.encoded import LowerStates, Sentences, unit
from fewaspect.inference.encoder import ONE_THREAD
from fewaspect.text.splitting import fitting_spans

if TYPE_CHECKING:
    from fewaspect.detector.explain import Threshold
    from fewaspect.detector.labelling.target_precision import Promise

MAX_PILE = 2000  # unlabelled sentences that are kept
MIN_PILE = 100  # with fewer, nothing is learned from them
MAX_REFITTED = 32  # examples that are left out by fitting anew without them
MAX_PAIRS = 10  # examples of which two at a time are left out so


@dataclass(frozen=True)
class CachedEncoding:
    """An encoded text; in pieces if it is longer than the encoder reads.

    Token states are kept in half precision, so that what is saved is exactly what was used.
    """

    vectors: np.ndarray  # (pieces, d)
    tokens: np.ndarray  # (tokens, d) half precision
    lengths: np.ndarray  # (pieces,)
    keys: np.ndarray  # (pieces,) equal for equal tokens, whatever was read beside them
    lower: np.ndarray | None = None  # (pieces, d) means of a lower layer, of an encoder that gives them

    @classmethod
    def empty(cls, width: int) -> CachedEncoding:
        """Of a text without a word."""
        vectors, none = np.zeros((0, width), dtype=np.float32), np.zeros(0, dtype=np.int64)
        return cls(vectors, vectors.astype(np.float16), none, none)

    @property
    def vector(self) -> np.ndarray:
        """(d,) unit vector of all pieces; zeros where there are none."""
        return unit(self.vectors.sum(axis=0))

    @cached_property
    def total(self) -> np.ndarray:
        """(d,) sum of its token states."""
        return self.tokens.sum(axis=0, dtype=np.float32)


@dataclass(frozen=True)
class Pile:
    """Unlabelled sentences of the kind that will be read: the sum of the token states of each, and how many it has."""

    sums: np.ndarray  # (M, d)
    lengths: np.ndarray  # (M,)
    lower: np.ndarray | None = None  # (d,) mean over the sentences of what a lower layer gives

    def __len__(self) -> int:
        return len(self.lengths)

    def vectors(self, mean: np.ndarray | None) -> np.ndarray:
        """(M, d) unit vectors, of states without `mean`."""
        return unit(self.sums if mean is None else self.sums - self.lengths[:, None] * mean)


@dataclass(frozen=True)
class FittedState:
    """The examples, their encodings and those of the label texts, the aspects fitted to them, and what was tuned.

    Immutable: a change makes another state, and whoever works on this one is not disturbed. `aspects` is None until
    `fit_aspects` has run.
    """

    examples: Examples
    encodings: Mapping[str, CachedEncoding]  # by example text
    label_encodings: Mapping[str, CachedEncoding]  # by label text
    width: int
    pile: Pile | None = None
    aspects: FittedAspects | None = None
    reference: ModelReference = field(default_factory=lambda: ModelReference(None))
    matrix: bool = False  # labels were given as a 0/1 matrix
    tuned: Mapping[str, float] = field(default_factory=dict)  # thresholds by aspect
    promise: Promise | None = None
    promise_void: bool = False  # there was one, before the detector changed

    @property
    def model(self) -> InferenceModel:
        return self.reference.load()

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

    def changed(self, **changes: Any) -> FittedState:
        """Not fitted yet. A promise belongs to the detector it was tuned on, and not to what becomes of it."""
        void = self.promise_void or self.promise is not None
        return replace(self, **changes, aspects=None, promise=None, promise_void=void)

    def without(self, texts: Iterable[str]) -> FittedState:
        """As if these examples had not been given; not fitted yet."""
        gone = set(texts)
        left = {text: own for text, own in self.examples.sentences.items() if text not in gone}
        encodings = {text: encoding for text, encoding in self.encodings.items() if text not in gone}
        return replace(self, examples=replace(self.examples, sentences=left), encodings=encodings, aspects=None)


class Snapshot(NamedTuple):
    """All that one prediction works with, whatever other threads change meanwhile."""

    state: FittedState
    thresholds: np.ndarray  # (N,) in the order of the aspects
    given: Threshold  # what of them the user has set

    @property
    def names(self) -> tuple[str, ...]:
        return self.state.examples.names

    @property
    def promise(self) -> Promise | None:
        """None while a threshold keeps back some of the answers that it accepts: what is left of all aspects may be
        right less often."""
        if (promise := self.state.promise) is None:
            return None
        pairs = zip(self.thresholds, (promise.thresholds[name] for name in self.names), strict=True)
        return None if any(own is not None and threshold > own for threshold, own in pairs) else promise

    @property
    def asked_promise(self) -> Promise:
        if (promise := self.promise) is None:
            found = "one that changed since" if self.state.promise_void or self.state.promise else "none"
            raise ConfigError(
                f"review: expected a detector that was tuned to a precision, found {found}.\n"
                "Call tune(texts, labels, precision=0.9) first."
            )
        return promise


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
    labels = {text: encoded[text] for text in label_texts}
    if previous is None:
        return FittedState(examples, encodings, labels, model.encoder.width)
    return previous.changed(examples=examples, encodings=encodings, label_encodings=labels)


def pile_sentences(model: InferenceModel, texts: Sequence[str]) -> list[str]:
    """At most `MAX_PILE` distinct sentences of the texts.

    Which ones depends on their words alone: in another order, the same texts give the same sentences.
    """
    return sorted(model.split_sentences(texts)[2], key=_order)[:MAX_PILE]


def encode_pile(model: InferenceModel, texts: Sequence[str]) -> Pile | None:
    """Of the `pile_sentences` of the texts; None if there are too few to learn from."""
    sentences = pile_sentences(model, texts)

    def summed(read: Sentences) -> tuple[np.ndarray, np.ndarray, np.ndarray | None]:
        return read.reduce(np.add, read.tokens), read.lengths, read.lower

    parts = sorted(model.map_batches(sentences, None, summed), key=lambda part: int(part[0][0]))
    if sum(len(batch) for batch, _ in parts) < MIN_PILE:
        return None
    places = np.argsort(np.concatenate([batch for batch, _ in parts]))
    sums, lengths = (np.concatenate([own[n] for _, own in parts])[places] for n in range(2))
    means = [own[2] for _, own in parts if own[2] is not None]
    lower = np.concatenate(means)[places].mean(axis=0) if means else None
    return Pile(sums.astype(np.float16), lengths, lower)


def _order(text: str) -> bytes:
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest()


def fit_aspects(model: InferenceModel, state: FittedState, bias: float | None = None) -> FittedState:
    """Fit all aspects together: prototypes, attention, ridge directions, and the bias of their probabilities, unless
    the one that examples give is known already.

    A prototype follows from its own examples and name alone; the rest depends on the other aspects too.
    """
    mean = mean_state(state) if model.scorer.settings.centred else None
    support = support_set(state, mean)
    pile = None if state.pile is None else state.pile.vectors(mean).astype(np.float32)
    with ONE_THREAD:
        fitted = model.scorer.fit(support, prototypes(model.scorer, support), pile=pile)
        if bias is None:
            few = mean is not None and state.pile is None and len(state.examples.texts) <= MAX_REFITTED
            refit = partial(refitted_components, model.scorer, state) if few else None
            bias = fit_bias(model.scorer, model.probability_model, support, fitted, refit)
    bias += model.probability_model.few_aspects_bias(len(fitted.shots))
    return replace(state, aspects=fitted._replace(mean=mean, bias=bias))


def biases_without_each(model: InferenceModel, state: FittedState) -> list[float] | None:
    """For each example the bias that the others give, each of them left out alone; None where it is fitted anew.

    Fitted anew, the bias without an example is of the others, left out together with it: a fit for each two examples.
    """
    texts, centred = state.examples.texts, model.scorer.settings.centred and state.pile is None
    if not centred or not MAX_PAIRS < len(texts) <= MAX_REFITTED + 1 or len(state.examples.names) == 1:
        return None
    support = support_set(state, mean_state(state))
    with ONE_THREAD:
        fitted = model.scorer.fit(support, prototypes(model.scorer, support))
        refit = partial(refitted_components, model.scorer, state)
        left_out = leave_out(model.scorer, model.probability_model, support, fitted, refit)
    if left_out is None:
        return None
    of_text = np.repeat(np.arange(len(texts)), [len(state.encodings[text].lengths) for text in texts])
    return [left_out.bias(of_text[left_out.rows] != text) for text in range(len(texts))]


def refitted_components(scorer: LPNPlusScorer, state: FittedState, rows: np.ndarray) -> ScoreComponents:
    """(rows, N) each: rows of the support set compared with aspects that were fitted without their texts."""
    texts = [text for text in state.examples.texts for _ in state.encodings[text].lengths]
    pieces = [piece for text in state.examples.texts for piece in range(len(state.encodings[text].lengths))]
    found = []
    for row in rows.tolist():
        others = state.without([texts[row]])
        mean = mean_state(others)
        support = support_set(others, mean)
        fitted = scorer.fit(support, prototypes(scorer, support))._replace(token_list=None, mean=mean)
        own = joined_encodings([state.encodings[texts[row]]], state.width).take(np.array([pieces[row]]))
        found.append(scorer.components(fitted, own))
    parts = (None if part[0] is None else np.concatenate(part) for part in zip(*found, strict=True))
    return ScoreComponents(*parts)  # type: ignore[arg-type]  # the first three are always there


def mean_state(state: FittedState) -> np.ndarray | None:
    """(d,) mean token state of examples and unlabelled texts: what all of them are about. None without either.

    Of the examples, every aspect counts the same, and those of none count as one aspect: many of a kind move nothing.
    """
    texts = state.examples.texts
    lengths = np.array([len(state.encodings[text].tokens) for text in texts], dtype=np.float32)
    sums = np.array([state.encodings[text].total for text in texts])
    groups = np.column_stack([state.examples.membership, ~state.examples.membership.any(axis=1)])  # (texts, N + 1)
    groups = groups[:, (groups * lengths[:, None]).sum(axis=0) > 0]
    total, tokens, sentences = np.zeros(state.width, dtype=np.float32), 0.0, len(texts)
    if groups.size:
        means = (groups.T @ sums) / (groups.T @ lengths)[:, None]  # (groups, d)
        tokens = float(lengths.sum())
        total = tokens * means.mean(axis=0)
    if state.pile is not None:
        total = total + state.pile.sums.sum(axis=0, dtype=np.float32)
        tokens, sentences = tokens + float(state.pile.lengths.sum()), sentences + len(state.pile)
    return (centring_share(sentences) * total / tokens).astype(np.float32) if tokens else None


def prototypes(scorer: LPNPlusScorer, support: SupportSet) -> np.ndarray:
    """(N, d)."""
    each = []
    for n, label in enumerate(support.labels):
        own = np.flatnonzero(support.membership[:, n])
        each.append(scorer.prototype(support.examples.vectors[own], support.membership[own, n], label))
    return np.stack(each)


def support_set(state: FittedState, mean: np.ndarray | None = None) -> SupportSet:
    """Encoded examples in rows, how much each row counts for and against each aspect, and the label texts; token
    states without `mean`."""
    examples, encodings = state.examples, [state.encodings[text] for text in state.examples.texts]
    pieces = np.array([len(encoding.lengths) for encoding in encodings], dtype=np.int64)
    in_all = np.maximum(pieces, 1)  # the pieces of a text count as one shot together
    membership = (examples.membership / in_all[:, None]).astype(np.float32)  # (texts, N)
    negative = (~examples.membership.any(axis=1) / in_all).astype(np.float32)
    membership, negative = np.repeat(membership, pieces, axis=0), np.repeat(negative, pieces)
    support = joined_encodings(encodings, state.width, mean)
    empty = CachedEncoding.empty(state.width)
    texts = [state.label_encodings.get(examples.label_text(name), empty) for name in examples.names]
    own = [joined_encodings([text], state.width, mean) for text in texts]
    labels = _label_vectors([text.vectors for text in own], support.vectors, membership)
    in_one = np.array([text.lengths.sum() for text in texts], dtype=np.int64)  # only their tokens are looked up
    label_tokens = Sentences(labels, np.concatenate([text.tokens for text in own]), in_one)
    keys = np.concatenate([empty.keys, *(encoding.keys for encoding in encodings)])
    vectors = np.concatenate([empty.vectors, *(encoding.vectors for encoding in encodings)])
    before = Uncentred(vectors, _label_vectors([text.vectors for text in texts], vectors, membership))
    lower = lower_states(support.lower, membership, [text.lower for text in own], state.pile)
    return SupportSet(support, keys, membership, negative, labels, label_tokens, before, lower)


def lower_states(
    examples: np.ndarray | None, membership: np.ndarray, labels: Sequence[np.ndarray | None], pile: Pile | None
) -> LowerStates | None:
    """From (S, d) examples with their (S, N) membership and (pieces, d) of each label text; centred by the mean of
    examples, every aspect counting the same, and unlabelled texts. None where the encoder gives none of it."""
    given = [part for part in (examples, *labels) if part is not None]
    if not given:
        return None
    rows = given[0][:0] if examples is None else examples
    groups = np.column_stack([membership > 0, ~(membership > 0).any(axis=1)])
    means = [rows[own].mean(axis=0) for own in groups.T if own.any()]
    total, count = len(rows) * np.mean(means, axis=0) if means else rows.sum(axis=0), len(rows)
    if pile is not None and pile.lower is not None:
        total, count = total + len(pile) * pile.lower, count + len(pile)
    mean = (centring_share(count) * total / max(count, 1)).astype(np.float32)
    texts = [np.zeros_like(mean) if part is None else unit(part.mean(axis=0) - mean) for part in labels]
    return LowerStates(unit(rows - mean), np.stack(texts), mean)


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
        lower = [None] * len(batch) if read.lower is None else read.lower[:, None].astype(np.float16)
        for piece, vector, tokens, own in zip(batch.tolist(), read.vectors, states, lower, strict=True):
            length, key = np.array([len(tokens)]), np.array([keys[piece]])
            encoded[piece] = CachedEncoding(vector[None], tokens, length, key, own)
    return encoded


def _key(ids: Sequence[int]) -> int:
    digest = hashlib.blake2b(np.array(ids, dtype=np.int32).tobytes(), digest_size=8).digest()
    return int.from_bytes(digest, "little", signed=True)


def _label_vectors(texts: Sequence[np.ndarray], vectors: np.ndarray, membership: np.ndarray) -> np.ndarray:
    """(N, d) from (pieces, d) of each text; of an unnamed aspect, the mean of its examples, of (S, d), stands in."""
    own = (text if len(text) else vectors[membership[:, n] > 0] for n, text in enumerate(texts))
    return np.stack([unit(part.sum(axis=0)) for part in own])


def joined_encodings(encodings: Sequence[CachedEncoding], width: int, mean: np.ndarray | None = None) -> Sentences:
    """In single precision; token states without `mean`, (d,), and sentence vectors anew from their sums, as
    `Sentences.centred` gives them, in one pass over the memory."""
    parts = [CachedEncoding.empty(width), *encodings]
    vectors, lengths = np.concatenate([part.vectors for part in parts]), np.concatenate([p.lengths for p in parts])
    tokens, end = np.empty((lengths.sum(), width), dtype=np.float32), 0
    for part in parts:
        start, end = end, end + len(part.tokens)
        np.subtract(part.tokens, np.float32(0) if mean is None else mean, out=tokens[start:end])
    lower = _joined_lower(parts)
    read = Sentences(vectors, tokens, lengths, None if lower is None else lower.astype(np.float32))
    return read if mean is None else replace(read, vectors=unit(read.sums()))


def _concatenated(encodings: Sequence[CachedEncoding]) -> CachedEncoding:
    vectors, tokens, lengths, keys = (
        np.concatenate([getattr(part, name) for part in encodings]) for name in ("vectors", "tokens", "lengths", "keys")
    )
    return CachedEncoding(vectors, tokens, lengths, keys, _joined_lower(encodings))


def _joined_lower(encodings: Sequence[CachedEncoding]) -> np.ndarray | None:
    lower = [part.lower for part in encodings if part.lower is not None]
    return np.concatenate(lower) if lower else None

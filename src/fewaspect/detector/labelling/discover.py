"""Aspects that nobody has named: groups among the sentences that no aspect claims."""

from __future__ import annotations

import hashlib
import warnings
from collections.abc import Sequence
from dataclasses import dataclass, replace
from numbers import Integral

import numpy as np

from fewaspect.core.errors import ConfigError
from fewaspect.detector.explain import decide
from fewaspect.detector.fitting import FittedState, encode_examples, fit_aspects
from fewaspect.detector.labelling.grouping import FEWEST_MEMBERS, group_sentences, most_typical
from fewaspect.detector.labelling.naming import WORDS, choose_names, telling_words, tells
from fewaspect.detector.model import InferenceModel
from fewaspect.detector.scoring import FittedAspects
from fewaspect.detector.support import ExampleWarning
from fewaspect.inference.encoded import Sentences, unit
from fewaspect.inference.encoding_cache import CachingEncoder
from fewaspect.text.identity import example_identity
from fewaspect.text.scripts import count_words
from fewaspect.text.unspaced_words import with_spaces

MOST_SENTENCES = 5000  # of more, a fair sample is read
FEWEST_SENTENCES = 20  # that no aspect claims; of fewer, nothing is proposed
TYPICAL = 8  # sentences that stand for a group
CORE = 0.7  # typical sentences stay below this share of every threshold
FEWEST_WORDS = 3  # of a typical sentence
SAME_ASPECT = 0.5  # a group that would claim more than this share of a named aspect's sentences is that aspect


@dataclass(frozen=True)
class TypicalSentence:
    """A sentence of a group, and which of the texts given it stands in."""

    text: str
    index: int


@dataclass(frozen=True)
class AspectGroup:
    """Sentences that no aspect claims and that are about the same thing."""

    name: str  # proposed, from their own words
    words: dict[str, float]  # telling words, best first; weights relative to the best
    sentences: tuple[TypicalSentence, ...]  # the most typical first, no two alike
    size: int  # sentences
    share: float  # of all sentences that were read
    takes: dict[str, int]  # by named aspect: how many sentences answered so now this one, if adopted, would claim too
    texts: tuple[int, ...]  # which of the texts have a sentence of the group


@dataclass(frozen=True)
class _Read:
    """Distinct sentences of the texts: where they stand, how often, token sums, probabilities."""

    sentences: list[str]
    texts: list[list[int]]  # of each sentence: the texts that have it
    counts: np.ndarray  # (S,)
    vectors: np.ndarray  # (S, d) unit vectors, centred by the mean of all
    mean: np.ndarray  # (d,)
    probabilities: np.ndarray  # (S, N)
    readable: np.ndarray  # (S,)


def discover(
    model: InferenceModel,
    state: FittedState,
    texts: Sequence[str],
    thresholds: np.ndarray,
    new_threshold: float,
    n: int,
) -> list[AspectGroup]:
    """Up to `n` groups, the largest first; `new_threshold` is what the probability of an adopted one must reach."""
    if not isinstance(n, Integral) or n < 1:
        raise ConfigError(f"n: expected an integer from 1, found {n!r}.")
    model = replace(model, encoder=_caching(model.encoder))  # encoded once: sentences are scored for every group
    read = _read(model, state, texts)
    share_of_threshold = (read.probabilities / np.maximum(thresholds, 1e-9)).max(axis=1, initial=0.0)  # (S,)
    known = {example_identity(text) for text in state.examples.texts}
    fresh = np.array([example_identity(sentence) not in known for sentence in read.sentences], dtype=bool)
    spaced = with_spaces(read.sentences, model.encoder.tokeniser)
    telling = tells(spaced)  # "yes I did" is about nothing
    unclaimed = np.flatnonzero(read.readable & fresh & telling & (share_of_threshold < 1))
    if len(unclaimed) < FEWEST_SENTENCES:
        return []
    own, centres = group_sentences(read.vectors[unclaimed], 1 - share_of_threshold[unclaimed], int(n))
    groups = np.full(len(read.sentences), -1)
    groups[unclaimed] = own
    typical = [
        most_typical(read.vectors, centre, _core(read, groups == number, share_of_threshold), TYPICAL)
        for number, centre in enumerate(centres)
    ]
    takes = _takes(model, state, read, typical, thresholds, new_threshold)
    words = telling_words(spaced, groups, len(centres))
    kept = [g for g in range(len(centres)) if takes[g] is not None and words[g]]
    names = choose_names(
        [words[g] for g in kept], centres[kept], lambda some: _vectors(model, some, read.mean), state.examples.names
    )
    return [
        _described(read, groups == g, typical[g], name, words[g], takes[g] or {})
        for g, name in zip(kept, names, strict=True)
    ]


def _described(
    read: _Read, inside: np.ndarray, typical: Sequence[int], name: str, words: dict[str, float], takes: dict[str, int]
) -> AspectGroup:
    rows = np.flatnonzero(inside)
    size = int(read.counts[rows].sum())
    return AspectGroup(
        name, dict(list(words.items())[:WORDS]),
        tuple(TypicalSentence(read.sentences[row], read.texts[row][0]) for row in typical),
        size, size / int(read.counts.sum()), takes,
        tuple(sorted({text for row in rows for text in read.texts[row]})),
    )  # fmt: skip


def _core(read: _Read, inside: np.ndarray, share_of_threshold: np.ndarray) -> list[int]:
    """Rows of a group that no aspect nearly claims and that are no fragments; all of it if those are too few."""
    whole = np.array([count_words(sentence) >= FEWEST_WORDS for sentence in read.sentences])
    core = np.flatnonzero(inside & whole & (share_of_threshold < CORE))
    return (core if len(core) >= FEWEST_MEMBERS else np.flatnonzero(inside)).tolist()


def _takes(
    model: InferenceModel, state: FittedState, read: _Read, typical: Sequence[Sequence[int]], thresholds: np.ndarray,
    new_threshold: float,
) -> list[dict[str, int] | None]:  # fmt: skip
    """For each group by named aspect, how many of its sentences the group would claim; None if it is one of them."""
    copies = [_with_group(model, state, [read.sentences[row] for row in rows]) for rows in typical]
    answered = decide(read.probabilities, thresholds)  # (S, N)
    rows = np.flatnonzero(answered.any(axis=1))
    claimed = np.zeros((len(read.sentences), len(copies)), dtype=bool)

    def claims(some: Sentences) -> np.ndarray:
        return np.stack([model.probabilities(fitted, some)[:, -1] for fitted in copies], axis=1) >= new_threshold

    for batch, found in model.map_batches([read.sentences[row] for row in rows], None, claims) if copies else ():
        claimed[rows[batch]] = found
    of_all = answered.T @ read.counts  # (N,)
    taken = (answered * read.counts[:, None]).T @ claimed  # (N, G)
    same = ((of_all >= FEWEST_MEMBERS)[:, None] & (taken > SAME_ASPECT * of_all[:, None])).any(axis=0)
    return [
        None if same[g] else {name: int(taken[n, g]) for n, name in enumerate(state.examples.names) if taken[n, g]}
        for g in range(len(copies))
    ]


def _with_group(model: InferenceModel, state: FittedState, sentences: Sequence[str]) -> FittedAspects:
    """The aspects fitted together with one more, the last, of these sentences; it has no name yet."""
    new = "\0"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ExampleWarning)
        examples = state.examples.with_aspect(new, sentences, None)
        examples = replace(examples, unnamed=examples.unnamed | {new})
        return fit_aspects(model, encode_examples(model, examples, state)).fitted


def _read(model: InferenceModel, state: FittedState, texts: Sequence[str]) -> _Read:
    _, rows, sentences, _ = model.split_sentences(texts)
    places: list[list[int]] = [[] for _ in sentences]
    for text, own in enumerate(rows):
        for row in own:
            places[row].append(text)
    if len(sentences) > MOST_SENTENCES:
        kept = sorted(sorted(range(len(sentences)), key=lambda row: _order(sentences[row]))[:MOST_SENTENCES])
        sentences, places = [sentences[row] for row in kept], [places[row] for row in kept]
    fitted, width = state.fitted, model.encoder.width
    sums, lengths = np.zeros((len(sentences), width), dtype=np.float32), np.zeros(len(sentences))
    probabilities = np.zeros((len(sentences), len(fitted.shots)))

    def one(some: Sentences) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        return some.reduce(np.add, some.tokens), some.lengths, model.probabilities(fitted, some)

    for batch, found in model.map_batches(sentences, None, one):
        sums[batch], lengths[batch], probabilities[batch] = found
    mean = sums.sum(axis=0) / max(lengths.sum(), 1)
    counts = np.array([len(own) for own in places], dtype=np.int64)
    return _Read(sentences, places, counts, unit(sums - lengths[:, None] * mean), mean, probabilities, lengths > 0)


def _vectors(model: InferenceModel, texts: Sequence[str], mean: np.ndarray) -> np.ndarray:
    """(texts, d) unit vectors without the mean token state."""
    vectors = np.zeros((len(texts), model.encoder.width), dtype=np.float32)
    for batch, found in model.map_batches(texts, None, lambda some: some.centred(mean).vectors):
        vectors[batch] = found
    return vectors


def _caching(encoder: object) -> CachingEncoder:
    return encoder if isinstance(encoder, CachingEncoder) else CachingEncoder(encoder)  # type: ignore[arg-type]


def _order(text: str) -> bytes:
    """A fair sample has the smallest of these, whatever the order of the texts."""
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest()

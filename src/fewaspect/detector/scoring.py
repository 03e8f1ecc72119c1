"""LPN+ in numpy: aspects fitted to examples and label texts, sentences scored. The only implementation of it: a
detector serves with it, and an evaluation of the method (`fewaspect.methods.lpn_plus`) calls it for each episode."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from fewaspect.core.settings import LPNPlusSettings, build_settings
from fewaspect.detector.ridge import leave_one_out, linear_head, linear_head_left_out, ridge_direction
from fewaspect.inference.encoded import LowerStates, Sentences, norms, unit

MAX_NEGATIVES = 128  # negative rows in an aspect's regression: more than an episode of the benchmark has
MAX_COSINES = 1 << 22  # between tokens, computed at once
MAX_TOKEN_EXAMPLES = 64  # examples of an aspect whose tokens are compared
HEAD_STRENGTH, LOWER_STRENGTH = 1.0, 0.5  # regularisation of the linear classifiers
NEAREST, NEAREST_SCALE = 10, 10.0  # neighbours of a sentence, and the scale of their cosines in the softmax
MIN_NEIGHBOURS = 100  # sentences; with fewer, a sentence's own score stands in
LABELLED_VALUE = 0.6  # what an example's own label adds to its score as a neighbour
SAME = 0.9999  # cosine from which two sentences are one


class FittedAspects(NamedTuple):
    """N aspects as sentences are compared with them."""

    prototypes: np.ndarray  # (N, d) mean of the examples blended with the label text
    attention_queries: np.ndarray  # (N, d) of the last attention step
    attended_prototypes: np.ndarray  # (N, d) mean of the examples as attended to, blended with the label text
    ridge_directions: np.ndarray  # (N, d) what separates them from the examples of other aspects
    shots: np.ndarray  # (N,)
    token_list: TokenList | None
    head_directions: np.ndarray | None = None  # (N, d) linear classifier of whole sentences
    neighbours: Neighbours | None = None
    mean: np.ndarray | None = None  # (d,) what token states are centred by before all this
    uncentred_prototypes: np.ndarray | None = None  # (N, d) of states that are not
    lower_directions: np.ndarray | None = None  # (N, d) linear classifier of the states of a lower layer
    lower_mean: np.ndarray | None = None  # (d,) what these are centred by
    bias: float = 0.0  # added to the logits of all probabilities


class Neighbours(NamedTuple):
    """M sentences, unlabelled ones and examples, and what each says of the aspects."""

    vectors: np.ndarray  # (M, d)
    values: np.ndarray  # (M, N) on the scale of scores


class TokenList(NamedTuple):
    """Tokens of M examples and label texts as unit vectors, and to which aspects they belong."""

    vectors: np.ndarray  # (tokens, d)
    starts: np.ndarray  # (M,) place of each text's first token
    positive: np.ndarray  # (M, N) bool: the text belongs to the aspect
    negative: np.ndarray  # (M, N) bool: it belongs to others


class ScoreComponents(NamedTuple):
    """The terms of a score, (Q, N) each and on the scale of cosines."""

    sentence_similarity: np.ndarray  # cosine of the sentence vector and the prototype
    attended_similarity: np.ndarray  # cosine of the attended sentence and the attended prototype
    ridge_score: np.ndarray  # product of the attended sentence and the ridge direction
    token_match: np.ndarray | None  # the best token's cosine with a token of the aspect minus that with one of others
    head_score: np.ndarray | None = None  # product of the sentence vector and the linear classifier
    neighbour_score: np.ndarray | None = None  # mean over the nearest sentences of what they say of the aspect
    uncentred_similarity: np.ndarray | None = None  # no term of the score: whether a text is of this domain at all
    lower_head_score: np.ndarray | None = None  # no term of the score: the linear classifier of a lower layer


class SupportSet(NamedTuple):
    """Examples in S rows, and label texts."""

    examples: Sentences
    duplicate_ids: np.ndarray  # (S,) equal for equal sentences
    membership: np.ndarray  # (S, N) weight of a row as an example of each aspect
    negative_weights: np.ndarray  # (S,) weight of a row as an example of none of them
    labels: np.ndarray  # (N, d) of an unnamed aspect, the mean of its examples
    label_tokens: Sentences
    uncentred: Uncentred | None = None  # what a detector compares besides
    lower: LowerStates | None = None  # what it classifies besides

    @property
    def unnamed(self) -> np.ndarray:
        """(N,) bool: the aspect has no label text."""
        return self.label_tokens.lengths == 0


class Uncentred(NamedTuple):
    """Unit vectors of examples and label texts before their states were centred."""

    examples: np.ndarray  # (S, d)
    labels: np.ndarray  # (N, d)


class Regression(NamedTuple):
    """The M rows that the ridge regression of one aspect is fitted to: examples, then label texts."""

    rows: np.ndarray  # (M,) numbers; label texts follow the S examples
    vectors: np.ndarray  # (M, d) examples as the aspect attends to them
    positive: np.ndarray  # (M,) weights of its examples and label text
    negative: np.ndarray  # (M,) weights of the others


@dataclass(frozen=True)
class LPNPlusScorer:
    """The learned numbers of LPN+, and how it fits and compares."""

    attention: float
    attended_weight: float
    label_logit: float
    label_slope: float
    settings: LPNPlusSettings

    @property
    def learns_from_pile(self) -> bool:
        """Whether unlabelled sentences change its scores."""
        return self.settings.centred or self.settings.neighbour_weight > 0

    @classmethod
    def of(cls, tensors: Mapping[str, np.ndarray], settings: LPNPlusSettings) -> LPNPlusScorer:
        """From the weights of a run, by their names; version 0.1 wrote "seen_logit"."""
        weight = "attended_logit" if "method.attended_logit" in tensors else "seen_logit"
        attention, attended, label, slope = (
            float(tensors[f"method.{name}"]) for name in ("log_attention", weight, "label_logit", "label_slope")
        )
        return cls(float(np.exp(attention)), float(_sigmoid(attended)), label, slope, settings)

    @classmethod
    def from_json(cls, content: Mapping[str, Any], where: str) -> LPNPlusScorer:
        """From its fields as JSON; version 0.1 wrote "seen_share"."""
        values = {"attended_weight" if name == "seen_share" else name: value for name, value in content.items()}
        settings = build_settings(LPNPlusSettings, values.pop("settings"), where)
        return cls(**{name: float(value) for name, value in values.items()}, settings=settings)

    def prototype(self, vectors: np.ndarray, weights: np.ndarray, label: np.ndarray) -> np.ndarray:
        """(d,) of one aspect, from its own (K, d) examples, their (K,) weights and its (d,) label text alone."""
        return self._blend((weights @ vectors)[None], label[None], np.array([weights.sum()]))[0]

    def fit(
        self, support: SupportSet, prototypes: np.ndarray, max_negatives: int = MAX_NEGATIVES,
        pile: np.ndarray | None = None,
    ) -> FittedAspects:  # fmt: skip
        """Attention steps: the first query is the prototype, each next one the direction of the attended prototype
        and of the ridge regression together.

        With more than `max_negatives` rows, an aspect's regression takes as negative ones those nearest to its
        prototype. Up to that many, as in the episodes of the benchmark, it takes all. `pile` are (M, d) vectors of
        unlabelled sentences, neighbours of those that are scored.
        """
        shots = support.membership.sum(axis=0)
        queries, attended, directions = prototypes, np.empty_like(prototypes), np.empty_like(prototypes)
        for step in range(self.settings.attention_steps):
            queries = unit(attended + unit(directions)) if step else prototypes
            for n, regression in enumerate(self.attend_once(queries, support, prototypes, max_negatives)):
                attended[n], directions[n] = self._fit_aspect(regression, support, n)
        tokens = token_list(support) if self.settings.token_match_weight else None
        fitted = FittedAspects(prototypes, queries, attended, directions, shots, tokens)
        if before := support.uncentred:
            means = self._blend(support.membership.T @ before.examples, before.labels, shots)
            fitted = fitted._replace(uncentred_prototypes=means)
        if self.settings.head_weight:
            head = linear_head(support.examples.vectors, head_labels(support), HEAD_STRENGTH)
            fitted = fitted._replace(head_directions=head)
        if support.lower:
            directions = linear_head(*support.lower.regression(head_labels(support), ~support.unnamed), LOWER_STRENGTH)
            fitted = fitted._replace(lower_directions=directions, lower_mean=support.lower.mean)
        return fitted._replace(neighbours=self._neighbours(fitted, support, pile))

    def attend_once(
        self, queries: np.ndarray, support: SupportSet, prototypes: np.ndarray, max_negatives: int
    ) -> Iterator[Regression]:
        """The regression of each aspect, with examples as its query, one of (N, d), attends to their tokens."""
        positive, negative = row_weights(support, prototypes, max_negatives)
        every = np.concatenate([support.examples.vectors, support.labels])
        for n, query in enumerate(queries):
            rows = np.flatnonzero(positive[:, n] + negative[:, n])
            vectors, examples = every[rows], rows[rows < len(support.examples)]
            vectors[: len(examples)] = unit(support.examples.attended(examples, query, self.attention))
            yield Regression(rows, vectors, positive[rows, n], negative[rows, n])

    def leave_one_out(
        self, support: SupportSet, fitted: FittedAspects, max_negatives: int = MAX_NEGATIVES,
        asked: np.ndarray | None = None,
    ) -> ScoreComponents:  # fmt: skip
        """(S, N) each example compared with aspects that were fitted without it, but for the attention queries.

        Without token matches; nan where an example has no part in an aspect's regression, and in the scores of
        neighbours and linear classifiers where they are not `asked` for.
        """
        S, N = support.membership.shape
        sentence = support.examples.vectors @ fitted.prototypes.T
        attended, ridge = np.full((2, S + N, N), np.nan, dtype=sentence.dtype)
        regressions = self.attend_once(fitted.attention_queries, support, fitted.prototypes, max_negatives)
        for n, (rows, vectors, positive, negative) in enumerate(regressions):
            label = int(np.flatnonzero(rows == S + n)[0])
            coupled = label if support.unnamed[n] else None  # then it is made of the examples
            ridge[rows, n] = leave_one_out(vectors, positive, negative, self.settings.ridge_strength, coupled)
            attended[rows, n] = vectors @ fitted.attended_prototypes[n]
            own = np.flatnonzero(support.membership[:, n])
            attended[own, n] = self._left_out(vectors[np.isin(rows, own)], support, n)
            sentence[own, n] = self._left_out(support.examples.vectors[own], support, n)
        asked = np.arange(S) if asked is None else asked
        head, near, uncentred, lower = None, None, None, None

        def spread(found: np.ndarray) -> np.ndarray:
            """From the rows that are asked for to (S, N)."""
            every = np.full((S, N), np.nan, dtype=found.dtype)
            every[asked] = found
            return every

        if fitted.head_directions is not None:
            examples, labels = support.examples.vectors, head_labels(support)
            head = spread(linear_head_left_out(examples, labels, HEAD_STRENGTH, asked))
        if self.settings.neighbour_weight:
            near = spread(self.neighbour_score(fitted, support.examples.vectors[asked], left_out=True))
        if (before := support.uncentred) and fitted.uncentred_prototypes is not None:
            uncentred = before.examples @ fitted.uncentred_prototypes.T
            for n, own in enumerate(support.membership.T > 0):
                uncentred[own, n] = self._left_out(before.examples[own], support, n, before)
        if support.lower:
            rows, labels = support.lower.regression(head_labels(support), ~support.unnamed)
            lower = spread(linear_head_left_out(rows, labels, LOWER_STRENGTH, asked))
        return ScoreComponents(sentence, attended[:S], ridge[:S], None, head, near, uncentred, lower)

    def components(self, fitted: FittedAspects, sentences: Sentences) -> ScoreComponents:
        """(Q, N) each, of Q sentences as they are read; they are centred here.

        An attended sentence is a weighted mean of token states, so its products are means of theirs: the vectors
        themselves, (Q, N, d), are never computed.
        """
        uncentred = None
        if fitted.uncentred_prototypes is not None:
            uncentred = sentences.vectors @ fitted.uncentred_prototypes.T
        sentences = sentences.centred(fitted.mean)
        attention, lengths, *products = self._attend(
            fitted, sentences, fitted.attended_prototypes, fitted.ridge_directions
        )
        attended, ridge = (sentences.reduce(np.add, attention * each) / lengths for each in products)
        match = None
        if fitted.token_list:
            match = sentences.reduce(np.maximum, self.token_matches(fitted.token_list, sentences))
        vectors, head, near, lower = sentences.vectors, None, None, None
        if fitted.head_directions is not None:
            head = vectors @ fitted.head_directions.T
        if self.settings.neighbour_weight:
            near = self.neighbour_score(fitted, vectors)
        if fitted.lower_directions is not None and sentences.lower is not None:
            lower = unit(sentences.lower - fitted.lower_mean) @ fitted.lower_directions.T
        return ScoreComponents(vectors @ fitted.prototypes.T, attended, ridge, match, head, near, uncentred, lower)

    def combine_scores(self, components: ScoreComponents) -> np.ndarray:
        """(Q, N) scores on the scale of cosines."""
        sentence, attended, ridge, match, head, near, *_ = components
        s, scores = self.settings, (1 - self.attended_weight) * sentence + self.attended_weight * attended
        scores = scores + s.ridge_weight * ridge
        weighted = ((s.token_match_weight, match), (s.head_weight, head), (s.neighbour_weight, near))
        for weight, part in weighted:
            scores = scores if part is None else scores + weight * part
        return scores

    def neighbour_score(self, fitted: FittedAspects, vectors: np.ndarray, left_out: bool = False) -> np.ndarray:
        """(Q, N) mean of what the nearest sentences say; where there are too few, what the sentence itself would say.

        `left_out`: a sentence is no neighbour of itself.
        """
        known = fitted.neighbours
        if known is None:
            return vectors @ self.sentence_directions(fitted).T
        cosines = vectors @ known.vectors.T
        if left_out:
            cosines[cosines > SAME] = -1.0
        nearest = np.argpartition(-cosines, NEAREST, axis=1)[:, :NEAREST]
        weights = np.exp(NEAREST_SCALE * np.take_along_axis(cosines, nearest, axis=1))
        values: np.ndarray = np.einsum("qk,qkn->qn", weights, known.values[nearest])
        return values / weights.sum(axis=1, keepdims=True)

    def sentence_directions(self, fitted: FittedAspects) -> np.ndarray:
        """(N, d) the score of a sentence as if every aspect attended to all of it."""
        s, weight = self.settings, self.attended_weight
        directions = (1 - weight) * fitted.prototypes + weight * fitted.attended_prototypes
        directions = directions + s.ridge_weight * fitted.ridge_directions
        return directions if fitted.head_directions is None else directions + s.head_weight * fitted.head_directions

    def token_evidence(self, fitted: FittedAspects, sentences: Sentences) -> list[np.ndarray]:
        """For each sentence (N, T), what each token adds to the scores, which are sums over tokens.

        What neighbours say is not of its words: the sentence itself stands in for them.
        """
        sentences = sentences.centred(fitted.mean)
        s, weight = self.settings, self.attended_weight
        directions = weight * fitted.attended_prototypes + s.ridge_weight * fitted.ridge_directions
        whole = (1 - weight) * fitted.prototypes
        if fitted.head_directions is not None:
            whole = whole + s.head_weight * fitted.head_directions
        if s.neighbour_weight:
            whole = whole + s.neighbour_weight * self.sentence_directions(fitted)
        attention, lengths, attended, sentence = self._attend(fitted, sentences, directions, whole)
        sums = norms(sentences.sums())  # a sentence vector is the direction of the sum
        added = sentence / np.repeat(sums, sentences.lengths, axis=0)
        added = added + attention * attended / np.repeat(lengths, sentences.lengths, axis=0)
        parts = [added[start:end].T for start, end in sentences.spans()]
        if fitted.token_list:
            matches = self.token_matches(fitted.token_list, sentences)
            for part, (start, end) in zip(parts, sentences.spans(), strict=True):
                best = matches[start:end].argmax(axis=0)  # the first of equals
                every = np.arange(len(best))
                part[every, best] += self.settings.token_match_weight * matches[start + best, every]
        return parts

    def token_matches(self, known: TokenList, sentences: Sentences) -> np.ndarray:
        """(tokens, N) cosine of each token with the nearest token of the aspect minus that with one of others."""
        result = np.zeros((len(sentences.tokens), known.positive.shape[1]), dtype=sentences.tokens.dtype)
        ends = [*known.starts[1:].tolist(), len(known.vectors)]
        step = max(1, MAX_COSINES // max(1, len(known.vectors)))
        for first in range(0, len(result), step):
            cosines = known.vectors @ sentences.unit_tokens[first : first + step].T  # (known tokens, some)
            nearest = np.empty((len(ends), cosines.shape[1]), dtype=cosines.dtype)  # (M, some)
            for row, start, end in zip(nearest, known.starts.tolist(), ends, strict=True):
                cosines[start:end].max(axis=0, out=row)
            result[first : first + step] = nearest_of(nearest, known.positive) - nearest_of(nearest, known.negative)
        return result

    def _neighbours(self, fitted: FittedAspects, support: SupportSet, pile: np.ndarray | None) -> Neighbours | None:
        """The unlabelled sentences without the examples, then the examples, which say what they are labelled too."""
        examples = support.examples.vectors
        if pile is None or not self.settings.neighbour_weight:
            pile = examples[:0]
        elif len(examples):
            pile = pile[(pile @ examples.T).max(axis=1) < SAME]
        vectors = np.concatenate([pile, examples])
        if not self.settings.neighbour_weight or len(vectors) < MIN_NEIGHBOURS:
            return None
        values = vectors @ self.sentence_directions(fitted).T
        labels = head_labels(support)
        values[len(pile) :] += LABELLED_VALUE * (labels - labels.mean(axis=0)) if len(labels) else 0.0
        return Neighbours(vectors, values)

    def _fit_aspect(self, regression: Regression, support: SupportSet, n: int) -> tuple[np.ndarray, np.ndarray]:
        """(d,) attended prototype and ridge direction."""
        rows, vectors, positive, negative = regression
        weights = np.where(rows < len(support.examples), positive, 0.0)
        direction = ridge_direction(vectors, positive, negative, self.settings.ridge_strength)
        return self.prototype(vectors, weights, support.labels[n]), direction

    def _attend(self, fitted: FittedAspects, sentences: Sentences, *directions: np.ndarray) -> list[np.ndarray]:
        """(tokens, N) attention; (Q, N) lengths of the attended sentences, which follow from the products of their
        tokens with one another; then, (tokens, N) each, products of the tokens with (N, d) directions."""
        H = sentences.tokens
        products = H @ np.concatenate([fitted.attention_queries, *directions]).T
        cosines, *products = np.split(products, 1 + len(directions), axis=1)
        attention = sentences.softmax(self.attention * cosines / sentences.token_norms)
        among = np.empty_like(attention)  # products of a token and the attended sentence
        for start, end in sentences.spans():
            np.matmul(H[start:end] @ H[start:end].T, attention[start:end], out=among[start:end])
        squares = sentences.reduce(np.add, attention * among)
        return [attention, np.sqrt(np.maximum(squares, 1e-24)), *products]

    def _left_out(self, vectors: np.ndarray, support: SupportSet, n: int, texts: Uncentred | None = None) -> np.ndarray:
        """(K,) cosines of the (K, d) examples of an aspect with its prototype without them; of an unnamed aspect, the
        mean of the others stands in for the label text too. `texts`: of which the label texts are, if not centred."""
        own = np.flatnonzero(support.membership[:, n])
        examples, names = texts or (support.examples.vectors, support.labels)
        weights, labels = support.membership[own, n], np.broadcast_to(names[n], vectors.shape)
        if support.unnamed[n]:
            labels = unit(examples[own].sum(axis=0) - examples[own])
        left = weights.sum() - weights
        left[left < 1e-3] = 0.0  # it is the only one
        others = weights @ vectors - weights[:, None] * vectors
        return (vectors * self._blend(others, labels, left)).sum(axis=-1)

    def _blend(self, means: np.ndarray, labels: np.ndarray, shots: np.ndarray) -> np.ndarray:
        """(N, d) unit vectors between the examples' mean and the label text, whose share falls with the shots."""
        share = _sigmoid(self.label_logit + self.label_slope * np.log(np.maximum(shots, 1)))
        share = np.where(shots > 0, share, 1.0)[:, None].astype(labels.dtype)
        return unit((1 - share) * unit(means) + share * labels)


def head_labels(support: SupportSet) -> np.ndarray:
    """(S, N) 1 for an example of the aspect, 0 for others."""
    return (support.membership > 0).astype(support.membership.dtype)


def centring_share(examples: int) -> float:
    """How much of the mean of so many examples is subtracted: not all of it, or a single one would be nothing."""
    return examples / (examples + 1)


def row_weights(support: SupportSet, prototypes: np.ndarray, max_negatives: int) -> tuple[np.ndarray, np.ndarray]:
    """(S + N, N) weights of examples, then label texts, for and against each aspect; the nearest where there are more
    than `max_negatives`."""
    texts = np.eye(len(prototypes), dtype=support.membership.dtype)
    positive = np.concatenate([support.membership, texts])
    negative = np.concatenate([negative_membership(support), 1 - texts])
    if len(positive) > max_negatives:
        rows = np.concatenate([support.examples.vectors, support.labels])
        negative = negative * highest(rows @ prototypes.T, negative > 0, max_negatives)
    return positive, negative


def negative_membership(support: SupportSet) -> np.ndarray:
    """(S, N) weight of each row against each aspect: none if an equal sentence is an example of it."""
    own = support.membership
    distinct, sentence = np.unique(support.duplicate_ids, return_inverse=True)
    member = np.zeros((len(distinct), own.shape[1]), dtype=own.dtype)
    np.add.at(member, sentence, own)
    weights = own.sum(axis=1) + support.negative_weights
    return np.where(member[sentence] > 0, 0.0, weights[:, None]).astype(own.dtype)


def highest(values: np.ndarray, allowed: np.ndarray, count: int) -> np.ndarray:
    """(rows, N) bool, the `count` rows with the highest values in each column, of those that are allowed."""
    masked = np.where(allowed, values, -np.inf)
    chosen = np.zeros_like(allowed)
    places = np.argpartition(-masked, min(count, len(masked)) - 1, axis=0)[:count]
    np.put_along_axis(chosen, places, True, axis=0)
    return chosen


def token_list(support: SupportSet) -> TokenList:
    """Tokens of examples and label texts; of an aspect with very many examples, those of the nearest to their mean."""
    own, vectors = support.membership, support.examples.vectors
    negative = negative_membership(support) > 0
    positive = own > 0
    if len(vectors) > MAX_TOKEN_EXAMPLES:
        positive &= highest(vectors @ (own.T @ vectors).T, positive, MAX_TOKEN_EXAMPLES)
    kept = (own.sum(axis=1) <= 0) & negative.any(axis=1) | positive.any(axis=1)
    examples = support.examples if kept.all() else support.examples.take(np.flatnonzero(kept))
    texts = np.eye(own.shape[1], dtype=bool)
    lengths = np.concatenate([examples.lengths, support.label_tokens.lengths])
    filled = lengths > 0
    return TokenList(
        np.concatenate([examples.unit_tokens, support.label_tokens.unit_tokens]),
        (np.cumsum(lengths) - lengths)[filled],
        np.concatenate([own[kept] > 0, texts])[filled],
        np.concatenate([negative[kept], ~texts])[filled],
    )


def nearest_of(cosines: np.ndarray, rows: np.ndarray) -> np.ndarray:
    """(tokens, N) the highest of each aspect's rows of (M, tokens), by (M, N) bool; 0 where none is above it."""
    return np.stack([cosines[column].max(axis=0, initial=0.0) for column in rows.T], axis=1)


def _sigmoid(x):  # type: ignore[no-untyped-def]  # a number or an array
    return 1 / (1 + np.exp(-x))

"""LPN+ as it serves, in numpy: what `methods.lpn_plus` computes for a trained model, with any number of aspects.

Nothing here needs torch. That the two agree is tested.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from fewaspect.core.settings import LPNPlusSettings
from fewaspect.inference.batching import length_batches
from fewaspect.inference.encoded import Sentences, unit

MOST_OTHERS = 128  # rows that an aspect is told apart from: those of an episode of the benchmark and more
ASPECTS_AT_ONCE = 8  # where each is told apart from the rows near it: few share theirs
TOKENS_AT_ONCE = 1 << 13  # of examples, padding included
AT_ONCE = 1 << 22  # cosines of words
MOST_WORDY = 64  # examples of an aspect whose words are looked up


class Aspects(NamedTuple):
    """What examples and label texts of N aspects come to; texts are compared with nothing else of them."""

    prototypes: np.ndarray  # (N, d) examples blended with the label text
    looking: np.ndarray  # (N, d) what an aspect looks with for the words of a text
    seen: np.ndarray  # (N, d) its examples as it sees them
    directions: np.ndarray  # (N, d) what sets them apart from those of the other aspects
    shots: np.ndarray  # (N,)
    words: WordList | None
    shift: float = 0.0  # what is added to the logits of all probabilities


class WordList(NamedTuple):
    """Tokens of examples and label texts as unit vectors, and whose they are."""

    vectors: np.ndarray  # (words, d)
    starts: np.ndarray  # (M,) where the words of each text begin
    own: np.ndarray  # (M, N) bool, words of the aspect
    others: np.ndarray  # (M, N) bool, or words of others


class Parts(NamedTuple):
    """What a score is made of, each (Q, N) and on the scale of cosines."""

    whole: np.ndarray  # cosine of the whole sentence with the prototype
    seen: np.ndarray  # of the sentence as the aspect sees it with its examples as it sees them
    apart: np.ndarray  # along what sets these apart from the examples of others
    word: np.ndarray | None  # how much nearer its best word is to a word of the aspect than to any of the others


class SupportSet(NamedTuple):
    """Examples in S rows, and label texts."""

    examples: Sentences
    same: np.ndarray  # (S,) equal numbers for equal sentences
    membership: np.ndarray  # (S, N) how much a row counts for each aspect
    none: np.ndarray  # (S,) how much it counts against all of them
    labels: np.ndarray  # (N, d) of a nameless aspect, the mean of its examples stands in
    label_words: Sentences

    @property
    def nameless(self) -> np.ndarray:
        """(N,) bool: its label text says nothing that could be read."""
        return self.label_words.lengths == 0


@dataclass(frozen=True)
class LPNPlusScorer:
    """The learned numbers of LPN+, and how it compares."""

    attention: float
    seen_share: float
    label_logit: float
    label_slope: float
    settings: LPNPlusSettings

    @classmethod
    def of(cls, tensors: Mapping[str, np.ndarray], settings: LPNPlusSettings) -> LPNPlusScorer:
        """From the weights of a run, by their names."""
        attention, share, label, slope = (
            float(tensors[f"method.{name}"]) for name in ("log_attention", "seen_logit", "label_logit", "label_slope")
        )
        return cls(float(np.exp(attention)), _sigmoid(share), label, slope, settings)

    def prototype(self, vectors: np.ndarray, weights: np.ndarray, label: np.ndarray) -> np.ndarray:
        """(d,) one aspect's, from its own (K, d) examples and (d,) label text alone."""
        shots = weights.sum()
        mean = (weights / max(shots, 1e-9)) @ vectors
        return self._blend(mean[None], label[None], np.array([shots]))[0]

    def learn(self, known: SupportSet, prototypes: np.ndarray, most_others: int = MOST_OTHERS) -> tuple[Aspects, Parts]:
        """Each aspect looks twice: with its prototype, then with what its examples' own words turned out to be.

        Also (S, N) how each example compares as if it had not been given; nan where it takes no part in the learning.
        """
        own = known.membership.astype(np.float32)
        shots, texts = own.sum(axis=0), np.eye(own.shape[1], dtype=np.float32)
        others = against(known.same, own, known.none)
        for_it, against_it = np.concatenate([own, texts]), np.concatenate([others, 1 - texts])  # (S + N, N)
        step = max(1, len(shots))
        if len(for_it) > most_others:
            rows = np.concatenate([known.examples.vectors, known.labels])
            against_it = against_it * nearest(rows @ prototypes.T, against_it > 0, most_others)
            step = ASPECTS_AT_ONCE
        some_at_once = np.split(np.arange(len(shots)), range(step, len(shots), step))
        looking = seen = directions = prototypes
        for turn in range(self.settings.looks):
            looking = unit(seen + unit(directions)) if turn else prototypes
            looks = [self._look(looking[n], n, known, for_it[:, n], against_it[:, n]) for n in some_at_once]
            seen, directions, *without = (np.concatenate(part) for part in zip(*looks, strict=True))
        vectors, all_of_them = known.examples.vectors, np.arange(len(shots))
        every = np.arange(len(vectors))
        _, whole = self._examples(
            np.broadcast_to(vectors, (len(shots), *vectors.shape)), own.T, all_of_them, every, known
        )
        words = word_list(known, own, others) if self.settings.word_weight else None
        left_out = Parts(whole.T, without[0].T, without[1].T, None)
        return Aspects(prototypes, looking, seen, directions, shots, words), left_out

    def parts(self, aspects: Aspects, sentences: Sentences) -> Parts:
        """Sentences against aspects, in every respect.

        What an aspect sees of a sentence is a mean of its token states, so that its products are means of theirs, and
        its length follows from the products of the tokens among themselves: it need not be computed itself.
        """
        attention, towards, norms = self._seen(aspects, sentences, (aspects.seen, aspects.directions))
        seen, apart = ((attention * each).sum(axis=1) / norms for each in towards)
        word = self.words(aspects.words, sentences).max(axis=1) if aspects.words else None
        return Parts(sentences.vectors @ aspects.prototypes.T, seen, apart, word)

    def together(self, parts: Parts) -> np.ndarray:
        """(Q, N) scores on the scale of cosines."""
        scores = (1 - self.seen_share) * parts.whole + self.seen_share * parts.seen
        scores = scores + self.settings.ridge_weight * parts.apart
        return scores if parts.word is None else scores + self.settings.word_weight * parts.word

    def evidence(self, aspects: Aspects, sentences: Sentences) -> list[np.ndarray]:
        """For each sentence (N, T) what each token adds to its scores, which are sums over tokens."""
        towards = self.seen_share * aspects.seen + self.settings.ridge_weight * aspects.directions
        attention, (along,), norms = self._seen(aspects, sentences, (towards,))
        H = sentences.padded
        lengths = np.maximum(np.linalg.norm(H.sum(axis=1), axis=-1), 1e-12)[:, None, None]
        added = (1 - self.seen_share) * (H @ aspects.prototypes.T) / lengths + attention * along / norms[:, None, :]
        if aspects.words:
            words = self.words(aspects.words, sentences)  # (Q, T, N)
            best = words == words.max(axis=1, keepdims=True)
            best &= np.cumsum(best, axis=1) == 1  # the first of equals
            added = added + self.settings.word_weight * np.where(best, words, 0.0)
        return [own[:length].T for own, length in zip(added, sentences.lengths, strict=True)]

    def words(self, known: WordList, sentences: Sentences) -> np.ndarray:
        """(Q, T, N) how much nearer each token is to a word of the aspect than to any of the others; padding: -inf."""
        found = [np.zeros((0, known.own.shape[1]), dtype=np.float32)]
        tokens, step = unit(sentences.tokens), max(1, AT_ONCE // max(1, len(known.vectors)))
        for start in range(0, len(tokens), step):
            cosines = known.vectors @ tokens[start : start + step].T  # (words, some)
            near = np.maximum.reduceat(cosines, known.starts, axis=0) if len(cosines) else cosines  # (M, some)
            found.append(nearest_of(near, known.own) - nearest_of(near, known.others))
        result = np.full((*sentences.mask.shape, known.own.shape[1]), -np.inf, dtype=np.float32)
        result[sentences.mask] = np.concatenate(found)
        return result

    def _seen(
        self, aspects: Aspects, sentences: Sentences, towards: tuple[np.ndarray, ...]
    ) -> tuple[np.ndarray, list[np.ndarray], np.ndarray]:
        """(Q, T, N) attention, the tokens' products with each of (N, d), and (Q, N) lengths of what is seen."""
        H = sentences.padded
        N = len(aspects.shots)
        flat = H.reshape(-1, H.shape[-1]) @ np.concatenate([aspects.looking, *towards]).T
        products = flat.reshape(*H.shape[:2], -1)  # (Q, T, N + ...)
        norms = np.maximum(np.linalg.norm(H, axis=-1, keepdims=True), 1e-12)
        attention = masked_softmax(self.attention * products[..., :N] / norms, sentences.mask[..., None])
        gram = H @ H.transpose(0, 2, 1)  # (Q, T, T)
        squares = (attention * (gram @ attention)).sum(axis=1)
        lengths = np.sqrt(np.maximum(squares, 1e-24))
        return attention, [products[..., N * (i + 1) : N * (i + 2)] for i in range(len(towards))], lengths

    def _look(
        self, looking: np.ndarray, which: np.ndarray, known: SupportSet, for_it: np.ndarray, against_it: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        """Of n aspects, `which` of all, what their examples come to and what tells them from others, (n, d) each; then,
        (n, S) each, how every example compares with either, had it not been given.

        `for_it` and `against_it`, (S + N, n): how much examples and then label texts count for and against each.
        """
        S = len(known.examples)
        used = for_it + against_it > 0
        rows, texts = (np.flatnonzero(part.any(axis=1)) for part in (used[:S], used[S:]))
        views = self._views(looking, known.examples.take(rows))  # (n, rows, d)
        weights = for_it[rows].T
        others = np.broadcast_to(known.labels[texts], (len(looking), len(texts), looking.shape[1]))
        chosen = np.concatenate([rows, S + texts])
        places = np.argsort(~used[chosen].T, axis=1, kind="stable")[:, : used.sum(axis=0).max(initial=0)]
        near = np.take_along_axis(np.concatenate([views, others], axis=1), places[..., None], axis=1)
        mine, theirs = (np.take_along_axis(side[chosen].T, places, axis=1) for side in (for_it, against_it))
        label = (chosen[places] == S + which[:, None]).argmax(axis=1)  # where each aspect's own text is
        directions, answers = ridge_directions(
            near, mine, theirs, self.settings.ridge_strength, np.where(known.nameless[which], label, -1)
        )
        seen_out, apart_out = np.full((2, len(looking), len(for_it)), np.nan, dtype=np.float32)
        seen, seen_out[:, rows] = self._examples(views, weights, which, rows, known)
        np.put_along_axis(apart_out, chosen[places], answers, axis=1)
        return seen, directions, seen_out[:, :S], apart_out[:, :S]

    def _examples(
        self, views: np.ndarray, weights: np.ndarray, which: np.ndarray, rows: np.ndarray, known: SupportSet
    ) -> tuple[np.ndarray, np.ndarray]:
        """(n, d) what the examples of n aspects come to, and (n, B) the cosine of each row with that; of an example
        with what the others come to.

        Of (n, B, d) views and (n, B) how much each counts for the aspect: `which` aspects, `rows` of the examples.
        """
        labels, vectors = known.labels[which], known.examples.vectors[rows]
        shots, sums = weights.sum(axis=1), np.einsum("nb,nbd->nd", weights, views)
        together = self._blend(sums, labels, shots)
        cosines = (views @ together[..., None])[..., 0]
        aspect, row = np.nonzero(weights)
        own, weight = views[aspect, row], weights[aspect, row]  # (pairs, d), (pairs,)
        left = shots[aspect] - weight
        left[left < 1e-3] = 0.0  # it is the only one
        without = unit(((weights > 0) @ vectors)[aspect] - vectors[row])  # what would stand in for a label text
        texts = np.where(known.nameless[which][aspect, None], without, labels[aspect])
        others = self._blend(sums[aspect] - weight[:, None] * own, texts, left)
        cosines[aspect, row] = (own * others).sum(axis=-1)
        return together, cosines

    def _views(self, looking: np.ndarray, sentences: Sentences) -> np.ndarray:
        """(n, B, d) each sentence as each aspect sees it that looks for words near its vector."""
        views = np.zeros((len(looking), len(sentences), looking.shape[1]), dtype=np.float32)
        for batch in length_batches(sentences.lengths, TOKENS_AT_ONCE):
            some = sentences.take(batch)
            attention = masked_softmax(self.attention * (unit(some.padded) @ looking.T), some.mask[..., None])
            views[:, batch] = unit(attention.transpose(0, 2, 1) @ some.padded).transpose(1, 0, 2)
        return views

    def _blend(self, means: np.ndarray, labels: np.ndarray, shots: np.ndarray) -> np.ndarray:
        """Unit vectors between the examples' mean and the label text, which counts the less the more there are."""
        share = _sigmoid(self.label_logit + self.label_slope * np.log(np.maximum(shots, 1)))
        share = np.where(shots > 0, share, 1.0)[:, None].astype(np.float32)
        return unit((1 - share) * unit(means) + share * labels)


def ridge_directions(
    examples: np.ndarray, own: np.ndarray, others: np.ndarray, strength: float, beside: np.ndarray | None = None
) -> tuple[np.ndarray, np.ndarray]:
    """(N, d) what answers 1 to an aspect's own and 0 to other rows of (N, M, d), by ridge regression; and (N, M) what
    it would answer to each row had it been fitted without it, the others weighing as they do; nan without weight.

    `own` and `others`, (N, M), are the weights of rows for and against; both sides weigh the same in all. `beside`,
    (N,): a row that is made of the aspect's own ones, and so is left out together with each of them; -1 for none.
    """
    total = own.sum(axis=1, keepdims=True) + others.sum(axis=1, keepdims=True)
    balanced = [side * total / (2 * np.maximum(side.sum(axis=1, keepdims=True), 1e-9)) for side in (own, others)]
    root = np.sqrt(balanced[0] + balanced[1])
    X = root[..., None] * examples
    y = np.where(own > 0, root, 0.0)  # (N, M)
    across = X.transpose(0, 2, 1)
    held = strength * np.eye(min(X.shape[1:]), dtype=X.dtype)
    made = np.arange(len(X)), np.zeros(len(X), dtype=np.int64) if beside is None else np.maximum(beside, 0)
    if X.shape[1] > X.shape[2]:
        inverse = np.linalg.inv(across @ X + held)
        directions = (inverse @ (across @ y[..., None]))[..., 0]
        missed = y - (X @ directions[..., None])[..., 0]
        reach = X @ inverse  # (N, M, d)
        freedom = np.maximum(1 - (reach * X).sum(axis=-1), 1e-6)
        shared = -(reach @ X[made][..., None])[..., 0]
    else:
        inverse = np.linalg.inv(X @ across + held)
        missed = (inverse @ y[..., None])[..., 0]
        directions = (across @ missed[..., None])[..., 0]
        freedom = np.diagonal(inverse, axis1=1, axis2=2)
        shared = inverse[made]
    error = missed / freedom
    if beside is not None:
        its_missed, its_freedom = missed[made][:, None], freedom[made][:, None]
        both = (its_freedom * missed - shared * its_missed) / np.maximum(freedom * its_freedom - shared**2, 1e-12)
        error = np.where((own > 0) & (beside >= 0)[:, None], both, error)
    return directions, np.where(root > 0, (y - error) / np.maximum(root, 1e-12), np.nan)


def against(same: np.ndarray, own: np.ndarray, none: np.ndarray) -> np.ndarray:
    """(S, N) how much each row counts against each aspect: not at all if the same sentence is an example of it."""
    distinct, sentence = np.unique(same, return_inverse=True)
    carried = np.zeros((len(distinct), own.shape[1]), dtype=own.dtype)
    np.add.at(carried, sentence, own)
    weight = own.sum(axis=1) + none
    return np.where(carried[sentence] > 0, 0.0, weight[:, None]).astype(np.float32)


def nearest(similar: np.ndarray, allowed: np.ndarray, most: int) -> np.ndarray:
    """(rows, N) bool, the `most` rows with the highest values in each column, of those that are allowed."""
    masked = np.where(allowed, similar, -np.inf)
    chosen = np.zeros_like(allowed)
    places = np.argpartition(-masked, min(most, len(masked)) - 1, axis=0)[:most]
    np.put_along_axis(chosen, places, True, axis=0)
    return chosen


def word_list(known: SupportSet, own: np.ndarray, others: np.ndarray) -> WordList:
    """The words of examples and label texts; an aspect with very many examples gives those nearest to their mean."""
    vectors = known.examples.vectors
    similar = vectors @ (own.T @ vectors).T  # (S, N)
    chosen = nearest(similar, own > 0, MOST_WORDY) if len(vectors) else own > 0
    kept = (own.sum(axis=1) <= 0) & (others > 0).any(axis=1) | (chosen & (own > 0)).any(axis=1)
    texts = np.eye(own.shape[1], dtype=bool)
    examples = np.repeat(kept, known.examples.lengths)
    tokens = np.concatenate([known.examples.tokens[examples], known.label_words.tokens])
    lengths = np.concatenate([known.examples.lengths[kept], known.label_words.lengths])
    mine = np.concatenate([own[kept] > 0, texts])
    theirs = np.concatenate([others[kept] > 0, ~texts])
    some = lengths > 0
    return WordList(unit(tokens), (np.cumsum(lengths) - lengths)[some], mine[some], theirs[some])


def nearest_of(near: np.ndarray, rows: np.ndarray) -> np.ndarray:
    """(tokens, N) cosine of the nearest word among an aspect's rows of (M, tokens), at least 0; of (M, N) bool."""
    return np.stack([near[column].max(axis=0, initial=0.0) for column in rows.T], axis=1)


def masked_softmax(logits: np.ndarray, mask: np.ndarray) -> np.ndarray:
    """Over the middle axis, places without a token get nothing."""
    logits = np.where(mask, logits, -np.inf)
    highest = logits.max(axis=1, keepdims=True, initial=-1e30)
    weights = np.exp(logits - highest)
    return weights / np.maximum(weights.sum(axis=1, keepdims=True), 1e-30)


def _sigmoid(x):  # type: ignore[no-untyped-def]  # a number or an array
    return 1 / (1 + np.exp(-x))

"""The probability model of the detector, learned over many label sets: which share of (sentence, aspect) pairs with
such features hold.

Tasks are drawn as users make them: 1 to 12 aspects of one label set, 1 to 50 examples each, uneven, some aspects
without a name or without examples, some tasks without any example, half of the tasks with a pile; a third of the
sentences has none of the aspects, and a few are of another set.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from fewaspect.data.corpus import LabelSet
from fewaspect.detector.calibration import FEATURES, NONE_RATE, ProbabilityModel, fit_bias, score_features
from fewaspect.detector.fitting import Pile, lower_states, prototypes
from fewaspect.detector.model import InferenceModel
from fewaspect.detector.scoring import FittedAspects, SupportSet, Uncentred, centring_share
from fewaspect.inference.encoded import Sentences, unit

MOST_TEXTS, MOST_ASPECTS, QUERIES, FOREIGN, PILE = 2400, 12, 120, 6, 1200
FEWEST = 24  # sentences of an aspect, in both halves together
SHOTS, MOST_SHOTS = (1, 2, 3, 5, 8, 10, 20, 50), 60
UNNAMED, BARE, NAMES_ALONE, ALONE, WITHOUT_PILE = 0.1, 0.05, 0.1, 0.05, 0.5


@dataclass(frozen=True)
class EncodedSet:
    """Sentences of a label set with their (texts, labels) truth, and its label texts, as a model reads them."""

    name: str
    sentences: Sentences
    truth: np.ndarray
    labels: Sentences


@dataclass(frozen=True)
class Task:
    """Aspects fitted to examples, and sentences to tag with the truth of them."""

    support: SupportSet
    fitted: FittedAspects
    features: np.ndarray  # (Q, N, features)
    truth: np.ndarray  # (Q, N) bool


def encode_sets(
    model: InferenceModel, sets: Sequence[LabelSet], on_done: Callable[[str], None] = print
) -> list[EncodedSet]:
    """At most `MOST_TEXTS` texts of each set, in a fixed random order, and its labels that have enough of them."""
    encoded = []
    for one in sets:
        texts = one.sentences.texts
        order = np.random.default_rng(99).permutation(len(texts))[:MOST_TEXTS]
        truth = one.sentences.labels[order]
        kept = np.flatnonzero(truth.sum(axis=0) >= FEWEST)
        labels = encode(model, [one.sentences.classes[c] for c in kept])
        encoded.append(EncodedSet(one.name, encode(model, [texts[i] for i in order]), truth[:, kept], labels))
        on_done(f"{one.name}: {len(order)} texts, {len(kept)} labels")
    return encoded


def encode(model: InferenceModel, texts: Sequence[str]) -> Sentences:
    """In the order of the texts; one that cannot be read has no tokens."""
    states = [np.zeros((0, model.encoder.width), dtype=np.float32)] * len(texts)
    lower = np.zeros((len(texts), model.encoder.width), dtype=np.float32)
    for batch, read in model.map_batches(texts, None, lambda sentences: sentences):
        for index, part in zip(batch.tolist(), np.split(read.tokens, np.cumsum(read.lengths)[:-1]), strict=True):
            states[index] = part
        if read.lower is not None:
            lower[batch] = read.lower
    return Sentences.of(states, model.encoder.width, lower if model.scorer.settings.lower_head else None)


def tasks(
    model: InferenceModel, one: EncodedSet, count: int, seed: int, others: Sequence[EncodedSet] = (),
    names_alone: float = NAMES_ALONE,
) -> Iterator[Task]:  # fmt: skip
    """Random tasks of one label set, with a few sentences of `others`, which have none of its aspects; `names_alone`:
    the share of tasks without any example."""
    rng = np.random.default_rng(seed)
    elsewhere = [other.sentences for other in others if other.name != one.name]
    for _ in range(count):
        most = min(MOST_ASPECTS, one.truth.shape[1])
        way = 1 if rng.random() < ALONE else int(rng.integers(min(2, most), most + 1))
        aspects = rng.permutation(one.truth.shape[1])[:way]
        order = rng.permutation(len(one.truth))
        pool, rest = order[: len(order) // 2], order[len(order) // 2 :]
        shots = np.minimum(rng.choice(SHOTS) * rng.uniform(0.5, 1.5, way), MOST_SHOTS).astype(int).clip(1)
        shots[rng.random(way) < (1.0 if rng.random() < names_alone else BARE)] = 0
        rows = pick(one.truth[:, aspects], pool, shots)
        pile = None if rng.random() < WITHOUT_PILE else pool[:PILE]
        tagged, hidden = queries(one.truth[:, aspects], rest, rng), rng.random(way) < UNNAMED
        other = elsewhere[rng.integers(len(elsewhere))] if elsewhere else one.sentences.take(rows[:0])
        foreign = other.take(rng.permutation(len(other))[:FOREIGN])
        yield fit_task(model, one, aspects, rows, pile, tagged, hidden, foreign)


def pick(truth: np.ndarray, pool: np.ndarray, shots: np.ndarray) -> np.ndarray:
    """Rows of the pool, in its order, until every aspect has its number, or all there are; 0 is none."""
    allowed = pool[~truth[pool][:, shots == 0].any(axis=1)]
    chosen: dict[int, None] = {}
    for n in np.argsort(truth[pool].sum(axis=0), kind="stable"):
        have = sum(bool(truth[i, n]) for i in chosen)
        members = [int(i) for i in allowed if truth[i, n] and int(i) not in chosen]
        chosen.update(dict.fromkeys(members[: max(0, int(shots[n]) - have)]))
    return np.array(list(chosen), dtype=np.int64)


def queries(truth: np.ndarray, rest: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Sentences of the other half, `NONE_RATE` of them with none of the aspects where there are so many."""
    some = truth[rest].any(axis=1)
    wanted = round(NONE_RATE * QUERIES)
    return np.concatenate([rng.permutation(rest[~some])[:wanted], rng.permutation(rest[some])[: QUERIES - wanted]])


def fit_task(
    model: InferenceModel, one: EncodedSet, aspects: np.ndarray, rows: np.ndarray, pile: np.ndarray | None,
    tagged: np.ndarray, hidden: np.ndarray, foreign: Sentences,
) -> Task:  # fmt: skip
    """As `fewaspect.detector.fitting` does it, from sentences that are encoded already."""
    scorer, sentences = model.scorer, one.sentences
    mean = None
    read = sentences.take(np.union1d(rows, pile) if pile is not None else rows)
    if scorer.settings.centred and len(read):
        mean = centring_share(len(read)) * read.tokens.mean(axis=0)
    support = support_of(one, aspects, rows, hidden, mean, pile)
    vectors = None if pile is None else sentences.take(pile).centred(mean).vectors
    fitted = scorer.fit(support, prototypes(scorer, support), pile=vectors)
    components = scorer.components(fitted._replace(mean=mean), joined(sentences.take(tagged), foreign))
    features = score_features(components, scorer.combine_scores(components), fitted.shots)
    truth = np.zeros((len(tagged) + len(foreign), len(aspects)), dtype=bool)
    truth[: len(tagged)] = one.truth[tagged][:, aspects]
    return Task(support, fitted, features, truth)


def support_of(
    one: EncodedSet, aspects: np.ndarray, rows: np.ndarray, hidden: np.ndarray, mean: np.ndarray | None,
    pile: np.ndarray | None,
) -> SupportSet:  # fmt: skip
    """Of an aspect without a name, the mean of its examples stands in for the label text."""
    read, texts = one.sentences.take(rows), one.labels.take(aspects)
    examples, names = read.centred(mean), texts.centred(mean)
    membership = one.truth[rows][:, aspects].astype(np.float32)
    hidden = hidden & membership.any(axis=0)
    labels, before = (
        np.where(hidden[:, None], unit(membership.T @ own.vectors), text.vectors)
        for own, text in ((examples, names), (read, texts))
    )
    uncentred = Uncentred(read.vectors, before)
    lengths = np.where(hidden, 0, names.lengths)
    kept = np.repeat(~hidden, names.lengths)
    label_tokens = Sentences(labels, names.tokens[kept], lengths)
    none = (~membership.any(axis=1)).astype(np.float32)
    lower = None
    if read.lower is not None and texts.lower is not None:
        own = [None if gone else text[None] for gone, text in zip(hidden, texts.lower, strict=True)]
        lower = lower_states(read.lower, membership, own, lower_pile(one, pile))
    return SupportSet(examples, np.arange(len(rows)), membership, none, labels, label_tokens, uncentred, lower)


def lower_pile(one: EncodedSet, rows: np.ndarray | None) -> Pile | None:
    """Sentences as the mean of a lower layer takes them from a pile."""
    if rows is None or one.sentences.lower is None:
        return None
    return Pile(one.sentences.vectors[rows], one.sentences.lengths[rows], one.sentences.lower[rows].mean(axis=0))


def joined(first: Sentences, second: Sentences) -> Sentences:
    pairs = ((first.vectors, second.vectors), (first.tokens, second.tokens), (first.lengths, second.lengths))
    lower = None if first.lower is None or second.lower is None else np.concatenate([first.lower, second.lower])
    return Sentences(*map(np.concatenate, pairs), lower)


def fit_probability_model(episodes: Sequence[tuple[np.ndarray, np.ndarray]]) -> ProbabilityModel:
    """From (Q, N, features) and (Q, N) truth of many episodes; every episode counts the same, whatever its size."""
    from sklearn.linear_model import LogisticRegression

    x = with_slopes(np.concatenate([rows.reshape(-1, rows.shape[-1]).astype(float) for rows, _ in episodes]))
    y = np.concatenate([truth.ravel() for _, truth in episodes])
    counts = np.concatenate([np.full(truth.size, 1.0 / truth.size) for _, truth in episodes])
    middle, spread = x.mean(axis=0), x.std(axis=0) + 1e-9
    fitted = LogisticRegression(max_iter=1000).fit((x - middle) / spread, y, counts * len(y) / counts.sum())
    weights = np.where(spread > 1e-8, fitted.coef_[0] / spread, 0.0)
    intercept = float(fitted.intercept_[0] - weights @ middle)
    named = [dict(zip(FEATURES, map(float, part), strict=True)) for part in np.split(weights, 2)]
    return ProbabilityModel(intercept, *named, most_shots=MOST_SHOTS)


def none_rates(sets: Sequence[EncodedSet]) -> tuple[float, ...]:
    """Mean share of sentences with none of a set's most frequent label, two, three, ...; as long as it is above
    `NONE_RATE`."""
    rates: list[float] = []
    while not rates or rates[-1] > NONE_RATE:
        most = [one.truth[:, np.argsort(-one.truth.sum(axis=0), kind="stable")[: len(rates) + 1]] for one in sets]
        rates.append(float(np.mean([1 - truth.any(axis=1).mean() for truth in most])))
    return tuple(rates[:-1])


def with_slopes(features: np.ndarray) -> np.ndarray:
    """(rows, 2 features): each also times the logarithm of the number of examples, but for those that say what the
    task is like."""
    log_shots, task = features[:, [FEATURES.index("log_shots")]], np.isin(FEATURES, ("log_shots", "log_aspects"))
    return np.concatenate([features, np.where(task, 0.0, log_shots * features)], axis=1)


def probabilities(model: InferenceModel, found: ProbabilityModel, task: Task) -> np.ndarray:
    """(Q, N) with the bias that a detector fits to its own examples."""
    return found(task.features, fit_bias(model.scorer, found, task.support, task.fitted))

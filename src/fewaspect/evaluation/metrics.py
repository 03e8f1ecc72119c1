"""Metrics inside each episode, for a stack of episodes at once; means and intervals are then taken over episodes.

Arrays are (E, Q, N): episodes, queries, classes. Every metric returns (E,); an episode where it is not defined gives
NaN, which `summarise` leaves out and counts. `measure` takes lists of (Q, N) arrays whose shapes may differ.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from fewaspect.evaluation.intervals import Interval, mean_interval

Episodes = Sequence[np.ndarray] | np.ndarray


def auc(scores: np.ndarray, truth: np.ndarray) -> np.ndarray:
    """Macro ROC AUC: per class the share of (positive, negative) query pairs in the right order, a tie counting half.

    A class without a positive or without a negative query has no AUC and is left out; NaN if no class has one.
    """
    hits, first, last = _ranking(scores, truth)
    misses = ~hits
    misses_so_far = np.cumsum(misses, axis=-1)
    above = np.take_along_axis(misses_so_far - misses, first, -1)  # (E, N, Q) negatives ranked strictly above
    not_below = np.take_along_axis(misses_so_far, last, -1)  # (E, N, Q) negatives ranked above or tied
    wrong = np.where(hits, above + not_below, 0).sum(-1) / 2  # (E, N) pairs in the wrong order, a tie is half a pair
    pairs = hits.sum(-1) * misses.sum(-1)
    return _mean_of_defined(_ratio(pairs - wrong, pairs))


def average_precision(scores: np.ndarray, truth: np.ndarray) -> np.ndarray:
    """Mean over classes of the average precision across queries; queries with equal scores enter together.

    A class without a positive query has none and is left out (without a negative it is 1); NaN if no class has one.
    """
    hits, _, last = _ranking(scores, truth)
    precision = np.take_along_axis(np.cumsum(hits, axis=-1), last, -1) / (last + 1)  # (E, N, Q)
    return _mean_of_defined(_ratio(np.where(hits, precision, 0.0).sum(-1), hits.sum(-1)))


def macro_f1(truth: np.ndarray, predicted: np.ndarray) -> np.ndarray:
    """Mean over classes of F1.

    A class with neither a positive nor a predicted query is left out; with only one of the two it counts as 0.
    """
    both, actual, answered = _class_counts(truth, predicted)
    return _mean_of_defined(_ratio(2 * both, actual + answered))


def macro_precision(truth: np.ndarray, predicted: np.ndarray) -> np.ndarray:
    """Mean over classes of precision, over the same classes as `macro_f1`: positives but no predictions give 0."""
    both, actual, answered = _class_counts(truth, predicted)
    return _mean_of_defined(_ratio(both, np.where(actual > 0, np.maximum(answered, 1), answered)))


def macro_recall(truth: np.ndarray, predicted: np.ndarray) -> np.ndarray:
    """Mean over classes of recall, over the same classes as `macro_f1`: predictions but no positives give 0."""
    both, actual, answered = _class_counts(truth, predicted)
    return _mean_of_defined(_ratio(both, np.where(answered > 0, np.maximum(actual, 1), actual)))


def micro_f1(truth: np.ndarray, predicted: np.ndarray) -> np.ndarray:
    """F1 over all (query, class) pairs of an episode; NaN if nothing is positive and nothing predicted."""
    both, actual, answered = (counts.sum(-1) for counts in _class_counts(truth, predicted))
    return _ratio(2 * both, actual + answered)


def top_count(scores: np.ndarray, counts: np.ndarray) -> np.ndarray:
    """The `counts` best classes of each query, for any leading shape: (..., N) and (...) give (..., N) bool.

    Equal scores are taken in class order. A count of 0 answers none, a count above N answers all classes.
    """
    scores, counts = _ordered(scores), np.asarray(counts)
    if counts.shape != scores.shape[:-1] or not np.issubdtype(counts.dtype, np.integer) or (counts < 0).any():
        raise ValueError(
            f"counts must be whole numbers from 0 with one for each query, shape {scores.shape[:-1]}; "
            f"found {counts.dtype} of shape {counts.shape}" + (f", least {counts.min()}." if counts.size else ".")
        )
    best_first = np.argsort(-scores, axis=-1, kind="stable")
    place = np.argsort(best_first, axis=-1, kind="stable")  # the inverse permutation: each class's place, from 0
    return place < counts[..., None]


def oracle_count_f1(scores: np.ndarray, truth: np.ndarray) -> np.ndarray:
    """Macro F1 when each query's true number of aspects is known: what the ranking alone is worth."""
    scores, truth = _same_shape(_ordered(scores), _booleans("truth", truth))
    return macro_f1(truth, top_count(scores, truth.sum(-1)))


def count_accuracy(truth: np.ndarray, predicted: np.ndarray) -> np.ndarray:
    """Share of queries whose number of predicted aspects is right; NaN without queries."""
    truth, predicted = _same_shape(_booleans("truth", truth), _booleans("predicted", predicted))
    return _share(truth.sum(-1) == predicted.sum(-1))


def always_one_accuracy(truth: np.ndarray) -> np.ndarray:
    """Share of queries with exactly one aspect: the count accuracy of always answering one. NaN without queries."""
    return _share(_booleans("truth", truth).sum(-1) == 1)


def exact_match(truth: np.ndarray, predicted: np.ndarray) -> np.ndarray:
    """Share of queries answered with exactly their aspects, no more and no fewer; NaN without queries."""
    truth, predicted = _same_shape(_booleans("truth", truth), _booleans("predicted", predicted))
    return _share((truth == predicted).all(-1))


def over_episodes(metric: Callable[..., np.ndarray], *columns: Episodes) -> np.ndarray:
    """One value per episode, in order, for lists of per-episode arrays: equal shapes are stacked and measured together.

    `over_episodes(auc, scores, truth)` calls `auc` once for each (Q, N) that occurs.
    """
    lengths = [len(column) for column in columns]
    if len(set(lengths)) != 1:
        raise ValueError(f"Every list must have one array for each episode, found lengths {lengths}.")
    members: dict[tuple[tuple[int, ...], ...], list[int]] = {}
    for episode in range(lengths[0]):
        members.setdefault(tuple(np.shape(column[episode]) for column in columns), []).append(episode)
    values = np.empty(lengths[0])
    for episodes in members.values():
        values[episodes] = metric(*(np.stack([column[episode] for episode in episodes]) for column in columns))
    return values


def measure(scores: Episodes, truth: Episodes, predicted: Episodes) -> dict[str, np.ndarray]:
    """Every metric by the name it has in results, one value per episode; shapes (Q, N) may differ between episodes."""
    return {
        "auc": over_episodes(auc, scores, truth),
        "f1": over_episodes(macro_f1, truth, predicted),
        "micro_f1": over_episodes(micro_f1, truth, predicted),
        "oracle_count_f1": over_episodes(oracle_count_f1, scores, truth),
        "count_accuracy": over_episodes(count_accuracy, truth, predicted),
        "always_one_accuracy": over_episodes(always_one_accuracy, truth),
        "precision": over_episodes(macro_precision, truth, predicted),
        "recall": over_episodes(macro_recall, truth, predicted),
        "average_precision": over_episodes(average_precision, scores, truth),
        "exact_match": over_episodes(exact_match, truth, predicted),
    }


def summarise(values: np.ndarray) -> Interval:
    """Mean over episodes with its 95 % interval; episodes without a value (NaN) are left out and counted."""
    return mean_interval(values)


def _ranking(scores: np.ndarray, truth: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Per class the truth of its queries, best score first, and where each query's run of equal scores begins and ends.

    All three are (E, N, Q).
    """
    scores, truth = _same_shape(_ordered(scores), _booleans("truth", truth))
    scores, truth = np.swapaxes(scores, -1, -2), np.swapaxes(truth, -1, -2)
    order = np.argsort(-scores, axis=-1)
    ranked = np.take_along_axis(scores, order, -1)
    changes = ranked[..., 1:] != ranked[..., :-1]
    places = np.arange(ranked.shape[-1])
    first = np.broadcast_to(places, ranked.shape).copy()
    first[..., 1:][~changes] = 0
    first = np.maximum.accumulate(first, axis=-1)
    last = np.broadcast_to(places, ranked.shape).copy()
    last[..., :-1][~changes] = ranked.shape[-1]
    last = np.minimum.accumulate(last[..., ::-1], axis=-1)[..., ::-1]
    return np.take_along_axis(truth, order, -1), first, last


def _class_counts(truth: np.ndarray, predicted: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Queries of each class that are (positive and predicted, positive, predicted), each (E, N)."""
    truth, predicted = _same_shape(_booleans("truth", truth), _booleans("predicted", predicted))
    return (truth & predicted).sum(-2), truth.sum(-2), predicted.sum(-2)


def _mean_of_defined(values: np.ndarray) -> np.ndarray:
    """(E, N) to (E,): the mean over classes that have a value, NaN where none has."""
    defined = ~np.isnan(values)
    return _ratio(np.where(defined, values, 0.0).sum(-1), defined.sum(-1))


def _share(right: np.ndarray) -> np.ndarray:
    """(E, Q) to (E,): the share of queries that are right."""
    return _ratio(right.sum(-1), np.full(right.shape[:-1], right.shape[-1]))


def _ratio(part: np.ndarray, whole: np.ndarray) -> np.ndarray:
    """part / whole, NaN where the whole is 0."""
    return np.divide(part, whole, out=np.full(np.shape(whole), np.nan), where=whole > 0)


def _ordered(scores: np.ndarray) -> np.ndarray:
    """Scores as float64; NaN is refused, since it has no place in a ranking."""
    scores = np.asarray(scores, dtype=np.float64)
    if np.isnan(scores).any():
        raise ValueError(f"scores must be numbers that can be ranked, found {np.isnan(scores).sum()} NaN among them.")
    return scores


def _booleans(name: str, values: np.ndarray) -> np.ndarray:
    """Only booleans: a probability cast to bool would silently be True."""
    values = np.asarray(values)
    if values.dtype != np.bool_:
        raise ValueError(f"{name} must be an array of booleans, found {values.dtype}; compare it first (> threshold).")
    if values.ndim != 3:
        raise ValueError(
            f"{name} must have the shape (episodes, queries, classes), found {values.shape}; "
            "for a list of (queries, classes) arrays use over_episodes."
        )
    return values


def _same_shape(left: np.ndarray, right: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Both arrays, once they are known to describe the same episodes, queries and classes."""
    if left.shape != right.shape:
        raise ValueError(f"Both arrays must have one (episodes, queries, classes), found {left.shape}, {right.shape}.")
    return left, right

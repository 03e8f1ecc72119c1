"""Metrics of multi-label classification, in numpy, for a stack of episodes at once.

Arrays are (E, Q, N): episodes, queries, classes. A metric returns (E,), with NaN where it is not defined.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

Episodes = Sequence[np.ndarray] | np.ndarray


def auc(scores: np.ndarray, truth: np.ndarray) -> np.ndarray:
    """Macro ROC AUC: per class the share of (positive, negative) query pairs in the right order, a tie counting half.

    A class without a positive or without a negative query has no AUC and is left out; NaN if no class has one.
    """
    positive, first, last = _ranking(scores, truth)
    negative = ~positive
    negatives = np.cumsum(negative, axis=-1)
    above = np.take_along_axis(negatives - negative, first, -1)  # (E, N, Q) negatives ranked strictly above
    not_below = np.take_along_axis(negatives, last, -1)  # (E, N, Q) negatives ranked above or tied
    wrong = np.where(positive, above + not_below, 0).sum(-1) / 2  # (E, N) pairs in the wrong order, a tie is half one
    pairs = positive.sum(-1) * negative.sum(-1)
    return _mean_of_defined(_ratio(pairs - wrong, pairs))


def average_precision(scores: np.ndarray, truth: np.ndarray) -> np.ndarray:
    """Mean over classes of the average precision across queries; queries with equal scores enter together.

    A class without a positive query has none and is left out (without a negative it is 1); NaN if no class has one.
    """
    positive, _, last = _ranking(scores, truth)
    precision = np.take_along_axis(np.cumsum(positive, axis=-1), last, -1) / (last + 1)  # (E, N, Q)
    return _mean_of_defined(_ratio(np.where(positive, precision, 0.0).sum(-1), positive.sum(-1)))


def macro_f1(truth: np.ndarray, predicted: np.ndarray) -> np.ndarray:
    """Mean over classes of F1.

    A class with neither a positive nor a predicted query is left out; with only one of the two it counts as 0.
    """
    true_positives, positives, predictions = _class_counts(truth, predicted)
    return _mean_of_defined(_ratio(2 * true_positives, positives + predictions))


def macro_precision(truth: np.ndarray, predicted: np.ndarray) -> np.ndarray:
    """Mean over classes of precision, over the same classes as `macro_f1`: positives but no predictions give 0."""
    true_positives, positives, predictions = _class_counts(truth, predicted)
    return _mean_of_defined(_ratio(true_positives, np.where(positives > 0, np.maximum(predictions, 1), predictions)))


def macro_recall(truth: np.ndarray, predicted: np.ndarray) -> np.ndarray:
    """Mean over classes of recall, over the same classes as `macro_f1`: predictions but no positives give 0."""
    true_positives, positives, predictions = _class_counts(truth, predicted)
    return _mean_of_defined(_ratio(true_positives, np.where(predictions > 0, np.maximum(positives, 1), positives)))


def micro_f1(truth: np.ndarray, predicted: np.ndarray) -> np.ndarray:
    """F1 over all (query, class) pairs of an episode; NaN if nothing is positive and nothing predicted."""
    true_positives, positives, predictions = (counts.sum(-1) for counts in _class_counts(truth, predicted))
    return _ratio(2 * true_positives, positives + predictions)


def top_count(scores: np.ndarray, counts: np.ndarray) -> np.ndarray:
    """The `counts` best classes of each query: (..., N) scores and (...) counts to (..., N) booleans.

    Equal scores are taken in class order; a count above N selects all classes.
    """
    scores, counts = _ordered(scores), np.asarray(counts)
    if counts.shape != scores.shape[:-1] or not np.issubdtype(counts.dtype, np.integer) or (counts < 0).any():
        raise ValueError(
            f"counts must be integers of at least 0, one for each query, shape {scores.shape[:-1]}; "
            f"found {counts.dtype} of shape {counts.shape}" + (f", least {counts.min()}." if counts.size else ".")
        )
    best_first = np.argsort(-scores, axis=-1, kind="stable")
    rank = np.argsort(best_first, axis=-1, kind="stable")  # the inverse permutation
    return rank < counts[..., None]


def oracle_count_f1(scores: np.ndarray, truth: np.ndarray) -> np.ndarray:
    """Macro F1 of the best classes up to each query's true number of aspects: the quality of the ranking alone."""
    scores, truth = _same_shape(_ordered(scores), _booleans("truth", truth))
    return macro_f1(truth, top_count(scores, truth.sum(-1)))


def count_accuracy(truth: np.ndarray, predicted: np.ndarray) -> np.ndarray:
    """Share of queries whose number of predicted aspects is right; NaN without queries."""
    truth, predicted = _same_shape(_booleans("truth", truth), _booleans("predicted", predicted))
    return _share(truth.sum(-1) == predicted.sum(-1))


def always_one_accuracy(truth: np.ndarray) -> np.ndarray:
    """Count accuracy of always predicting one aspect; NaN without queries."""
    return _share(_booleans("truth", truth).sum(-1) == 1)


def exact_match(truth: np.ndarray, predicted: np.ndarray) -> np.ndarray:
    """Share of queries whose predicted aspects are exactly the true ones; NaN without queries."""
    truth, predicted = _same_shape(_booleans("truth", truth), _booleans("predicted", predicted))
    return _share((truth == predicted).all(-1))


def over_episodes(metric: Callable[..., np.ndarray], *columns: Episodes) -> np.ndarray:
    """(E,) values of a metric for lists of (Q, N) arrays, whose shapes may differ between episodes.

    `over_episodes(auc, scores, truth)` calls `auc` once for each shape that occurs.
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


def pooled(episodes: Episodes, size: int) -> list[np.ndarray]:
    """(Q, N) arrays of each `size` consecutive episodes as one of (size Q, N); a rest at the end is left out.

    Column n then holds the n-th class of each of them, whichever aspects these are.
    """
    whole = len(episodes) - len(episodes) % size
    return [np.concatenate(list(episodes[first : first + size])) for first in range(0, whole, size)]


def all_metrics(scores: Episodes, truth: Episodes, predicted: Episodes) -> dict[str, np.ndarray]:
    """(E,) values of every metric, by its name in results, for lists of (Q, N) arrays."""
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


def _ranking(scores: np.ndarray, truth: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Queries of each class sorted by falling score: their truth, and first and last rank of those tied with each.

    All three are (E, N, Q).
    """
    scores, truth = _same_shape(_ordered(scores), _booleans("truth", truth))
    scores, truth = np.swapaxes(scores, -1, -2), np.swapaxes(truth, -1, -2)
    order = np.argsort(-scores, axis=-1)
    ranked = np.take_along_axis(scores, order, -1)
    changes = ranked[..., 1:] != ranked[..., :-1]
    ranks = np.arange(ranked.shape[-1])
    first = np.broadcast_to(ranks, ranked.shape).copy()
    first[..., 1:][~changes] = 0
    first = np.maximum.accumulate(first, axis=-1)
    last = np.broadcast_to(ranks, ranked.shape).copy()
    last[..., :-1][~changes] = ranked.shape[-1]
    last = np.minimum.accumulate(last[..., ::-1], axis=-1)[..., ::-1]
    return np.take_along_axis(truth, order, -1), first, last


def _class_counts(truth: np.ndarray, predicted: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """(E, N) numbers of true positives, positives and predictions of each class."""
    truth, predicted = _same_shape(_booleans("truth", truth), _booleans("predicted", predicted))
    return (truth & predicted).sum(-2), truth.sum(-2), predicted.sum(-2)


def _mean_of_defined(values: np.ndarray) -> np.ndarray:
    """(E, N) to (E,): the mean over classes that are not NaN, NaN where all are."""
    defined = ~np.isnan(values)
    return _ratio(np.where(defined, values, 0.0).sum(-1), defined.sum(-1))


def _share(right: np.ndarray) -> np.ndarray:
    """(E, Q) booleans to (E,): the share of queries that are right."""
    return _ratio(right.sum(-1), np.full(right.shape[:-1], right.shape[-1]))


def _ratio(part: np.ndarray, whole: np.ndarray) -> np.ndarray:
    """part / whole, NaN where the whole is 0."""
    return np.divide(part, whole, out=np.full(np.shape(whole), np.nan), where=whole > 0)


def _ordered(scores: np.ndarray) -> np.ndarray:
    """Scores as float64; NaN, which cannot be ranked, is refused."""
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
    """Both arrays, if their shapes are equal."""
    if left.shape != right.shape:
        raise ValueError(f"Both arrays must have one (episodes, queries, classes), found {left.shape}, {right.shape}.")
    return left, right

"""Metrics: scikit-learn, one class of one episode at a time, is the independent reference."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from functools import partial
from random import Random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from sklearn import metrics as reference

from fewaspect.core import multilabel_metrics as metrics
from fewaspect.evaluation.intervals import mean_interval

pytestmark = pytest.mark.filterwarnings("error::RuntimeWarning")  # what is not defined is no cause for a warning

TIED_SCORES = st.sampled_from([-math.inf, -1.5, -0.0, 0.0, 0.1, 0.1 + 2**-52, 2.0])
FREE_SCORES = st.floats(-1e6, 1e6)
Arrays = tuple[np.ndarray, np.ndarray, np.ndarray]
few = settings(max_examples=50, deadline=None)


@st.composite
def episodes(draw: st.DrawFn) -> Arrays:
    """Scores, truth and predictions of a few episodes, with ties and with classes that are all or nothing."""
    E, Q, N = draw(st.integers(1, 3)), draw(st.integers(1, 8)), draw(st.integers(1, 5))
    scores = draw(hnp.arrays(np.float64, (E, Q, N), elements=draw(st.sampled_from([TIED_SCORES, FREE_SCORES]))))
    truth = draw(hnp.arrays(bool, (E, Q, N)))
    predicted = draw(hnp.arrays(bool, (E, Q, N)))
    for array in (truth, predicted):
        array[:, :, draw(hnp.arrays(bool, N))] = draw(st.booleans())
    return scores, truth, predicted


def class_means(metric: Callable, defined: Callable, left: np.ndarray, right: np.ndarray) -> list[float]:
    """One value per episode: the mean of `metric` over the classes where it is `defined`, NaN without any."""
    means = []
    for episode in range(len(left)):
        classes = list(zip(left[episode].T, right[episode].T, strict=True))
        values = [metric(a, b) for a, b in classes if defined(a, b)]
        means.append(sum(values) / len(values) if values else math.nan)
    return means


def same(found: np.ndarray, expected: list[float]) -> None:
    assert found.shape == (len(expected),)
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-9)


@few
@given(episodes())
def test_auc_is_scikit_learns_over_the_classes_that_have_one(data: Arrays) -> None:
    scores, truth, _ = data
    finite = np.maximum(scores, -1e9)  # scikit-learn takes no infinities
    expected = class_means(reference.roc_auc_score, lambda t, _: 0 < t.sum() < len(t), truth, finite)
    same(metrics.auc(scores, truth), expected)


@few
@given(episodes())
def test_average_precision_is_scikit_learns_over_the_classes_with_a_positive(data: Arrays) -> None:
    scores, truth, _ = data
    finite = np.maximum(scores, -1e9)
    expected = class_means(reference.average_precision_score, lambda t, _: t.any(), truth, finite)
    same(metrics.average_precision(scores, truth), expected)


@pytest.mark.parametrize(
    ("metric", "of_scikit_learn"),
    [
        (metrics.macro_f1, reference.f1_score),
        (metrics.macro_precision, reference.precision_score),
        (metrics.macro_recall, reference.recall_score),
    ],
)
@few
@given(data=episodes())
def test_macro_scores_are_scikit_learns_over_the_classes_that_occur(
    metric: Callable, of_scikit_learn: Callable, data: Arrays
) -> None:
    _, truth, predicted = data
    per_class = partial(of_scikit_learn, zero_division=0)
    same(metric(truth, predicted), class_means(per_class, lambda t, p: (t | p).any(), truth, predicted))


@few
@given(episodes())
def test_micro_f1_is_scikit_learns_over_all_queries_and_classes(data: Arrays) -> None:
    _, truth, predicted = data
    flat = (array.reshape(len(array), -1, 1) for array in (truth, predicted))
    per_episode = partial(reference.f1_score, zero_division=0)
    same(metrics.micro_f1(truth, predicted), class_means(per_episode, lambda t, p: (t | p).any(), *flat))


@few
@given(episodes())
def test_counts_and_exact_match_are_shares_of_queries(data: Arrays) -> None:
    _, truth, predicted = data
    exact, count, one = [], [], []
    for T, P in zip(truth.tolist(), predicted.tolist(), strict=True):
        exact.append(np.mean([t == p for t, p in zip(T, P, strict=True)]))
        count.append(np.mean([sum(t) == sum(p) for t, p in zip(T, P, strict=True)]))
        one.append(np.mean([sum(t) == 1 for t in T]))
    same(metrics.exact_match(truth, predicted), exact)
    same(metrics.count_accuracy(truth, predicted), count)
    same(metrics.always_one_accuracy(truth), one)


@few
@given(episodes())
def test_each_metric_stands_under_its_own_name_in_the_results(data: Arrays) -> None:
    scores, truth, predicted = data
    expected = {
        "auc": metrics.auc(scores, truth),
        "f1": metrics.macro_f1(truth, predicted),
        "micro_f1": metrics.micro_f1(truth, predicted),
        "oracle_count_f1": metrics.macro_f1(truth, metrics.top_count(scores, truth.sum(-1))),
        "count_accuracy": metrics.count_accuracy(truth, predicted),
        "always_one_accuracy": metrics.always_one_accuracy(truth),
        "precision": metrics.macro_precision(truth, predicted),
        "recall": metrics.macro_recall(truth, predicted),
        "average_precision": metrics.average_precision(scores, truth),
        "exact_match": metrics.exact_match(truth, predicted),
    }
    found = metrics.all_metrics(scores, truth, predicted)
    assert found.keys() == expected.keys()
    for name, values in expected.items():
        np.testing.assert_array_equal(found[name], values, err_msg=name)


@few
@given(data=episodes(), extra=st.data())
def test_top_count_takes_the_best_classes_and_equal_ones_in_class_order(data: Arrays, extra: st.DataObject) -> None:
    scores, _, _ = data
    counts = extra.draw(hnp.arrays(np.int64, scores.shape[:2], elements=st.integers(0, scores.shape[2] + 1)))
    found = metrics.top_count(scores, counts)
    for e, q in np.ndindex(counts.shape):
        best = sorted(range(scores.shape[2]), key=lambda n: (-scores[e, q, n], n))[: counts[e, q]]
        assert set(np.flatnonzero(found[e, q])) == set(best)
        np.testing.assert_array_equal(metrics.top_count(scores[e], counts[e]), found[e])


@few
@given(data=episodes(), random=st.randoms(use_true_random=False))
def test_the_order_of_classes_and_of_queries_changes_nothing(data: Arrays, random: Random) -> None:
    scores, truth, predicted = data
    Q, N = scores.shape[1:]
    shuffled_q, shuffled_n = random.sample(range(Q), Q), random.sample(range(N), N)
    # The oracle count breaks ties inside a query by class order, so each query's scores are made distinct.
    distinct = np.argsort(np.argsort(scores, axis=-1, kind="stable"), axis=-1).astype(float)
    before = metrics.all_metrics(distinct, truth, predicted)
    after = metrics.all_metrics(*(a[:, shuffled_q][:, :, shuffled_n] for a in (distinct, truth, predicted)))
    for name, values in before.items():
        np.testing.assert_allclose(after[name], values, atol=1e-12, err_msg=name)


@few
@given(episodes())
def test_a_perfect_ranking_with_the_true_count_is_perfect_in_everything(data: Arrays) -> None:
    _, truth, _ = data
    scores = np.where(truth, 1.0, -1.0)
    found = metrics.all_metrics(scores, truth, metrics.top_count(scores, truth.sum(-1)))
    mixed = truth.any(1) & ~truth.all(1)
    np.testing.assert_array_equal(found["auc"], np.where(mixed.any(-1), 1.0, np.nan))
    some = np.where(truth.any((1, 2)), 1.0, np.nan)
    for name in ("f1", "micro_f1", "oracle_count_f1", "precision", "recall", "average_precision"):
        np.testing.assert_array_equal(found[name], some, err_msg=name)
    for name in ("count_accuracy", "exact_match"):
        np.testing.assert_array_equal(found[name], np.ones(len(truth)), err_msg=name)


@few
@given(episodes())
def test_reversing_the_scores_mirrors_the_auc(data: Arrays) -> None:
    scores, truth, _ = data
    np.testing.assert_allclose(metrics.auc(-scores, truth), 1 - metrics.auc(scores, truth), atol=1e-12)


def test_equal_scores_everywhere_give_half_the_auc() -> None:
    truth = np.array([[[True, False], [False, True], [False, True]]])
    np.testing.assert_array_equal(metrics.auc(np.zeros((1, 3, 2)), truth), [0.5])


def test_oracle_count_f1_is_the_f1_of_the_best_classes_up_to_the_true_count() -> None:
    scores = np.array([[[0.9, 0.8, 0.1], [0.2, 0.7, 0.6], [0.5, 0.4, 0.3]]])
    truth = np.array([[[True, True, False], [False, False, True], [False, False, False]]])
    # Answered: {0, 1}, {1}, none. F1 by class: 1, 2/3, 0.
    assert metrics.oracle_count_f1(scores, truth) == pytest.approx([5 / 9])


def test_a_class_that_neither_occurs_nor_is_predicted_does_not_count_and_a_wrongly_predicted_one_counts_as_zero() -> (
    None
):
    truth = np.array([[[True, False, False], [True, False, False]]])
    quiet, loud = truth.copy(), truth.copy()
    loud[0, 0, 2] = True
    for metric in (metrics.macro_f1, metrics.macro_precision, metrics.macro_recall):
        assert metric(truth, quiet) == [1.0]
        assert metric(truth, loud) == [0.5]


def test_episodes_without_an_auc_are_left_out_of_the_summary_and_counted() -> None:
    truth = np.array([[[True], [False]], [[True], [True]], [[False], [False]], [[False], [True]]])
    scores = np.tile([[2.0], [1.0]], (4, 1, 1))
    values = metrics.auc(scores, truth)
    np.testing.assert_array_equal(values, [1.0, np.nan, np.nan, 0.0])
    found = mean_interval(values)
    assert (found.mean, found.count, found.left_out) == (0.5, 2, 2)


def test_an_episode_without_queries_has_no_value_in_any_metric() -> None:
    nothing = np.zeros((1, 0, 3), dtype=bool)
    for name, values in metrics.all_metrics(nothing.astype(float), nothing, nothing).items():
        assert np.isnan(values).all(), name


@few
@given(st.lists(episodes(), min_size=1, max_size=4), st.randoms(use_true_random=False))
def test_episodes_of_different_shapes_get_the_values_they_have_alone(groups: list[Arrays], random: Random) -> None:
    mixed = [episode for group in groups for episode in zip(*group, strict=True)]
    random.shuffle(mixed)
    together = metrics.all_metrics(*map(list, zip(*mixed, strict=True)))
    for place, episode in enumerate(mixed):
        alone = metrics.all_metrics(*([array] for array in episode))
        for name, values in alone.items():
            np.testing.assert_allclose(together[name][place], values[0], atol=1e-12, err_msg=name)


def test_lists_of_different_lengths_are_refused() -> None:
    one = np.zeros((2, 3), dtype=bool)
    with pytest.raises(ValueError, match=r"found lengths \[2, 1\]"):
        metrics.over_episodes(metrics.macro_f1, [one, one], [one])


@pytest.mark.parametrize("metric", [metrics.auc, metrics.average_precision, metrics.oracle_count_f1])
def test_a_score_that_is_nan_is_refused(metric: Callable) -> None:
    with pytest.raises(ValueError, match="scores must be numbers that can be ranked, found 1 NaN"):
        metric(np.array([[[0.1, math.nan]]]), np.array([[[True, False]]]))


def test_probabilities_in_the_place_of_decisions_are_refused() -> None:
    truth = np.array([[[True, False]]])
    with pytest.raises(ValueError, match="predicted must be an array of booleans, found float64"):
        metrics.macro_f1(truth, np.array([[[0.9, 0.2]]]))


def test_arrays_that_do_not_fit_are_refused() -> None:
    truth = np.zeros((2, 3, 4), dtype=bool)
    with pytest.raises(ValueError, match=r"found \(2, 3, 4\), \(2, 3, 1\)"):
        metrics.micro_f1(truth, truth[..., :1])
    with pytest.raises(ValueError, match=r"\(episodes, queries, classes\), found \(3, 4\)"):
        metrics.always_one_accuracy(truth[0])


@pytest.mark.parametrize("counts", [[-1, 1], [0.5, 1.0], [1], [True, False]])
def test_counts_that_are_not_integers_from_zero_for_each_query_are_refused(counts: list) -> None:
    with pytest.raises(ValueError, match="counts must be integers of at least 0"):
        metrics.top_count(np.zeros((2, 3)), np.array(counts))


def test_pooled_episodes_share_their_columns_and_a_rest_is_left_out() -> None:
    episodes = [np.full((size, 3), number) for number, size in enumerate((2, 1, 4, 2, 9))]
    first, second = metrics.pooled(episodes, 2)
    assert first[:, 0].tolist() == [0, 0, 1]
    assert second[:, 2].tolist() == [2, 2, 2, 2, 3, 3]
    for one, same in zip(metrics.pooled(episodes, 1), episodes, strict=True):
        np.testing.assert_array_equal(one, same)


def test_six_hundred_episodes_are_measured_in_under_half_a_second() -> None:
    random = np.random.default_rng(0)
    scores = list(random.normal(size=(600, 50, 10)))
    truth = list(random.random((600, 50, 10)) < 0.12)
    seconds = []
    for _ in range(3):
        start = time.perf_counter()
        predicted = [metrics.top_count(s, t.sum(-1)) for s, t in zip(scores, truth, strict=True)]
        found = metrics.all_metrics(scores, truth, predicted)
        seconds.append(time.perf_counter() - start)
    assert len(found["auc"]) == 600
    assert min(seconds) < 0.5

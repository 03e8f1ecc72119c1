"""scikit-learn's conventions."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV, cross_val_predict, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer
from sklearn.utils.validation import check_is_fitted

from detector_texts import EXAMPLES
from fewaspect import AspectDetector
from fewaspect.detector.explain import DEFAULT_THRESHOLD

FOOD = ["cold soup", "tasty pizza", "fresh salad", "the soup was tasty", "a salad with cold pizza"]
PARKING = ["garage full", "no valet", "the car park was closed", "nowhere to park the car", "the garage is a car park"]
TEXTS = [*(text for both in zip(FOOD, PARKING, strict=True) for text in both), "hi", "bye"]
LABELS = [*[["food"], ["parking"]] * 5, [], []]
MATRIX = np.array([["food" in row, "parking" in row] for row in LABELS], dtype=int)


def test_parameters_are_got_set_and_cloned_unchanged(fitted: Callable[..., AspectDetector]) -> None:
    threshold = {"food": 0.4}
    detector = fitted(threshold=threshold)
    assert detector.get_params() == {"model": None, "threshold": threshold, "batch_tokens": None}
    detector.predict(["cold soup"])
    assert detector.threshold is threshold
    copied = clone(detector)
    assert copied.get_params() == detector.get_params()
    assert not hasattr(copied, "classes_")
    assert repr(AspectDetector(threshold=0.3)) == "AspectDetector(threshold=0.3)"


@pytest.mark.parametrize("call", ["predict", "predict_proba", "analyze_many", "suggest"])
def test_an_unfitted_detector_says_so(call: str) -> None:
    with pytest.raises(NotFittedError, match="Call fit or add_aspect first"):
        getattr(AspectDetector(), call)(["text"])
    with pytest.raises(NotFittedError):
        check_is_fitted(AspectDetector())


def test_it_works_in_a_pipeline() -> None:
    pipeline = make_pipeline(FunctionTransformer(lambda texts: [text.lower() for text in texts]), AspectDetector())
    assert pipeline.fit(TEXTS, LABELS).predict(["THE SOUP"]) == [["food"]]
    check_is_fitted(pipeline)


@pytest.mark.parametrize("labels", [LABELS, MATRIX])
def test_it_is_cross_validated(labels: object) -> None:
    scores = cross_val_score(AspectDetector(), TEXTS, labels, cv=2, error_score="raise")
    assert scores.shape == (2,)
    assert (scores > 0.1).any()


@pytest.mark.parametrize("scoring", ["average_precision", "f1_macro", "f1_micro", "roc_auc", "accuracy"])
def test_scorers_of_scikit_learn_take_its_matrix(scoring: str) -> None:
    scores = cross_val_score(AspectDetector(), TEXTS, MATRIX, cv=2, scoring=scoring, error_score="raise")
    assert (scores >= 0.25).all()


@pytest.mark.parametrize("method", ["predict", "predict_proba"])
def test_its_matrix_is_predicted_across_folds(method: str) -> None:
    assert cross_val_predict(AspectDetector(), TEXTS, MATRIX, cv=2, method=method).shape == MATRIX.shape


def test_a_threshold_is_found_by_grid_search() -> None:
    search = GridSearchCV(AspectDetector(), {"threshold": [1.0, 0.5]}, cv=2, error_score="raise").fit(TEXTS, LABELS)
    assert search.best_params_ == {"threshold": 0.5}
    assert search.predict(["a tasty soup"]) == [["food"]]


def test_a_copy_answers_the_same_without_carrying_the_weights(fitted: Callable[..., AspectDetector]) -> None:
    """scikit-learn copies detectors, also to other processes, by their state."""
    detector = fitted()
    expected = detector.predict_proba(TEXTS)
    other = copy.deepcopy(detector)
    assert len(pickle.dumps(detector)) < 100_000
    np.testing.assert_array_equal(other.predict_proba(TEXTS), expected)


def test_a_second_fit_forgets_the_first(fitted: Callable[..., AspectDetector]) -> None:
    detector = fitted()
    detector.tune(["cold soup", "it rained"], [["food"], []])
    detector.fit({"noise": ["thin walls"]})
    assert detector.classes_.tolist() == ["noise"]
    assert detector.thresholds_ == {"noise": DEFAULT_THRESHOLD}
    assert detector.fit(EXAMPLES) is detector

"""scikit-learn's own checks of an estimator, on numbers that are read as texts."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

pytest.importorskip("sklearn")
from sklearn.utils.estimator_checks import parametrize_with_checks

from fewaspect import AspectDetector

WORDS = ("soup", "parking", "noise", "waiter", "bed", "price", "garden", "pool", "music", "queue")
TEXTS, LABELS = "takes texts, not an array of numbers", "several labels for each text"
DIGITS = "sums in fp32 differ in the seventh digit with what is in the batch"
EXPECTED_FAILURES = {
    "check_complex_data": TEXTS,
    "check_estimator_sparse_array": TEXTS,
    "check_estimator_sparse_matrix": TEXTS,
    "check_estimator_sparse_tag": TEXTS,
    "check_estimators_empty_data_messages": TEXTS,
    "check_estimators_nan_inf": TEXTS,
    "check_fit1d": TEXTS,
    "check_fit2d_predict1d": TEXTS,
    "check_methods_sample_order_invariance": DIGITS,
    "check_methods_subset_invariance": DIGITS,
    "check_n_features_in": TEXTS,
    "check_n_features_in_after_fitting": TEXTS,
    "check_requires_y_none": LABELS,
}


class NumbersAsTexts(AspectDetector):
    """Rows of numbers become texts and values of y names, so that the checks have something that it takes."""

    def __init__(self, model: Any = None, threshold: Any = None, batch_tokens: int | None = None) -> None:
        super().__init__(model, threshold, batch_tokens)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.two_d_array = True  # otherwise scikit-learn leaves out all but one check
        return tags

    def fit(self, X: Any, y: Any = None) -> NumbersAsTexts:  # type: ignore[override]
        return super().fit(words(X), [[str(value)] for value in np.ravel(y)])

    def predict(self, X: Any) -> np.ndarray:  # type: ignore[override]
        return self.predict_proba(X) >= 0.5

    def predict_proba(self, X: Any) -> np.ndarray:
        return super().predict_proba(words(X))

    def score(self, X: Any, y: Any) -> float:
        return super().score(words(X), [[str(value)] for value in np.ravel(y)])


def words(X: Any) -> list[str]:
    if len(X) and isinstance(X[0], str):  # from `score`, which asks for probabilities of texts
        return list(X)
    return [" ".join(WORDS[int(7 * abs(value)) % len(WORDS)] for value in row) for row in np.asarray(X)]


@pytest.mark.filterwarnings("ignore")
@parametrize_with_checks([NumbersAsTexts()], expected_failed_checks=lambda _: EXPECTED_FAILURES)
def test_it_keeps_scikit_learns_conventions(estimator: Any, check: Any) -> None:
    check(estimator)

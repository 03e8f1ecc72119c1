"""From probabilities to answers and reasons."""

from __future__ import annotations

import numpy as np
import pytest

from fewaspect.core.errors import ConfigError, DataError
from fewaspect.detector.decision import DEFAULT_THRESHOLD, decide, reason, thresholds_of

NAMES = ("food", "noise")


def why(*probabilities: float, thresholds: tuple[float, float] = (0.45, 0.5)) -> str:
    p, t = np.array(probabilities), np.array(thresholds)
    return reason(p, t, decide(p[None], t)[0], NAMES)


def test_the_reason_names_the_numbers_that_decided() -> None:
    assert why(0.31, 0.1) == "best: food 0.31 < 0.45"
    assert why(0.52, 0.75) == "noise 0.75 >= 0.50, food 0.52 >= 0.45"
    assert why(0.0, 0.0) == "no aspect: there are no words to read"


def test_numbers_that_round_to_the_same_get_more_digits() -> None:
    assert why(0.4496, 0.1) == "best: food 0.4496 < 0.4500"


def test_what_is_given_goes_before_what_was_tuned_and_that_before_the_default() -> None:
    assert thresholds_of(NAMES, None, {}).tolist() == [DEFAULT_THRESHOLD] * 2
    assert thresholds_of(NAMES, None, {"noise": 0.2}).tolist() == [DEFAULT_THRESHOLD, 0.2]
    assert thresholds_of(NAMES, {"noise": 0.7}, {"food": 0.3, "noise": 0.2}).tolist() == [0.3, 0.7]
    assert thresholds_of(NAMES, 0.4, {"food": 0.3}).tolist() == [0.4, 0.4]


@pytest.mark.parametrize("threshold", [1.5, -0.1, "0.5", True, {"food": float("nan")}])
def test_a_threshold_is_a_number_from_0_to_1(threshold: object) -> None:
    with pytest.raises(ConfigError, match="expected a number from 0 to 1"):
        thresholds_of(NAMES, threshold, {})  # type: ignore[arg-type]


def test_a_threshold_of_an_unknown_aspect_is_refused() -> None:
    with pytest.raises(DataError, match='Did you mean "food"'):
        thresholds_of(NAMES, {"fodo": 0.5}, {})


def test_a_text_without_words_has_no_aspect_even_at_a_threshold_of_nought() -> None:
    assert decide(np.array([[0.0, 0.1]]), np.zeros(2)).tolist() == [[False, True]]

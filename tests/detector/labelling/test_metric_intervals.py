"""Bootstrap intervals of the metrics, beside the plain metrics of texts that are really drawn again."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from fewaspect import AspectDetector
from fewaspect.detector.labelling.metric_intervals import (
    DRAWS,
    OF_ALL,
    OF_ASPECT,
    drawn_metrics,
    measure_with_intervals,
)
from fewaspect.detector.metrics import measure

NAMES = ("a", "b", "c")


class Recorded:
    """A generator whose draws are kept."""

    def __init__(self) -> None:
        self.rng = np.random.default_rng(3)

    def multinomial(self, *arguments: Any) -> np.ndarray:
        self.counts = self.rng.multinomial(*arguments)
        return self.counts


def example(texts: int = 40) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(1)
    probabilities = np.round(rng.random((texts, 3)), 1)  # with ties
    truth = rng.random((texts, 3)) < 0.5 * probabilities
    return probabilities, probabilities >= 0.5, truth


def test_a_draw_is_measured_as_texts_that_stand_there_as_often() -> None:
    arrays, recorded = example(), Recorded()
    drawn = drawn_metrics(*arrays, recorded)  # type: ignore[arg-type]
    for draw in (0, 1, DRAWS - 1):
        rows = np.repeat(np.arange(40), recorded.counts[draw])
        expected = measure(NAMES, *(part[rows] for part in arrays), {})
        for key in OF_ALL:
            assert drawn[key][draw] == pytest.approx(expected[key], nan_ok=True)
        for key in OF_ASPECT:
            for n, name in enumerate(NAMES):
                value = expected["aspects"][name][key]
                assert drawn[key][draw, n] == pytest.approx(np.nan if value is None else value, nan_ok=True)


def test_values_lie_in_their_intervals_and_more_texts_narrow_them() -> None:
    few, many = (measure_with_intervals(NAMES, *example(texts), {}) for texts in (40, 1000))
    assert few["macro_f1"]["low"] <= few["macro_f1"]["value"] <= few["macro_f1"]["high"]
    for key in OF_ALL:
        assert many[key]["high"] - many[key]["low"] < few[key]["high"] - few[key]["low"]


def test_what_cannot_be_measured_has_no_interval() -> None:
    nothing = np.zeros((2, 3), dtype=bool)
    result = measure_with_intervals(NAMES, np.zeros((2, 3)), nothing, nothing, {})
    assert result["macro_f1"] == {"value": None, "low": None, "high": None}
    assert result["empty_accuracy"]["value"] == 1.0


def test_a_detector_gives_intervals_when_asked() -> None:
    detector = AspectDetector().fit({"food": ["the soup was cold"], "noise": ["thin walls"]})
    texts, labels = ["cold soup", "thin walls", "hello"], [["food"], ["noise"], []]
    assert detector.evaluate(texts, labels, intervals=True)["macro_f1"]["value"] == 1.0


def test_many_texts_are_drawn_a_few_times_at_once_with_the_same_result(monkeypatch: pytest.MonkeyPatch) -> None:
    arrays, recorded = example(50), Recorded()
    whole = measure_with_intervals(NAMES, *arrays, {})
    monkeypatch.setattr("fewaspect.detector.labelling.metric_intervals.AT_ONCE", 400)
    assert measure_with_intervals(NAMES, *arrays, {}) == whole
    drawn_metrics(*arrays, recorded)  # type: ignore[arg-type]
    assert recorded.counts.size == 400

"""Thresholds from labelled texts and from the examples themselves."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from detector_texts import EXAMPLES
from fewaspect import AspectDetector
from fewaspect.core.errors import ConfigError, DataError
from fewaspect.data.sample_set import load_showcase
from fewaspect.detector import fitting
from fewaspect.detector.explain import DEFAULT_THRESHOLD
from fewaspect.detector.scoring import LPNPlusScorer
from fewaspect.detector.support import ExampleWarning
from fewaspect.detector.thresholds import best_threshold, expected_f1_at, f1_at, folds, left_out_probabilities


@given(st.lists(st.tuples(st.floats(0, 1), st.booleans()), min_size=1, max_size=12))
def test_no_other_threshold_has_a_better_f1(pairs: list[tuple[float, bool]]) -> None:
    p, y = np.array([p for p, _ in pairs]), np.array([y for _, y in pairs])
    assume(y.any())  # else there is nothing to find
    found = f1_at(p, y, best_threshold(p, y))
    assert all(found >= f1_at(p, y, other) - 1e-9 for other in [*p, 0.0, 0.5, 1.0])


def test_of_equally_good_thresholds_the_one_nearest_to_a_half_is_taken() -> None:
    p, y = np.array([0.1, 0.3, 0.9]), np.array([False, False, True])
    assert best_threshold(p, y) == pytest.approx(0.6)


def test_tuning_raises_the_f1_on_the_texts_it_saw(fitted: Callable[..., AspectDetector]) -> None:
    detector = fitted()
    texts = ["cold soup", "the salad", "we could not park", "nice people", "it rained", "rude waiter", "a card"]
    labels = [["food"], ["food"], ["parking"], ["staff"], [], ["staff"], []]
    tuned = detector.tune(texts, labels)
    assert all(row.f1 >= row.f1_before for row in tuned.values())
    assert detector.thresholds_ == {name: row.threshold for name, row in tuned.items()}
    result = detector.evaluate(texts, labels)
    assert result["aspects"]["food"]["f1"] == pytest.approx(tuned["food"].f1)
    assert str(tuned).splitlines()[1].startswith("food")


def test_an_aspect_that_no_text_carries_keeps_its_threshold(fitted: Callable[..., AspectDetector]) -> None:
    detector = fitted(threshold={"parking": 0.7})
    tuned = detector.tune(["cold soup", "it rained"], [["food"], []])
    assert tuned["parking"].threshold == detector.thresholds_["parking"] == 0.7
    assert tuned["parking"].texts == 0


def test_a_threshold_set_by_name_is_not_silently_overruled_either(fitted: Callable[..., AspectDetector]) -> None:
    detector = fitted(threshold={"food": 0.99})
    with pytest.raises(ConfigError, match="set for food"):
        detector.tune(["cold soup", "it rained"], [["food"], []])
    assert detector.thresholds_["food"] == 0.99


def test_a_threshold_for_all_is_not_silently_overruled(fitted: Callable[..., AspectDetector]) -> None:
    with pytest.raises(ConfigError, match="threshold=None"):
        fitted(threshold=0.4).tune()


def test_an_example_that_is_left_out_is_read_as_if_it_had_not_been_given(fitted: Callable[..., AspectDetector]) -> None:
    detector = fitted()
    found = left_out_probabilities(detector.model_, detector._encoded(), 4096)
    text = EXAMPLES["food"][1]
    others = {name: [example for example in own if example != text] for name, own in EXAMPLES.items()}
    expected = AspectDetector().fit(others).predict_proba([text])[0]
    assert found[1] == pytest.approx(expected, abs=1e-4)
    assert found[1, 0] < detector.predict_proba([text])[0, 0]


def test_with_more_examples_the_bias_without_one_is_that_of_the_others_left_out_alone(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Which is nearly the same, by a fit for each example instead of one for each two of them."""
    detector = AspectDetector().fit({name: own[:3] for name, own in load_showcase().examples.items()}, none=["see you"])
    fits: list[int] = []
    fit = LPNPlusScorer.fit
    monkeypatch.setattr(LPNPlusScorer, "fit", lambda *of, **options: fits.append(1) or fit(*of, **options))
    found = left_out_probabilities(detector.model_, detector._encoded(), None)
    assert len(fits) == 19 + 1 + 19
    monkeypatch.setattr(fitting, "MAX_PAIRS", 19)
    expected = left_out_probabilities(detector.model_, detector._encoded(), None)
    assert len(fits) > 39 + 19 * 18
    np.testing.assert_allclose(found, expected, atol=0.05)
    assert np.abs(found - expected).mean() < 0.01


def test_sentences_that_examples_lack_are_counted_by_what_probabilities_say() -> None:
    p, y = np.array([0.8, 0.5, 0.1, 0.3]), np.array([True, True, True, False])
    assert f1_at(p, y, 0.05) == pytest.approx(6 / 7)
    assert expected_f1_at(p, y, 0.05) == pytest.approx(2 * 3 / (2 * 3 + 0.25 + 1 + 9)), "nine of ten with 0.1 lack it"
    assert expected_f1_at(p, y, 0.4) == pytest.approx(2 * 2 / (2 * 2 + 1.25 + 1))
    assert best_threshold(p, y) < 0.1, "nothing among the examples speaks against it"
    assert best_threshold(p, y, expected_f1_at) == pytest.approx(0.4)
    assert expected_f1_at(np.array([0.9, 0.8, 0.7]), np.array([True, False, False]), 0.5) == pytest.approx(2 / (2 + 2))


def test_tuning_on_examples_does_not_answer_what_is_most_improbable() -> None:
    staff = ["the waiter was rude", "a friendly waitress", "the garage was full"]
    parking = ["the garage was closed", "no free space in the garage", "the car park was full"]
    detector = AspectDetector().fit({"staff": staff, "parking": parking})
    left_out = left_out_probabilities(detector.model_, detector._encoded(), None)[:3, 0]
    assert left_out.min() < 0.15, "an example that does not belong with the others"
    assert 0.15 < detector.tune()["staff"].threshold < left_out.max()


def test_an_example_that_only_itself_speaks_for_leaves_the_threshold_as_it_was() -> None:
    nameless = AspectDetector().fit(["we loved it", "never again", "see you"], [[1, 0], [0, 1], [0, 0]])
    named = AspectDetector().fit({"staff": ["no valet"], "parking": ["cold soup"], "food": ["the waiter was rude"]})
    for detector in (nameless, named):
        tuned = detector.tune()
        assert min(row.threshold for row in tuned.values()) >= 0.2
        assert all(row.threshold == DEFAULT_THRESHOLD for row in tuned.values() if not row.f1)
        assert any(not row.f1 for row in tuned.values())


def test_tuning_without_texts_uses_the_examples(fitted: Callable[..., AspectDetector]) -> None:
    tuned = fitted().tune()
    assert {name: row.texts for name, row in tuned.items()} == {"food": 2, "parking": 2, "staff": 1}


def test_folds_hold_every_example_once_and_spread_those_of_an_aspect(fitted: Callable[..., AspectDetector]) -> None:
    membership = fitted().examples_.membership
    assert sorted(row for fold in folds(membership) for row in fold) == list(range(5))
    assert all(len(fold) == 1 for fold in folds(membership))
    few = folds(membership, most=3)
    assert sorted(row for fold in few for row in fold) == list(range(5))
    assert all((membership[fold].sum(axis=0) <= 1).all() for fold in few)


def test_labels_that_are_no_aspects_are_told_and_no_texts_are_refused(fitted: Callable[..., AspectDetector]) -> None:
    detector = fitted()
    with pytest.warns(ExampleWarning, match="labels that are no aspects, taken as none: foood"):
        detector.tune(["cold soup", "hello"], [["foood"], []])
    with pytest.raises(DataError, match="expected labelled texts to tune on, found none"):
        detector.tune([], [])

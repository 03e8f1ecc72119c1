"""From probabilities to answers and reasons, and what `analyze` says of them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from fewaspect import AspectDetector
from fewaspect.core.errors import ConfigError, DataError
from fewaspect.detector.explain import DEFAULT_THRESHOLD, decide, reason, thresholds_of

REVIEW = "  The soup was cold!  Nobody could park 😀, and we left. "
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


def test_a_text_without_words_has_no_aspect_even_at_a_threshold_of_zero() -> None:
    assert decide(np.array([[0.0, 0.1]]), np.zeros(2)).tolist() == [[False, True]]


def test_an_analysis_agrees_with_predict_and_predict_proba(fitted: Callable[..., AspectDetector]) -> None:
    detector = fitted()
    for words in (True, False):
        (analysis,) = detector.analyze_many([REVIEW], words=words)
        assert list(analysis.aspects) == detector.predict([REVIEW])[0]
        assert list(analysis.probabilities.values()) == pytest.approx(detector.predict_proba([REVIEW])[0], abs=1e-6)
        assert analysis.text == REVIEW
    assert analysis.words == ()
    assert analysis.nearest == {}
    (analysis,), (whole,) = detector.analyze_many([REVIEW], nearest=False), detector.analyze_many([REVIEW])
    assert analysis == replace(whole, nearest={})
    (analysis,) = detector.analyze_many([REVIEW], words=False, nearest=True)
    assert analysis == replace(whole, words=())


def test_sentences_stand_where_they_are_said_to(fitted: Callable[..., AspectDetector]) -> None:
    analysis = fitted().analyze(REVIEW)
    assert [s.text for s in analysis.sentences] == ["The soup was cold!", "Nobody could park 😀, and we left."]
    assert [REVIEW[s.start : s.end] for s in analysis.sentences] == [s.text for s in analysis.sentences]
    assert [s.aspects for s in analysis.sentences] == [("food",), ("parking",)]
    assert set(analysis.aspects) == {"food", "parking"}
    assert analysis.sentences[0].reason.startswith("food 0.")
    assert analysis.sentences[0].reason.endswith(f" >= {DEFAULT_THRESHOLD:.2f}")


def test_words_stand_where_they_are_said_to_and_punctuation_is_none(fitted: Callable[..., AspectDetector]) -> None:
    analysis = fitted().analyze(REVIEW)
    assert [REVIEW[w.start : w.end] for w in analysis.words] == [w.text for w in analysis.words]
    words = ["The", "soup", "was", "cold", "Nobody", "could", "park", "😀", "and", "we", "left"]
    assert [w.text for w in analysis.words] == words
    assert all(set(w.evidence) == {"food", "parking", "staff"} for w in analysis.words)
    second = analysis.words[4:]
    assert max(second, key=lambda word: word.evidence["parking"]).text == "park"


def test_the_tokens_evidence_sums_to_the_score(fitted: Callable[..., AspectDetector]) -> None:
    detector = fitted()
    model, aspects = detector.model_, detector._fitted().fitted
    scorer = model.scorer
    ((_, read),) = model.map_batches(["the soup was cold", "no way to park here tonight"], 4096, lambda read: read)
    sums = [shares.sum(axis=1) for shares in scorer.token_evidence(aspects, read)]
    np.testing.assert_allclose(np.stack(sums), scorer.combine_scores(scorer.components(aspects, read)), atol=1e-5)


def test_the_nearest_examples_are_those_of_the_aspect_with_the_highest_cosine(
    fitted: Callable[..., AspectDetector],
) -> None:
    detector = fitted().add_examples(["the waiter brought cold soup"], [["food", "staff"]])
    nearest = detector.analyze("The soup was cold. See you.").nearest
    assert nearest["food"][0].text == "the soup was cold"
    assert nearest["food"][0].similarity > 0.9
    assert [e.similarity for e in nearest["food"]] == sorted((e.similarity for e in nearest["food"]), reverse=True)
    assert {e.text: e.aspects for e in nearest["staff"]}["the waiter brought cold soup"] == ("food", "staff")
    assert {e.text for e in nearest["parking"]} == {"no valet", "the garage was full"}


def test_an_aspect_without_examples_has_no_nearest_ones(fitted: Callable[..., AspectDetector]) -> None:
    assert fitted().add_aspect("noise").analyze("thin walls").nearest["noise"] == ()


def test_the_reason_of_an_empty_answer_names_the_best_aspect(fitted: Callable[..., AspectDetector]) -> None:
    analysis = fitted(threshold=1.0).analyze("the soup was cold")
    assert analysis.aspects == ()
    assert analysis.reason.startswith("best: food 0.")
    assert "< 1.0" in analysis.reason

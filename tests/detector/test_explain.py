"""What `analyze` answers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from fewaspect import AspectDetector

REVIEW = "  The soup was cold!  Nobody could park 😀, and we left. "


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
    assert ">= 0.50" in analysis.sentences[0].reason


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

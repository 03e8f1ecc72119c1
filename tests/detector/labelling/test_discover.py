"""Groups among the sentences that no aspect claims."""

from __future__ import annotations

import random
from collections.abc import Callable
from itertools import product

import pytest

from fewaspect import AspectDetector, AspectGroup
from fewaspect.core.errors import ConfigError
from fewaspect.detector.labelling import discover as discovering

PARKING = [
    f"the {place} parking {what}"
    for place, what in product(
        ("garage", "street", "valet", "hotel"), ("was full", "is expensive", "was too far", "had no light")
    )
]
WIFI = [
    f"the wifi {what} {where}"
    for where, what in product(
        ("in our room", "at the desk", "upstairs", "by night"),
        ("kept dropping", "was slow", "needs a password", "did not connect"),
    )
]
FOOD = ["the soup was cold", "the pizza was great", "we liked the pasta", "the waiter brought cold soup"]
TEXTS = [*PARKING, *WIFI, *FOOD, "Yes, I did.", "ok"]


@pytest.fixture(scope="module")
def detector() -> AspectDetector:
    return AspectDetector().fit(
        {"food": ["the soup was cold", "good pizza"], "staff": ["the waiter was rude", "friendly reception"]}
    )


@pytest.fixture(scope="module")
def groups(detector: AspectDetector) -> list[AspectGroup]:
    return detector.discover(TEXTS, n=2)


def test_the_two_topics_nobody_named_are_proposed_by_name(groups: list[AspectGroup]) -> None:
    assert sorted(group.name.split()[-1] for group in groups) == ["parking", "wifi"]


def test_sentences_that_an_aspect_claims_and_those_about_nothing_are_in_no_group(
    detector: AspectDetector, groups: list[AspectGroup]
) -> None:
    members = {TEXTS[index] for group in groups for index in group.texts}
    assert not members & {*FOOD[:2], "Yes, I did.", "ok"}
    assert all(not aspects for aspects in detector.predict(sorted(members)))


def test_typical_sentences_are_of_the_texts_they_name_and_differ(groups: list[AspectGroup]) -> None:
    for group in groups:
        assert all(sentence.text in TEXTS[sentence.index] for sentence in group.sentences)
        assert len({sentence.text for sentence in group.sentences}) == len(group.sentences) > 1


def test_size_counts_sentences_and_share_is_of_all(groups: list[AspectGroup]) -> None:
    for group in groups:
        assert group.size == len(group.texts)  # a text is a sentence here, none occurs twice
        assert group.share == pytest.approx(group.size / len(TEXTS))
    assert [group.size for group in groups] == sorted((group.size for group in groups), reverse=True)


def test_the_same_texts_give_the_same_groups(detector: AspectDetector, groups: list[AspectGroup]) -> None:
    assert detector.discover(TEXTS, n=2) == groups


def test_an_adopted_group_is_detected_and_not_proposed_again(groups: list[AspectGroup]) -> None:
    detector = AspectDetector().fit({"food": ["the soup was cold", "good pizza"], "staff": ["rude waiter"]})
    parking = next(group for group in groups if "parking" in group.name)
    detector.adopt(parking, name="cars")
    assert detector.shots_["cars"] == len(parking.sentences)
    assert detector.predict(["no parking in the garage"]) == [["cars"]]
    assert not any("parking" in group.name for group in detector.discover(TEXTS, n=3))


def test_takes_counts_the_sentences_of_a_named_aspect_that_the_group_would_claim_too() -> None:
    detector = AspectDetector().fit({"noise": ["so loud", "noise all night"], "food": ["the soup was cold"]})
    both = [f"so loud and noisy by the {place} parking" for place in ("garage", "street", "valet")]
    noise = [f"so much noise from the {place} all night" for place in ("bar", "lift", "kitchen", "road", "roof", "sea")]
    assert detector.predict([*both, *noise, FOOD[0]]) == [["noise"]] * 9 + [["food"]]
    (group,) = detector.discover([*PARKING, *(f"{text} today" for text in PARKING), *both, *noise, FOOD[0]], n=1)
    assert 0 < group.takes["noise"] <= len(both)
    assert "food" not in group.takes


def test_a_group_that_is_a_named_aspect_is_not_proposed() -> None:
    detector = AspectDetector().fit({"parking": ["parking"], "food": ["the soup was cold"]}).set_params(threshold=0.9)
    answered = [name for own in detector.predict(PARKING) for name in own]
    assert 0 < len(answered) < len(PARKING)
    assert detector.set_params(threshold={"parking": 0.9}).discover([*PARKING, *WIFI[:8]], n=1) == []


def test_no_name_is_that_of_an_aspect_or_of_another_group(detector: AspectDetector) -> None:
    named = AspectDetector().fit({"parking": [], "food": ["the soup was cold"], "wifi": []})
    named.set_params(threshold=1.0)  # nothing is claimed, and the topics are there
    names = [group.name for group in named.discover(TEXTS, n=6)]
    assert len(set(names)) == len(names) > 0
    assert not {"parking", "wifi", "wifis"} & set(names)


@pytest.mark.parametrize("texts", [[], ["ok"], PARKING[:6]])
def test_of_too_few_sentences_nothing_is_proposed(detector: AspectDetector, texts: list[str]) -> None:
    assert detector.discover(texts) == []


@pytest.mark.parametrize("n", [0, -1, 2.5, "ten"])
def test_a_number_of_groups_that_is_none_is_refused(detector: AspectDetector, n: int) -> None:
    with pytest.raises(ConfigError, match="n: expected an integer from 1"):
        detector.discover(TEXTS, n=n)


def test_of_many_sentences_a_sample_is_read_whatever_their_order(
    detector: AspectDetector, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(discovering, "MOST_SENTENCES", 30)
    shuffled = random.Random(0).sample(TEXTS, len(TEXTS))
    first, second = detector.discover(TEXTS, n=2), detector.discover(shuffled, n=2)
    assert first
    assert sum(group.size for group in first) <= 30
    assert {g.name for g in first} == {g.name for g in second}


def test_nothing_changes_in_the_detector_that_is_asked(fitted: Callable[..., AspectDetector]) -> None:
    detector = fitted()
    before = detector.examples_, detector.predict_proba(FOOD).tolist()
    detector.discover(TEXTS)
    assert (detector.examples_, detector.predict_proba(FOOD).tolist()) == before

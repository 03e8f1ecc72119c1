"""Which texts to label next."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from detector_texts import EXAMPLES
from fewaspect import AspectDetector
from fewaspect.detector.labelling.suggest import uncertainty
from fewaspect.text.foreign import words_of


def test_equal_texts_examples_and_empty_ones_are_not_suggested(fitted: Callable[..., AspectDetector]) -> None:
    texts = ["the lift was broken", "The  lift was broken", "", "\u200b", EXAMPLES["food"][0].upper() + "\ufeff"]
    found = fitted().suggest(texts)
    assert [(s.text, s.index) for s in found] == [("the lift was broken", 0)]


def test_unsure_texts_come_before_sure_ones(fitted: Callable[..., AspectDetector]) -> None:
    detector = fitted()
    texts = ["the waiter was very rude", "the soup was too cold", "we ate pizza with the manager"]
    p = detector.predict_proba(texts)
    detector.set_params(threshold={"staff": float(p[2, 2])})
    first = detector.suggest(texts, n=1)[0]
    assert first.index == 2
    assert first.why.startswith(f"unsure: staff {p[2, 2]:.2f}, threshold")


def test_the_second_suggestion_is_unlike_the_first(fitted: Callable[..., AspectDetector]) -> None:
    texts = ["the lift was broken", "the lift is broken", "the lift was broken again", "a view over the sea"]
    assert 3 in [s.index for s in fitted().suggest(texts, n=2)]


def test_why_says_how_new_a_text_is(fitted: Callable[..., AspectDetector]) -> None:
    (found,) = fitted(threshold=1.0).suggest(["xylophone concert on the moon"], n=1)
    assert found.why == "new: no example is like it"


def test_why_says_how_many_texts_are_alike(fitted: Callable[..., AspectDetector]) -> None:
    texts = ["a view over the blue sea", "the sea view was blue", "our bus was late again", "the doctor was in a hurry"]
    assert any("typical: one other text is like it" in one.why for one in fitted().suggest(texts))


def test_where_texts_are_dense_they_come_first(fitted: Callable[..., AspectDetector]) -> None:
    alike = [f"the view over the {where} was {how}" for where in ("sea", "bay", "lake") for how in ("nice", "fine")]
    texts = ["xylophone concert on the moon", *alike, "quarterly tax return of the company"]
    assert fitted().suggest(texts, n=1)[0].text in alike


SENTENCES = ["the soup was cold", "no place to park the car", "rude staff at the desk", "a view over the sea"]
TEXTS = st.lists(st.sampled_from([*SENTENCES, "wow", "", "The soup was cold!", "Das Essen war kalt und der Kellner"]))


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(texts=TEXTS, n=st.integers(0, 6), skip=st.lists(st.sampled_from(SENTENCES), max_size=2))
def test_suggestions_are_the_same_each_time_and_no_copies_and_none_that_is_skipped(
    fitted: Callable[..., AspectDetector], texts: list[str], n: int, skip: list[str]
) -> None:
    detector = fitted()
    found = detector.suggest(texts, n, skip)
    assert found == detector.suggest(texts, n, skip)
    assert len(found) <= n
    assert all(texts[one.index] == one.text and one.why for one in found)
    words = [" ".join(words_of(one.text)) for one in found]
    assert len(words) == len(set(words))
    assert not {*words} & {*skip}


def test_uncertainty_is_one_at_the_threshold_and_zero_at_both_ends() -> None:
    found = uncertainty(np.array([[0.0, 0.2, 0.6, 1.0]]), np.full(4, 0.2))
    assert found[0] == pytest.approx([0.0, 1.0, 0.5, 0.0])


@pytest.mark.parametrize("texts", [[], [""]])
def test_nothing_to_suggest_is_an_empty_list(fitted: Callable[..., AspectDetector], texts: list[str]) -> None:
    assert fitted().suggest(texts) == []

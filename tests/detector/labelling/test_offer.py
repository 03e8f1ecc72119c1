"""Which texts may be offered for labelling."""

from __future__ import annotations

from collections.abc import Sequence

from hypothesis import given
from hypothesis import strategies as st

from fewaspect.detector.labelling.offer import offered
from fewaspect.text.foreign import foreign_texts

GERMAN = ["Das Essen war kalt und schlecht", "Wir haben zwei Stunden gewartet", "Der Kellner war unfreundlich heute"]


def pieces(texts: Sequence[str]) -> list[int]:
    """As if every word were known in two pieces."""
    return [2 * len(text.split()) for text in texts]


def foreign(texts: Sequence[str]) -> list[bool]:
    return foreign_texts(texts, pieces)


def test_of_texts_that_differ_in_punctuation_and_digits_the_first_is_offered() -> None:
    texts = ["the lift was broken", "The lift was broken!!!", "the lift was broken 2 times", "the lift was broken (3)"]
    assert offered(texts, [], [], foreign) == [0, 2]


def test_examples_and_skipped_ones_are_not_offered() -> None:
    texts = ["the lift was broken", "the soup was cold", "the view was nice"]
    assert offered(texts, ["The lift was broken."], ["THE SOUP WAS COLD"], foreign) == [2]


def test_fragments_and_foreign_texts_are_not_offered() -> None:
    assert offered(["wow", "so good", "the soup was cold", "the lift was slow", GERMAN[0]], [], [], foreign) == [2, 3]


def test_fragments_are_offered_where_there_is_nothing_else() -> None:
    assert offered(["wow", "so good"], [], [], foreign) == [0, 1]


def test_where_most_texts_are_of_another_language_they_are_offered() -> None:
    assert offered([*GERMAN, "the soup was cold"], [], [], foreign) == [0, 1, 2, 3]


@given(st.lists(st.text(max_size=30), max_size=8), st.lists(st.text(max_size=30), max_size=3))
def test_no_text_is_offered_twice_and_none_that_is_skipped(texts: list[str], skip: list[str]) -> None:
    numbers = offered(texts, [], [*skip, *texts[:1]], foreign)
    assert len(numbers) == len({texts[i] for i in numbers})
    assert not {texts[i] for i in numbers} & {*skip, *texts[:1]}

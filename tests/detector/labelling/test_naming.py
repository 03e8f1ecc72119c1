"""Telling words and names of groups."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from fewaspect.detector.labelling.grouping import SAME_SENTENCE, group_sentences, most_typical
from fewaspect.detector.labelling.naming import choose_names, common_words, phrases, telling_words, tells
from fewaspect.inference.encoded import unit


def test_phrases_are_words_and_neighbours_without_common_ones() -> None:
    found = phrases("The battery life isn't great, battery! See http://x.org/battery @phone", frozenset({"the", "see"}))
    assert found[:3] == ["battery", "life", "battery life"]
    assert not {"http", "phone", "org", "the", "the battery", "great battery"} & set(found)


def test_a_sentence_of_common_words_tells_nothing() -> None:
    assert tells(["Yes, I did!", "it's very good", "the lift was good", ""]).tolist() == [False, False, True, False]


def test_words_tell_of_the_group_that_alone_has_them() -> None:
    sentences = ["room with wifi", "wifi in the room", "room with pool", "pool near the room"]
    first, second = telling_words(sentences, np.array([0, 0, 1, 1]), 2)
    assert next(iter(first)) == "wifi"
    assert next(iter(second)) == "pool"
    assert first["wifi"] == 1.0 > first["room"]


def test_a_pair_of_words_tells_only_where_its_words_mostly_stand_together() -> None:
    sentences = ["hotel parking", "hotel parking", "street parking", "street parking", "valet parking", "battery life"]
    (words,) = telling_words([*sentences, "battery life"], np.zeros(7, dtype=int), 1)
    assert "battery life" in words
    assert "hotel parking" not in words


def test_names_are_near_the_centre_and_none_is_taken_or_used_twice() -> None:
    words = [{"wifi": 1.0, "signal": 0.9}, {"signal": 1.0, "pools": 0.8}, {"pools": 1.0}]
    vectors = {"wifi": [0.1, 1.0], "signal": [1.0, 0.0], "pools": [0.0, 1.0]}
    centres = unit(np.array([[1.0, 0.1], [1.0, 0.9], [0.0, 1.0]]))
    encode = lambda some: unit(np.array([vectors[word] for word in some]))  # noqa: E731
    assert choose_names(words, centres, encode, ["Pool"]) == ["signal", "group 2", "group 3"]


@given(st.lists(st.text(max_size=40), max_size=8), st.integers(0, 3))
def test_no_telling_word_is_common_whatever_the_texts(sentences: list[str], groups: int) -> None:
    own = np.arange(len(sentences)) % (groups + 1) - 1
    for words in telling_words(sentences, own, groups):
        assert not set(words) & common_words()
        assert all(0 < weight <= 1 for weight in words.values())


@given(st.integers(0, 60), st.integers(1, 12), st.integers(0, 5))
def test_groups_are_at_most_as_many_as_asked_for_and_none_is_tiny(sentences: int, n: int, seed: int) -> None:
    vectors = unit(np.random.default_rng(seed).normal(size=(sentences, 6)).astype(np.float32))
    groups, centres = group_sentences(vectors, np.ones(sentences), n)
    sizes = np.bincount(groups[groups >= 0], minlength=len(centres))
    assert len(centres) <= n
    assert (sizes >= 5).all()
    assert sizes.tolist() == sorted(sizes.tolist(), reverse=True)


def test_of_two_sentences_that_say_the_same_one_is_typical() -> None:
    vectors = unit(np.array([[1.0, 0.0], [1.0, 0.01], [0.5, 1.0]], dtype=np.float32))
    chosen = most_typical(vectors, np.array([1.0, 0.0]), [0, 1, 2], 3)
    assert chosen == [0, 2]
    assert float(vectors[0] @ vectors[2]) < SAME_SENTENCE

"""The statistics of a set are what counting by hand gives."""

from __future__ import annotations

import json
from random import Random

from hypothesis import given
from hypothesis import strategies as st

from fewaspect.data.labelled import LabelledSentence, SentenceSet
from fewaspect.data.statistics import AspectCount, describe
from fewaspect.text.identity import text_identity

SET = SentenceSet(
    [
        LabelledSentence("The soup", ("food",)),
        LabelledSentence("the  SOUP", ("food",)),
        LabelledSentence("the soup", ("food", "price")),
        LabelledSentence("cheap and good soup", ("price", "food")),
        LabelledSentence("we left", ()),
    ],
    "five",
)


def test_a_set_counted_by_hand() -> None:
    found = describe(SET, shots=1, queries=1)
    assert (found.name, found.sentences, found.aspects, found.none) == ("five", 5, 2, 1)
    assert found.labels_per_sentence == {0: 1, 1: 2, 2: 2}
    assert (found.words.mean, found.words.median, found.words.p95, found.words.max) == (2.4, 2.0, 3.6, 4)
    assert found.per_aspect == {"food": AspectCount(4, 2), "price": AspectCount(2, 2)}


def test_duplicates_are_surplus_lines_whatever_their_case_and_spacing() -> None:
    assert (describe(SET).duplicates, describe(SET).contradictory) == (2, 1)


def test_an_aspect_is_too_small_below_shots_plus_queries_distinct_texts() -> None:
    assert describe(SET, shots=1, queries=1).too_small == ()
    assert describe(SET, shots=2, queries=1).too_small == ("food", "price")


def test_a_set_without_sentences_is_described() -> None:
    found = describe(SentenceSet([]))
    assert (found.sentences, found.aspects, found.words.max, found.too_small) == (0, 0, 0, ())


SENTENCES = st.lists(
    st.builds(
        LabelledSentence,
        st.text("ab ", min_size=1, max_size=4).filter(str.strip),
        st.lists(st.sampled_from("xyz"), unique=True).map(tuple),
    )
)


@given(SENTENCES, st.integers(1, 4), st.integers(0, 4))
def test_the_counts_agree_with_each_other(sentences: list[LabelledSentence], shots: int, queries: int) -> None:
    found = describe(SentenceSet(sentences), shots, queries)
    assert sum(found.labels_per_sentence.values()) == found.sentences == len(sentences)
    assert sum(n * count for n, count in found.labels_per_sentence.items()) == sum(
        count.sentences for count in found.per_aspect.values()
    )
    assert found.none == sum(not sentence.aspects for sentence in sentences)
    assert found.duplicates == len(sentences) - len({text_identity(sentence.text) for sentence in sentences})
    assert 0 <= found.contradictory <= found.duplicates
    assert found.aspects == len(found.per_aspect)
    for aspect, count in found.per_aspect.items():
        texts = {text_identity(sentence.text) for sentence in sentences if aspect in sentence.aspects}
        assert count.texts == len(texts) <= count.sentences
        assert (aspect in found.too_small) == (len(texts) < shots + queries)
    assert found.words.median <= found.words.p95 <= found.words.max
    json.dumps(found.as_json())


@given(SENTENCES, st.randoms())
def test_all_but_contradictions_is_independent_of_the_order(sentences: list[LabelledSentence], random: Random) -> None:
    shuffled = list(sentences)
    random.shuffle(shuffled)
    one, other = describe(SentenceSet(sentences)).as_json(), describe(SentenceSet(shuffled)).as_json()
    one.pop("contradictory"), other.pop("contradictory")
    assert one == other

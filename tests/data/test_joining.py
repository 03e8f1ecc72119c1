"""Joined sentences."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from fewaspect.data.labelled import LabelledSentence, SentenceSet, with_joined_sentences

NAMES = st.lists(st.sampled_from(["food", "noise", "price", "staff"]), max_size=2, unique=True).map(tuple)
SETS = st.lists(NAMES, min_size=1, max_size=12).map(
    lambda aspects: SentenceSet(LabelledSentence(f"sentence {i}.", names) for i, names in enumerate(aspects))
)


@given(SETS, st.floats(0, 2), st.integers(0, 5))
def test_a_joined_sentence_carries_the_aspects_of_both_parts(sentences: SentenceSet, share: float, seed: int) -> None:
    joined = with_joined_sentences(sentences, share, seed)
    aspects = {sentence.text: sentence.aspects for sentence in sentences}
    assert joined.sentences[: len(sentences)] == sentences.sentences
    for sentence in joined.sentences[len(sentences) :]:
        first, second = (part + "." for part in sentence.text[:-1].split(". "))
        assert sentence.aspects == aspects[first] + aspects[second]
        assert aspects[first]
        assert aspects[second]
        assert len(set(sentence.aspects)) == len(sentence.aspects)


def test_there_are_as_many_as_asked_for_where_there_can_be() -> None:
    sentences = SentenceSet(LabelledSentence(f"s{i}", ("food",) if i % 2 else ("noise",)) for i in range(20))
    assert len(with_joined_sentences(sentences, 0.3, 0)) == 26
    assert with_joined_sentences(sentences, 0.0, 0).sentences == sentences.sentences


def test_sentences_of_one_aspect_alone_are_not_joined() -> None:
    sentences = SentenceSet(LabelledSentence(f"s{i}", ("food",)) for i in range(5))
    assert len(with_joined_sentences(sentences, 1.0, 0)) == 5


def test_the_same_seed_joins_the_same_sentences() -> None:
    sentences = SentenceSet(LabelledSentence(f"s{i}", (f"a{i % 7}",)) for i in range(50))
    once, again, other = (with_joined_sentences(sentences, 0.5, seed) for seed in (1, 1, 2))
    assert once.sentences == again.sentences
    assert once.sentences != other.sentences

"""Batches hold every sentence once, keep to their size, and waste little on padding."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from fewaspect.text.tokenization import length_batches

LENGTHS = st.lists(st.integers(0, 60), max_size=40)
TOKENS = st.integers(1, 200)
few = settings(max_examples=100, deadline=None)


@few
@given(LENGTHS, TOKENS)
def test_every_sentence_is_in_exactly_one_batch(lengths: list[int], tokens: int) -> None:
    batches = length_batches(lengths, tokens)
    assert all(len(batch) for batch in batches)
    assert sorted(i for batch in batches for i in batch.tolist()) == list(range(len(lengths)))


@few
@given(LENGTHS, TOKENS)
def test_a_padded_batch_keeps_to_its_size_unless_one_sentence_exceeds_it(lengths: list[int], tokens: int) -> None:
    for batch in length_batches(lengths, tokens):
        places = len(batch) * max(lengths[i] for i in batch)
        assert places <= tokens or len(batch) == 1


@few
@given(LENGTHS, TOKENS)
def test_batches_go_from_long_to_short(lengths: list[int], tokens: int) -> None:
    order = [lengths[i] for batch in length_batches(lengths, tokens) for i in batch]
    assert order == sorted(lengths, reverse=True)


@few
@given(LENGTHS, TOKENS)
def test_a_batch_is_full_before_the_next_one_begins(lengths: list[int], tokens: int) -> None:
    for batch in length_batches(lengths, tokens)[:-1]:
        longest = max(1, max(lengths[i] for i in batch))
        assert (len(batch) + 1) * longest > tokens


def test_the_same_lengths_give_the_same_batches_from_a_list_and_from_an_array() -> None:
    lengths = np.random.default_rng(0).integers(2, 60, size=100)
    from_array, from_list = length_batches(lengths, 128), length_batches(lengths.tolist(), 128)
    assert [batch.tolist() for batch in from_array] == [batch.tolist() for batch in from_list]


def test_little_is_padded() -> None:
    lengths = np.random.default_rng(0).integers(5, 60, size=1000)
    batches = length_batches(lengths, 1024)
    places = sum(len(batch) * lengths[batch].max() for batch in batches)
    assert places < 1.05 * lengths.sum()

"""Tokens of a text, and where its words stand."""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tokenizers import Tokenizer

from fewaspect.encoders.sources import resolve_encoder
from fewaspect.encoders.transformer import TokenEncoder
from fewaspect.text.tokenization import SentenceTokeniser, padded_ids


@pytest.fixture
def tokeniser(tiny_encoder: Callable[..., TokenEncoder]) -> SentenceTokeniser:
    frozen = tiny_encoder().frozen
    return SentenceTokeniser(frozen.tokeniser.backend_tokenizer, frozen.max_length)


def test_the_places_of_words_are_those_in_the_text_and_each_token_knows_its_word(tokeniser: SentenceTokeniser) -> None:
    text = "The Pizzas, cold!"
    (places, word_of_token), nothing = tokeniser.words([text, ""])
    assert [text[start:end] for start, end in places] == ["The", "Pizzas", ",", "cold", "!"]
    assert word_of_token == [None, 0, 1, 1, 2, 3, 4, None]
    assert nothing == ([], [None, None])
    assert tokeniser.words([]) == []


def test_ids_are_those_of_the_encoder_and_what_is_too_long_is_reported(
    tiny_encoder: Callable[..., TokenEncoder],
) -> None:
    frozen = tiny_encoder().frozen
    tokeniser = SentenceTokeniser(frozen.tokeniser.backend_tokenizer, frozen.max_length)
    texts = ["good food", "", "food " * 100, "\N{SLICE OF PIZZA}" * 3]
    expected = frozen.tokenise(texts)
    assert tokeniser.ids(texts) == expected.ids
    assert tokeniser.too_long(texts) == expected.truncated.tolist() == [False, False, True, False]
    assert tokeniser.too_long([]) == tokeniser.ids([]) == []


def test_a_word_of_any_length_is_read() -> None:
    made = Tokenizer.from_file(str(resolve_encoder().folder / "tokenizer.json"))
    made.no_padding()
    tokeniser = SentenceTokeniser(made, 512)
    assert SentenceTokeniser(tokeniser.backend, 512).backend.to_str() == tokeniser.backend.to_str(), "set up once"
    unknown, texts = made.token_to_id("[UNK]"), ["soup" * 25, "soup" * 26, "soup" * 100, "cold soup!"]
    ids = tokeniser.ids(texts)
    assert all(unknown not in row for row in ids)
    assert ids[2][1:-1] == ids[0][1:-1] * 4, "a hundred letters at a time"
    assert (ids[0], ids[3]) == (made.encode(texts[0]).ids, made.encode(texts[3]).ids), "others as ever"
    assert tokeniser.too_long(["soup" * 1000]) == [True]
    assert tokeniser.words(texts)[1][0] == [(0, 100), (100, 104)]


@given(st.lists(st.lists(st.integers(1, 99), max_size=9), min_size=1, max_size=9))
def test_padding_stands_behind_the_tokens(rows: list[list[int]]) -> None:
    ids, mask = padded_ids(rows, 7)
    assert ids.shape == mask.shape == (len(rows), max(map(len, rows)))
    for row, own, seen in zip(rows, ids, mask, strict=True):
        assert own[: len(row)].tolist() == row
        assert (own[len(row) :] == 7).all()
        np.testing.assert_array_equal(seen, [1] * len(row) + [0] * (ids.shape[1] - len(row)))


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.sampled_from(["cold ", "soup, ", "! ", "\x01 ", "\u200b ", "\n", "x" * 300 + " "]), max_size=40))
def test_what_is_too_long_is_seen_before_it_is_tokenised_as_after(
    tokeniser: SentenceTokeniser, parts: list[str]
) -> None:
    for text in ("".join(parts), "".join(parts) * 12):
        assert tokeniser.too_long([text]) == [bool(tokeniser.backend.encode(text).overflowing)]


def test_hundreds_of_thousands_of_words_take_no_time_to_measure(tokeniser: SentenceTokeniser) -> None:
    begun = time.process_time()
    assert tokeniser.too_long(["! " * 400_000] * 20) == [True] * 20
    assert time.process_time() - begun < 1

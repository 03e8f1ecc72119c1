"""Sentences to token ids, truncated at the encoder's limit, in batches of little padding; the words of tokens."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from tokenizers import Encoding, Tokenizer


class SentenceTokeniser:
    """A tokeniser of the `tokenizers` library (`backend`) that truncates to `max_length` tokens."""

    def __init__(self, tokeniser: Tokenizer, max_length: int) -> None:
        from tokenizers import Tokenizer

        self.backend = Tokenizer.from_str(tokeniser.to_str())  # a copy: its settings are changed below
        _split_long_words(self.backend)
        self.backend.no_padding()
        self.backend.enable_truncation(max_length)
        self.max_length = max_length
        self.special_tokens = self.backend.num_special_tokens_to_add(False)

    def ids(self, texts: Sequence[str]) -> list[list[int]]:
        """Token ids of each text, special tokens included."""
        return [encoding.ids for encoding in self.backend.encode_batch_fast(list(texts))]

    def pieces(self, texts: Sequence[str]) -> list[int]:
        """How many tokens each text has, special ones left out."""
        return [len(ids) - self.special_tokens for ids in self.ids(texts)]

    def too_long(self, texts: Sequence[str]) -> list[bool]:
        """Which texts have to be truncated."""
        # ASCII has at least one character per token; only other text may be spelt out in several bytes per character.
        fits = self.max_length - self.special_tokens - 1
        doubtful = [i for i, text in enumerate(texts) if len(text) > fits or not text.isascii()]
        result = [False] * len(texts)
        for i, encoding in zip(doubtful, self.backend.encode_batch([texts[i] for i in doubtful]), strict=True):
            result[i] = bool(encoding.overflowing)
        return result

    def words(self, texts: Sequence[str]) -> list[tuple[list[tuple[int, int]], list[int | None]]]:
        """For each text the character spans of its words, and the word of each token (None: a special token)."""
        return [_words(encoding) for encoding in self.backend.encode_batch(list(texts))]


def _split_long_words(tokeniser: Tokenizer) -> None:
    """WordPiece takes a word of more than a hundred letters for an unknown one: split it before."""
    from tokenizers import Regex, models
    from tokenizers.pre_tokenizers import Sequence, Split

    model, words = tokeniser.model, tokeniser.pre_tokenizer
    if isinstance(model, models.WordPiece) and words is not None:
        pieces = Split(Regex(rf"[\s\S]{{{model.max_input_chars_per_word}}}"), "isolated")
        if repr(pieces) not in repr(words):  # an exported tokeniser has it already
            tokeniser.pre_tokenizer = Sequence([words, pieces])


def _words(encoding: Encoding) -> tuple[list[tuple[int, int]], list[int | None]]:
    word_ids = list(encoding.word_ids)
    count = 1 + max((word for word in word_ids if word is not None), default=-1)
    return [encoding.word_to_chars(word) or (0, 0) for word in range(count)], word_ids


def padded_ids(ids: Sequence[Sequence[int]], padding_id: int) -> tuple[np.ndarray, np.ndarray]:
    """Token ids of B sentences as (B, T) int32, and the (B, T) int32 attention mask, 1 where there is a token."""
    lengths = np.array([len(row) for row in ids])
    mask = np.arange(lengths.max(initial=0)) < lengths[:, None]
    result = np.full(mask.shape, padding_id, dtype=np.int32)
    result[mask] = np.concatenate([np.asarray(row, dtype=np.int32) for row in ids])
    return result, mask.astype(np.int32)


def length_batches(lengths: Sequence[int] | np.ndarray, tokens: int) -> list[np.ndarray]:
    """Indices grouped longest first, so that each padded batch holds at most `tokens` places (one sentence at least).

    Longest first: if memory does not suffice, it shows in the first batch and not in the last.
    """
    order = np.argsort(-np.asarray(lengths), kind="stable")
    batches, start = [], 0
    while start < len(order):
        longest = max(1, int(lengths[order[start]]))
        count = max(1, tokens // longest)
        batches.append(order[start : start + count])
        start += count
    return batches

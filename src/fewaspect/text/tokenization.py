"""Texts to token states at inference, whatever computes them: tokens from one tokeniser, states from a backend."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol

import numpy as np

if TYPE_CHECKING:
    from tokenizers import Encoding, Tokenizer


class TextEncoder(Protocol):
    """A trained encoder as it serves."""

    width: int
    tokens: Tokens
    batch_tokens: int  # that are best read at once, padding included
    workers: int  # that may call `states` at the same time

    def states(self, ids: Sequence[Sequence[int]]) -> list[np.ndarray]:
        """(T, d) of each sentence; those given together should be of similar length."""
        ...


class Tokens:
    """A tokeniser that cuts where the encoder ends, and says so."""

    def __init__(self, tokeniser: Tokenizer, max_length: int) -> None:
        from tokenizers import Tokenizer

        self.tokeniser = Tokenizer.from_str(tokeniser.to_str())  # a copy: these settings are ours alone
        _read_long_words(self.tokeniser)
        self.tokeniser.no_padding()
        self.tokeniser.enable_truncation(max_length)
        self.max_length = max_length
        self.specials = self.tokeniser.num_special_tokens_to_add(False)

    def ids(self, texts: Sequence[str]) -> list[list[int]]:
        return [encoding.ids for encoding in self.tokeniser.encode_batch_fast(list(texts))]

    def too_long(self, texts: Sequence[str]) -> list[bool]:
        """Which texts the encoder could read only in part."""
        # A token is one character at least; only where text can be spelt out in bytes has it more tokens.
        sure = self.max_length - self.specials - 1
        doubtful = [i for i, text in enumerate(texts) if len(text) > sure or not text.isascii()]
        cut = [False] * len(texts)
        for i, encoding in zip(doubtful, self.tokeniser.encode_batch([texts[i] for i in doubtful]), strict=True):
            cut[i] = bool(encoding.overflowing)
        return cut

    def words(self, texts: Sequence[str]) -> list[tuple[list[tuple[int, int]], list[int | None]]]:
        """Where each text's words stand in it, and for each token the word it belongs to (None: a special token)."""
        return [_words(encoding) for encoding in self.tokeniser.encode_batch(list(texts))]


def _read_long_words(tokeniser: Tokenizer) -> None:
    """In pieces: WordPiece takes a word of more than a hundred letters for an unknown one."""
    from tokenizers import Regex, models
    from tokenizers.pre_tokenizers import Sequence, Split

    model, words = tokeniser.model, tokeniser.pre_tokenizer
    if isinstance(model, models.WordPiece) and words is not None:
        pieces = Split(Regex(rf"[\s\S]{{{model.max_input_chars_per_word}}}"), "isolated")
        if repr(pieces) not in repr(words):  # which an exported tokeniser has already
            tokeniser.pre_tokenizer = Sequence([words, pieces])


def _words(encoding: Encoding) -> tuple[list[tuple[int, int]], list[int | None]]:
    own = list(encoding.word_ids)
    count = 1 + max((word for word in own if word is not None), default=-1)
    return [encoding.word_to_chars(word) or (0, 0) for word in range(count)], own


def padded_ids(ids: Sequence[Sequence[int]], padding: int) -> tuple[np.ndarray, np.ndarray]:
    """(B, T) int32 ids, and a mask with ones where there is a token."""
    lengths = np.array([len(row) for row in ids])
    mask = np.arange(lengths.max(initial=0)) < lengths[:, None]
    result = np.full(mask.shape, padding, dtype=np.int32)
    result[mask] = np.concatenate([np.asarray(row, dtype=np.int32) for row in ids])
    return result, mask.astype(np.int32)

"""Sentences to token ids, truncated at the encoder's limit, in batches of little padding; the words of tokens."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from itertools import islice
from typing import TYPE_CHECKING

import numpy as np

from fewaspect.core.forking import NO_FORK
from fewaspect.text.scripts import UNSPACED

if TYPE_CHECKING:
    from tokenizers import Encoding, Tokenizer

_SPACE = "\u2581"  # SentencePiece's sign for a space, as a token of its own
_WORD = re.compile("[!-~]+")
_NO_SPACES = re.compile(f"[{UNSPACED}]")


def _without_threads() -> None:
    """A forked process would wait for threads of `tokenizers` that it does not have, whatever the parent asked for."""
    os.environ["TOKENIZERS_PARALLELISM"] = "false"


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_without_threads)


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
        with NO_FORK:
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
        for i in doubtful:  # each word is a token at least: a book need not be tokenised to see that it is too long
            result[i] = next(islice(_WORD.finditer(texts[i]), fits + 1, None), None) is not None
        doubtful = [i for i in doubtful if not result[i]]
        for i, encoding in zip(doubtful, self._encoded([texts[i] for i in doubtful]), strict=True):
            result[i] = bool(encoding.overflowing)
        return result

    def words(self, texts: Sequence[str]) -> list[tuple[list[tuple[int, int]], list[int | None]]]:
        """For each text the character spans of its words, and the word of each token (None: a special token).

        In scripts without spaces between words, such as Chinese and Thai, every token is one.
        """
        return [_words(text, encoding) for text, encoding in zip(texts, self._encoded(texts), strict=True)]

    def _encoded(self, texts: Sequence[str]) -> list[Encoding]:
        with NO_FORK:
            return list(self.backend.encode_batch(list(texts)))


def _split_long_words(tokeniser: Tokenizer) -> None:
    """WordPiece takes a word of more than a hundred letters for an unknown one: split it before."""
    from tokenizers import Regex, models
    from tokenizers.pre_tokenizers import Sequence, Split

    model, words = tokeniser.model, tokeniser.pre_tokenizer
    if isinstance(model, models.WordPiece) and words is not None:
        pieces = Split(Regex(rf"[\s\S]{{{model.max_input_chars_per_word}}}"), "isolated")
        if repr(pieces) not in repr(words):  # an exported tokeniser has it already
            tokeniser.pre_tokenizer = Sequence([words, pieces])


def _words(text: str, encoding: Encoding) -> tuple[list[tuple[int, int]], list[int | None]]:
    places: list[tuple[int, int]] = []
    word_of_token: list[int | None] = []
    last = None  # the word of the tokeniser, and whether a token stands alone
    for token, (start, end), word in zip(encoding.tokens, encoding.offsets, encoding.word_ids, strict=True):
        if word is None:
            word_of_token.append(None)
            continue
        if token == _SPACE:  # it belongs to what follows
            word_of_token.append(len(places))
            continue
        start, end = _trimmed(text, start, end)
        own = word, _stands_alone(text[start:end])
        if own == last and not own[1]:
            places[-1] = (places[-1][0], max(end, places[-1][1]))
        else:
            places.append((start, end))
        word_of_token.append(len(places) - 1)
        last = own
    return places, [None if word == len(places) else word for word in word_of_token]


def _trimmed(text: str, start: int, end: int) -> tuple[int, int]:
    """The span without the white space that some tokens begin with."""
    return start + len(text[start:end]) - len(text[start:end].lstrip()), end


def _stands_alone(part: str) -> bool:
    """Whether a token is a word by itself: punctuation, or of a script that puts no spaces between words."""
    return _NO_SPACES.search(part) is not None or not any(map(str.isalnum, part))


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

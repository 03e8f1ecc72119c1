"""Whether a text is in another language than English: a cheap test that would rather miss one than accuse one."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Sequence

FEWEST_WORDS = 5  # of fewer, nothing can be said
PIECES_PER_WORD = 1.5  # of an English tokeniser; English text has some 1.2
_WORDS = re.compile(r"[^\W\d_]+(?:['\u2019][^\W\d_]+)*")
_ENGLISH = """
the an and or but if of to in on at by for with from as is are was were be been it its it's i i'm you he she we they me
my your his her our their this that these those not no don't do does did have has had can could will would should so
very too just than then there here what when who how all any more most out up down about after before into over again
only also because get got great good nice bad
"""
_FUNCTION_WORDS = frozenset(_ENGLISH.split())


def words_of(text: str) -> list[str]:
    """Its words without case, numbers and punctuation."""
    return _WORDS.findall(text.casefold())


def foreign_texts(texts: Sequence[str], pieces: Callable[[Sequence[str]], Sequence[int]]) -> list[bool]:
    """Which texts are written in other letters, or have no common English word and words that the tokeniser knows only
    in pieces. `pieces` gives the number of tokens of each text."""
    words = [words_of(text) for text in texts]
    foreign = [is_other_script(own) for own in words]
    doubtful = [
        i for i, own in enumerate(words)
        if len(own) >= FEWEST_WORDS and not foreign[i] and _FUNCTION_WORDS.isdisjoint(own)
    ]  # fmt: skip
    for i, count in zip(doubtful, pieces([" ".join(words[i]) for i in doubtful]), strict=True):
        foreign[i] = count >= PIECES_PER_WORD * len(words[i])
    return foreign


def is_other_script(words: Sequence[str]) -> bool:
    """Whether most letters are not Latin ones."""
    letters = "".join(words)
    other = sum(not letter.isascii() and not unicodedata.name(letter, "").startswith("LATIN") for letter in letters)
    return 2 * other > len(letters)

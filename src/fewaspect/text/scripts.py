"""Scripts without spaces between words, as ranges for the character classes of regular expressions; words in them."""

from __future__ import annotations

import math
import re

THAI = "\u0e00-\u0e7f"
KANA = "\u3040-\u30ff\u31f0-\u31ff\uff66-\uff9f"
HAN = "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
HANGUL = "\u3131-\u318e\uac00-\ud7a3"  # which has spaces, but not always after a full stop
UNSPACED = f"{THAI}\u0e80-\u0eff\u1000-\u109f\u1780-\u17ff{KANA}{HAN}"  # with Lao, Burmese and Khmer
_UNSPACED = re.compile(f"[{UNSPACED}]+")
_HAN, _KANA = re.compile(f"[{HAN}]"), re.compile(f"[{KANA}]")
_HAN_LETTERS, _KANA_LETTERS, _LETTERS = 1.5, 3, 4  # of a word, about: in Chinese, of Japanese endings, in Thai


def count_words(text: str) -> int:
    """How many words a text has: what stands between spaces, and an estimate for scripts without them."""
    if text.isascii() or not (runs := _UNSPACED.findall(text)):
        return len(text.split())
    letters = "".join(runs)
    han, kana = len(_HAN.findall(letters)), len(_KANA.findall(letters))
    estimate = han / _HAN_LETTERS + kana / _KANA_LETTERS + (len(letters) - han - kana) / _LETTERS
    return math.ceil(estimate) + len(_spaced(text))


def word_set(text: str) -> set[str]:
    """The words of a text; in scripts without spaces, the pairs of letters that stand side by side."""
    if text.isascii() or not (runs := _UNSPACED.findall(text)):
        return set(text.split())
    return {*_spaced(text), *(run[i : i + 2] for run in runs for i in range(max(1, len(run) - 1)))}


def _spaced(text: str) -> list[str]:
    """The words beside those of scripts without spaces."""
    return [word for word in _UNSPACED.sub(" ", text).split() if any(map(str.isalnum, word))]

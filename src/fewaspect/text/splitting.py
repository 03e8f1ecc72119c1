"""Sentence splitting: the character spans of sentences. Between two spans there is only white space."""

# ruff: noqa: RUF001, RUF003  # typographic and full-width punctuation is what this file is about

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Sequence
from itertools import pairwise

from fewaspect.text.abbreviations import is_abbreviation, next_character
from fewaspect.text.scripts import HAN, HANGUL, KANA, THAI

Span = tuple[int, int]  # start and end in a text

_CLOSING = "\"'”’»)\\]}"  # and “ of German, which opens a quotation in Chinese
_WIDE_CLOSING = f"{_CLOSING}」』）》】"
_ALWAYS = "。！？｡؟۔।॥"  # of Chinese, Japanese, Arabic, Urdu, Hindi: they end a sentence, whatever follows
_CJK = f"{KANA}{HAN}{HANGUL}"
# The lookbehinds match a run of dots or spaces from its first on; else a long run would take quadratic time.
_STOP = re.compile(
    rf"(?P<wide>(?:[{_ALWAYS}][{_ALWAYS}!?]*"
    rf"|(?<=[{_CJK}{THAI}])[!?♪♬♫][!?♪♬♫.…]*(?=[{_WIDE_CLOSING}]*\s*[\w「『【《])"  # without a space behind them
    rf"|(?<=[{_CJK}]{{2}})[.．](?=[{_WIDE_CLOSING}]*[{_CJK}「『【《])"
    rf"|(?<=[{_CJK}]{{3}})[.．…][.．…]+(?=[{_WIDE_CLOSING}]*[{_CJK}「『【《]))[{_WIDE_CLOSING}]*)"
    rf"|(?<![.!?…])[.!?…]+[{_CLOSING}“]*(?=\s)|(?<!\s)\s*\n\s*"
)
_CLAUSE = re.compile(r"[,;:、，；،؛]\s*|\s[-–—]\s")
_SPACE = re.compile(r"\s+")
_THAI_SPACE = re.compile(r"(?<=[\u0e01-\u0e4e])\s+(?=[\u0e01-\u0e2e\u0e40-\u0e44])")  # not beside ๆ, numbers, Latin
_THAI_LENGTH, _THAI_REST = 30, 10  # characters of a clause from which a space ends it, and that are left behind it


def sentence_spans(text: str) -> list[Span]:
    """Spans of the sentences of a text, without surrounding white space.

    Abbreviations, initials and numbers do not end a sentence, nor does a line break before a lower-case letter. In a
    text without capitals a full stop is enough. A part without letter or digit, such as an emoji, joins its neighbour.
    """
    cased = any(map(str.isupper, text))
    cuts = [match.end() for match in _STOP.finditer(text) if _ends_sentence(text, match, cased)]
    bounds = [0, *(cut for cut in cuts if cut < len(text)), len(text)]
    spans = [_trimmed(text, start, end) for start, end in pairwise(bounds)]
    joined = _joined(text, [span for span in spans if span[0] < span[1]])
    return joined if text.isascii() else [clause for span in joined for clause in _clauses_of_thai(text, span)]


def fitting_spans(
    texts: Sequence[str], spans: Sequence[Sequence[Span]], too_long: Callable[[list[str]], Sequence[bool]]
) -> list[list[Span]]:
    """The spans of each text, halved again and again until none is too long; `too_long` is asked for many at once."""
    fitting = [list(own) for own in spans]
    pending = [(row, span) for row, own in enumerate(fitting) for span in own]
    while pending:
        flags = too_long([texts[row][start:end] for row, (start, end) in pending])
        long = [(row, span) for (row, span), flag in zip(pending, flags, strict=True) if flag and span[1] - span[0] > 1]
        pending = []
        for row, span in long:
            parts = halves(texts[row], span)
            position = fitting[row].index(span)
            fitting[row][position : position + 1] = parts
            pending += [(row, part) for part in parts]
    return fitting


def grouped_spans(spans: Sequence[Span], lengths: Sequence[int], most: int) -> list[Span]:
    """Neighbours as one span, as long as their lengths sum to at most `most`."""
    groups: list[Span] = []
    total = 0
    for (start, end), length in zip(spans, lengths, strict=True):
        total += length
        if groups and total <= most:
            groups[-1] = (groups[-1][0], end)
        else:
            groups.append((start, end))
            total = length
    return groups


def halves(text: str, span: Span) -> list[Span]:
    """Two spans of about equal length."""
    start, end = span
    cut = _middle_cut(text, start, end)
    parts = [_trimmed(text, start, cut), _trimmed(text, cut, end)]
    return [part for part in parts if part[0] < part[1]]


def _middle_cut(text: str, start: int, end: int) -> int:
    """The end of a clause near the middle, else white space there, else the middle, but not within a grapheme."""
    middle, quarter = (start + end) // 2, (end - start) // 4
    for pattern in (_CLAUSE, _SPACE):
        ends = [match.end() for match in pattern.finditer(text, start + quarter, end - quarter)]
        if cuts := [cut for cut in ends if start < cut < end]:
            return min(cuts, key=lambda cut: abs(cut - middle))
    cut = middle
    while cut < end - 1 and (unicodedata.combining(text[cut]) or text[cut] in "\u200d\ufe0e\ufe0f"):
        cut += 1
    return cut


def _ends_sentence(text: str, match: re.Match[str], cased: bool) -> bool:
    stop = match.group()
    following = next_character(text, match.end())
    goes_on = following.islower() and cased
    if not stop.strip():  # a line end
        return stop.count("\n") > 1 or not goes_on
    if match["wide"]:
        return stop[-1] not in "」』" or following != "と"  # 「最高！」と言った
    if stop[-1] not in ".!?…":  # a closing quote or bracket: the sentence around it may go on
        return not following.islower()
    if "!" in stop or "?" in stop:
        return True
    if stop != ".":  # dots in a row are as often a pause as an end
        return not following.islower()
    return not goes_on and not is_abbreviation(text, match.start())


def _clauses_of_thai(text: str, span: Span) -> list[Span]:
    """Thai has no full stop: a space stands between sentences and clauses."""
    start, end = span
    clauses = []
    for match in _THAI_SPACE.finditer(text, start, end):
        if match.start() - start >= _THAI_LENGTH and end - match.end() >= _THAI_REST:
            clauses.append((start, match.start()))
            start = match.end()
    return [*clauses, (start, end)]


def _joined(text: str, spans: list[Span]) -> list[Span]:
    """Spans without a letter or digit are joined to the one before, or after where there is none before."""
    joined: list[Span] = []
    for start, end in spans:
        if joined and not (_has_word(text, start, end) and _has_word(text, *joined[-1])):
            joined[-1] = (joined[-1][0], end)
        else:
            joined.append((start, end))
    return joined


def _has_word(text: str, start: int, end: int) -> bool:
    return any(map(str.isalnum, text[start:end]))


def _trimmed(text: str, start: int, end: int) -> Span:
    part = text[start:end]
    return start + len(part) - len(part.lstrip()), end - len(part) + len(part.rstrip())

"""Sentence splitting: the character spans of sentences. Between two spans there is only white space."""

# ruff: noqa: RUF001  # typographic and full-width punctuation is what this file is about

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Sequence
from itertools import pairwise

Span = tuple[int, int]  # start and end in a text

_CLOSING = "\"'”’»)\\]}"
_ALWAYS = "。！？｡؟۔।॥"  # of Chinese, Japanese, Arabic, Urdu, Hindi: they end a sentence, whatever follows
# The lookbehinds match a run of dots or spaces from its first on; else a long run would take quadratic time.
_STOP = re.compile(rf"[{_ALWAYS}]+[{_CLOSING}」』）》】]*|(?<![.!?…])[.!?…]+[{_CLOSING}]*(?=\s)|(?<!\s)\s*\n\s*")
_BEFORE = re.compile(r"[^\s(\[\"'“‘]+$")
_DOTTED = re.compile(r"(?:\w\.)+\w", re.ASCII)
_CLAUSE = re.compile(r"[,;:、，；،؛]\s*|\s[-–—]\s")
_SPACE = re.compile(r"\s+")
ABBREVIATIONS = frozenset([
    "approx", "appt", "apt", "ave", "blvd", "capt", "co", "corp", "dept", "dr", "e.g", "eg", "est", "fig",
    "gen", "gov", "i.e", "ie", "inc", "incl", "jr", "lt", "ltd", "mr", "mrs", "ms", "mt", "nr", "prof", "pt",
    "rd", "ref", "rev", "sgt", "sr", "st", "tel", "vs",
])  # fmt: skip
# These also end a sentence, where a word follows: "No. The soup", but "No. 5".
LAST_WORDS = frozenset([
    "a.m", "etc", "hr", "hrs", "max", "min", "no", "oz", "p.m", "pc", "pcs", "sq", "yr", "yrs",
])  # fmt: skip


def sentence_spans(text: str) -> list[Span]:
    """Spans of the sentences of a text, without surrounding white space.

    Abbreviations, initials and numbers do not end a sentence, nor does a line break before a lower-case letter. In a
    text without capitals a full stop is enough. A part without letter or digit, such as an emoji, joins its neighbour.
    """
    cased = any(map(str.isupper, text))
    cuts = [match.end() for match in _STOP.finditer(text) if _ends_sentence(text, match, cased)]
    bounds = [0, *(cut for cut in cuts if cut < len(text)), len(text)]
    spans = [_trimmed(text, start, end) for start, end in pairwise(bounds)]
    return _joined(text, [span for span in spans if span[0] < span[1]])


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
    following = _following(text, match.end())
    goes_on = following.islower() and cased
    if not stop.strip():  # a line end
        return stop.count("\n") > 1 or not goes_on
    if stop[0] in _ALWAYS:
        return True
    if stop[-1] not in ".!?…":  # a closing quote or bracket: the sentence around it may go on
        return not following.islower()
    if "!" in stop or "?" in stop:
        return True
    if stop != ".":  # dots in a row are as often a pause as an end
        return not following.islower()
    before = _BEFORE.search(text, max(0, match.start() - 24), match.start())
    return not goes_on and not _is_abbreviation(text, before, match.start())


def _is_abbreviation(text: str, before: re.Match[str] | None, stop: int) -> bool:
    """Whether the full stop at `stop` belongs to an abbreviation, an initial or the number of a list item."""
    if before is None:
        return False
    word = before.group()
    if word.casefold() in LAST_WORDS:
        return not _following(text, stop + 1).isalpha()
    if word.isdecimal():
        return before.end() < stop or _begins_line(text, before.start())
    initial = len(word) == 1 and word.isupper() and word != "I"
    return initial or word.casefold() in ABBREVIATIONS or _DOTTED.fullmatch(word) is not None


def _begins_line(text: str, position: int) -> bool:
    """Whether only white space precedes this position in its line."""
    while position and text[position - 1] != "\n" and text[position - 1].isspace():
        position -= 1
    return position == 0 or text[position - 1] == "\n"


def _following(text: str, position: int) -> str:
    """The next character that is no white space."""
    space = _SPACE.match(text, position)
    start = space.end() if space else position
    return text[start : start + 1]


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

"""A review as sentences with their places in it. Nothing is lost: between two sentences there is only white space."""

# ruff: noqa: RUF001  # typographic and full-width punctuation is what this file is about

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Sequence
from itertools import pairwise

Span = tuple[int, int]  # start and end of a piece in its text

_CLOSING = "\"'”’»)\\]}"
# Dots and spaces are looked at from their first on, else a row of them would be searched again from each.
_STOP = re.compile(rf"[。！？｡]+[{_CLOSING}」』]*|(?<![.!?…])[.!?…]+[{_CLOSING}]*(?=\s)|(?<!\s)\s*\n\s*")
_FULL_WIDTH = frozenset("。！？｡")
_BEFORE = re.compile(r"[^\s(\[\"'“‘]+$")
_DOTTED = re.compile(r"(?:\w\.)+\w", re.ASCII)
_CLAUSE = re.compile(r"[,;:、，；]\s*|\s[-–—]\s")
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
    """Where the sentences of a text stand, without the white space around them; no span if there is nothing else.

    Abbreviations, initials and numbers do not end a sentence, nor does a line that goes on in lower case. In a text
    without any capitals a full stop is enough. What has no letter or digit, such as an emoji, stays with its neighbour.
    """
    cased = any(map(str.isupper, text))
    cuts = [match.end() for match in _STOP.finditer(text) if _ends_sentence(text, match, cased)]
    bounds = [0, *(cut for cut in cuts if cut < len(text)), len(text)]
    spans = [_trimmed(text, start, end) for start, end in pairwise(bounds)]
    return _joined(text, [span for span in spans if span[0] < span[1]])


def fitting_spans(
    texts: Sequence[str], spans: Sequence[Sequence[Span]], too_long: Callable[[list[str]], Sequence[bool]]
) -> list[list[Span]]:
    """The spans of each text, those that are too long in halves, and again, until all fit; a half ends where it can."""
    fitting = [list(own) for own in spans]
    waiting = [(row, span) for row, own in enumerate(fitting) for span in own]
    while waiting:
        cut = too_long([texts[row][start:end] for row, (start, end) in waiting])
        long = [where for where, is_long in zip(waiting, cut, strict=True) if is_long and _splittable(where[1])]
        waiting = []
        for row, span in long:
            parts = halves(texts[row], span)
            place = fitting[row].index(span)
            fitting[row][place : place + 1] = parts
            waiting += [(row, part) for part in parts]
    return fitting


def halves(text: str, span: Span) -> list[Span]:
    """Two parts of about equal length, cut behind a clause, else at white space, else anywhere but inside a letter."""
    start, end = span
    middle, quarter = (start + end) // 2, (end - start) // 4
    cut = middle
    for pattern in (_CLAUSE, _SPACE):
        ends = [match.end() for match in pattern.finditer(text, start + quarter, end - quarter)]
        if places := [place for place in ends if start < place < end]:
            cut = min(places, key=lambda place: abs(place - middle))
            break
    else:
        while cut < end - 1 and (unicodedata.combining(text[cut]) or text[cut] in "\u200d\ufe0e\ufe0f"):
            cut += 1
    parts = [_trimmed(text, start, cut), _trimmed(text, cut, end)]
    return [part for part in parts if part[0] < part[1]]


def _ends_sentence(text: str, match: re.Match[str], cased: bool) -> bool:
    stop = match.group()
    following = _following(text, match.end())
    goes_on = following.islower() and cased
    if not stop.strip():  # a line end
        return stop.count("\n") > 1 or not goes_on
    if stop[0] in _FULL_WIDTH:
        return True
    if stop[-1] not in ".!?…":  # a closing quote or bracket: the sentence around it may go on
        return not following.islower()
    if "!" in stop or "?" in stop:
        return True
    if stop != ".":  # dots in a row are as often a pause as an end
        return not following.islower()
    before = _BEFORE.search(text, max(0, match.start() - 24), match.start())
    return not goes_on and not _is_short(text, before, match.start())


def _is_short(text: str, before: re.Match[str] | None, stop: int) -> bool:
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


def _begins_line(text: str, place: int) -> bool:
    """Whether only white space stands before this place in its line."""
    while place and text[place - 1] != "\n" and text[place - 1].isspace():
        place -= 1
    return place == 0 or text[place - 1] == "\n"


def _following(text: str, place: int) -> str:
    """The next letter that is no white space."""
    space = _SPACE.match(text, place)
    start = space.end() if space else place
    return text[start : start + 1]


def _joined(text: str, spans: list[Span]) -> list[Span]:
    """Spans without a letter or digit are added to the one before, the first to the one behind."""
    joined: list[Span] = []
    for start, end in spans:
        if joined and not (_speaks(text, start, end) and _speaks(text, *joined[-1])):
            joined[-1] = (joined[-1][0], end)
        else:
            joined.append((start, end))
    return joined


def _speaks(text: str, start: int, end: int) -> bool:
    return any(map(str.isalnum, text[start:end]))


def _trimmed(text: str, start: int, end: int) -> Span:
    part = text[start:end]
    return start + len(part) - len(part.lstrip()), end - len(part) + len(part.rstrip())


def _splittable(span: Span) -> bool:
    return span[1] - span[0] > 1

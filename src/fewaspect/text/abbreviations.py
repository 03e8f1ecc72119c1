"""Abbreviations of English and other languages, initials and ordinals: full stops that end no sentence."""

# ruff: noqa: RUF001, RUF003  # Cyrillic letters and typographic punctuation are meant

from __future__ import annotations

import re

_ENGLISH = frozenset([
    "approx", "appt", "apt", "ave", "blvd", "capt", "co", "corp", "dept", "dr", "e.g", "eg", "est", "fig",
    "gen", "gov", "i.e", "ie", "inc", "incl", "jr", "lt", "ltd", "mr", "mrs", "ms", "mt", "nr", "prof", "pt",
    "rd", "ref", "rev", "sgt", "sr", "st", "tel", "vs",
])  # fmt: skip
_BY_LANGUAGE = {  # such as no English sentence ends with; capitals alone are something else: "CAD"
    "de": "abzgl bspw bzgl bzw evtl exkl geb ggf inkl str vgl zzgl",
    "es": "aprox avda dña dra núm pág sra sras sres srta Ud Uds",
    "fr": "boul tél éd",
    "it": "dott egr geom sig sigg",
    "nl": "bijv blz dhr evt mevr mw resp vlgs",
    "pl": "godz mgr np pl tzn tzw ul woj św",
    "pt": "apto avª exma exmo",
    "ru": "бул г д корп наб напр пер пл пр просп стр тел ул",
    "tr": "bkz cad doç sok yrd",
}
_OTHERS = frozenset(" ".join(_BY_LANGUAGE.values()).split())
# These also end a sentence, where a word follows: "No. The soup", but "No. 5".
_LAST_WORDS = frozenset([
    "a.m", "etc", "hr", "hrs", "max", "min", "no", "oz", "p.m", "pc", "pcs", "sq", "yr", "yrs", "т.д", "т.п",
])  # fmt: skip
_BEFORE_NUMBERS = frozenset(["ca", "env", "ок"])  # "ca. 10 qm"
_AFTER_NUMBERS = frozenset(["г", "д", "стр"])  # they end a sentence: "в 2019 г. Отель", but "г. Сочи"
_WORD = re.compile(r"[^\s(\[\"'“‘„«¿¡]+$")
_DOTTED = re.compile(r"(?:[\w\u0400-\u04ff\u0e01-\u0e2e]\.)+[\w\u0400-\u04ff\u0e01-\u0e2e]", re.ASCII)
_LETTER = re.compile(r"\s[A-ZÄÖÜ]\.(?!\w)")  # "z. B."
_SPACE = re.compile(r"\s+")
_NUMBER = re.compile(r"\d\s*$")
_ORDINAL = re.compile(r"\b(?:a[bm]|beim|bis|d(?:as|e[mnrs]|ie)|i[mn]s?|seit|vom|zum|zur)\s$", re.IGNORECASE)
_ORDERED = re.compile(  # "am 3. Mai", "im 2. Stock"
    r"\s(?:Jan|Feb|März|Apr|Mai|Jun|Jul|Aug|Sep|Okt|Nov|Dez|Stock|Etage|Obergesch|OG|UG|Mal|Tag|Nacht|Woche)"
)


def is_abbreviation(text: str, stop: int) -> bool:
    """Whether the full stop at `stop` belongs to an abbreviation, an initial, an ordinal or the number of an item."""
    before = _WORD.search(text, max(0, stop - 24), stop)
    if before is None:
        return False
    word, start = before.group(), before.start()
    folded, following = word.casefold(), next_character(text, stop + 1)
    if folded in _LAST_WORDS:
        return not following.isalpha()
    if folded in _BEFORE_NUMBERS:
        return following.isdecimal()
    if word.isdecimal():
        return before.end() < stop or _begins_line(text, start) or _is_ordinal(text, start, stop)
    return _is_initial(text, word, stop) or _is_listed(text, word, start) or _DOTTED.fullmatch(word) is not None


def next_character(text: str, position: int) -> str:
    """That is no white space."""
    space = _SPACE.match(text, position)
    start = space.end() if space else position
    return text[start : start + 1]


def _is_initial(text: str, word: str, stop: int) -> bool:
    if len(word) != 1 or word == "I":
        return False
    return word.isupper() or (word.islower() and _LETTER.match(text, stop + 1) is not None)


def _is_listed(text: str, word: str, start: int) -> bool:
    if word.casefold() in _ENGLISH:
        return True
    if word in _AFTER_NUMBERS and _NUMBER.search(text, max(0, start - 8), start):
        return False
    return word in _OTHERS or word[0].lower() + word[1:] in _OTHERS


def _is_ordinal(text: str, start: int, stop: int) -> bool:
    return bool(_ORDINAL.search(text, max(0, start - 8), start) and _ORDERED.match(text, stop + 1))


def _begins_line(text: str, position: int) -> bool:
    """Whether only white space precedes this position in its line."""
    while position and text[position - 1] != "\n" and text[position - 1].isspace():
        position -= 1
    return position == 0 or text[position - 1] == "\n"

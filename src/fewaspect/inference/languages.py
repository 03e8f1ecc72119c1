"""What is said of texts in languages that a model does not read."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from functools import cache
from typing import Protocol

from fewaspect.inference.encoder import NAMED, SHIPPED, read_metadata
from fewaspect.text.foreign import is_other_script, words_of
from fewaspect.text.language import OTHER_SCRIPTS, UNKNOWN, language_name, language_of

OTHERS = "multilingual"  # the model for other languages
FEWEST, LEAST_SHARE = 3, 0.05  # so many texts of a language, or such a share: single ones may be told wrongly


class Reader(Protocol):
    """What is needed of a model."""

    @property
    def name(self) -> str | None: ...

    @property
    def languages(self) -> Collection[str] | None: ...


def languages_in(texts: Iterable[str]) -> Counter[str]:
    """How many texts are in each language, by its code."""
    return Counter(map(language_of, texts))


def unread_languages(reads: Collection[str] | None, counts: Mapping[str, int]) -> dict[str, int]:
    """Of texts by language, those that a model which reads these was not made for, the most frequent first; none if it
    is not known what it reads."""
    least, by_count = min(FEWEST, LEAST_SHARE * sum(counts.values())), sorted(counts.items(), key=lambda own: -own[1])
    unread = [] if reads is None else [own for own in by_count if own[0] not in (UNKNOWN, *reads)]
    return {code: count for code, count in unread if count >= least}


def is_unread(reads: Collection[str] | None, text: str) -> bool:
    """Whether a text is in a language that a model was not made for; of a doubtful one, only its letters may tell."""
    if reads is None:
        return False
    if (code := language_of(text)) != UNKNOWN:
        return code not in reads
    return OTHER_SCRIPTS.isdisjoint(reads) and is_other_script(words_of(text))


def unread_remark(model: Reader, counts: Mapping[str, int], what: str, remedy: str = "--model {}") -> str | None:
    """ "312 of 5,000 reviews are in German, which this model does not read: --model multilingual"; None if it reads
    all. `remedy`: how another model is chosen, with {} for its name."""
    unread = unread_languages(model.languages, counts)
    if not unread:
        return None
    number, total = sum(unread.values()), sum(counts.values())
    named = [language_name(code) + (f" ({count:,})" if len(unread) > 1 else "") for code, count in unread.items()]
    listed = " and ".join([", ".join(named[:-1]), named[-1]] if len(named) > 1 else named)
    verb = "is" if number == 1 else "are"
    other = model_for(model.name, unread)
    told = f": {remedy.format(other)}" if other else ""
    return f"{number:,} of {total:,} {what} {verb} in {listed}, which this model does not read{told}"


def unread_remarks(model: Reader, examples: Iterable[str], texts: Iterable[str]) -> list[str]:
    """In the words of Python."""
    given = (("examples", examples), ("texts", texts))
    remarks = [unread_remark(model, languages_in(own), what, 'model="{}"') for what, own in given]
    return [remark for remark in remarks if remark]


def model_for(name: str | None, unread: Iterable[str]) -> str | None:
    """The name of another model that reads at least one of these languages; None if there is none."""
    return OTHERS if name != OTHERS and set(unread) & set(languages_of(OTHERS)) else None


@cache
def languages_of(name: str | None) -> tuple[str, ...]:
    """Those that a model was made for, by its name, or the English one; it is not loaded."""
    return tuple(map(str, read_metadata(NAMED[name] if name else SHIPPED)["languages"]))

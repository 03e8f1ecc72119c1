"""What a group of sentences is about, in their own words: telling words and a short name."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence

import numpy as np

from fewaspect.core.extras import require
from fewaspect.text.unspaced_words import (
    HAN_KANA,
    PLAIN,
    THAI_MARKS,
    fewest_letters,
    parts_of,
    said_by_longer,
    unspaced_words,
    without_spaces,
)

WORDS = 8  # that describe a group
CANDIDATES = 20  # words and pairs of words among which a name is chosen
FEWEST_SENTENCES = 2  # that a telling word occurs in
PAIR_SHARE = 0.5  # of the occurrences of each of its words, that a pair of words has at least
_LETTERS = rf"(?:[^\W\d_]|[{THAI_MARKS}])+"
_WORD = re.compile(rf"{_LETTERS}(?:['-]{_LETTERS})*")
_ADDRESS = re.compile(r"(?:https?://|www\.|[@#])\S+")  # web addresses, names and tags of posts
_CLITIC = re.compile(r"'(?:s|re|ve|ll|d|m|em)$")
_PLAIN = frozenset(  # words that praise, blame or merely tell: no reader takes one for the name of an aspect
    """
    absolutely actually amazing awesome awful bad best better big bit came come did didn't doesn't doing don't done
    enjoyed especially excellent extremely fantastic far feel felt fine gave getting give given gives giving going gone
    good got great happy hate hated horrible isn't it's know left like liked little long look looking looks lot lots
    love loved make makes making maybe need needed needs new nice old ok okay perfect pretty probably quite really
    recommend right said say saying says seem seems simply sure taken takes tell terrible thank thanks thing things
    think thought told took totally tried try trying use used using want wanted wants wasn't way went whole wonderful
    won't worse worst wouldn't year years yes you're can't couldn't i'm i've aren't haven't hasn't hadn't shouldn't
    definitely completely highly easily just always ever today day days week weeks month months hour hours time times
    people person guy guys stuff kind sort able goes let lets work works working worked decent poor cool super
    bullshit crap damn fuck fucked fucking hell lol omg pathetic shit suck sucks wow wtf yeah
    """.split()  # noqa: SIM905
)


def phrases(text: str, common: frozenset[str]) -> list[str]:
    """The words of a text that are not common, and the pairs of them that stand side by side, in lower case."""
    before, end = "", -1
    text = _ADDRESS.sub(" | ", text.replace("\u2019", "'"))
    found = [word for word in unspaced_words(text) if word not in common]
    text = HAN_KANA.sub(" | ", text)
    for match in _WORD.finditer(text):
        word = _CLITIC.sub("", match.group().casefold())
        telling = len(word) >= fewest_letters(word) and word not in common and match.group().casefold() not in common
        if telling:
            found.append(word)
            if before and text[end : match.start()].isspace() and before != word:
                found.append(f"{before} {word}")
        before, end = word if telling else "", match.end()
    return found


def common_words() -> frozenset[str]:
    """Stop words, and words that say nothing of what a sentence is about."""
    return require("sklearn.feature_extraction.text", "discover", "Discovery").ENGLISH_STOP_WORDS | _PLAIN | PLAIN


def tells(sentences: Sequence[str]) -> np.ndarray:
    """(S,) whether a sentence has a word that says what it is about."""
    common = common_words()
    return np.array([bool(phrases(sentence, common)) for sentence in sentences], dtype=bool)


def telling_words(sentences: Sequence[str], groups: np.ndarray, count: int) -> list[dict[str, float]]:
    """For each group its `CANDIDATES` by class-based TF-IDF, best first; weights relative to the best (Grootendorst
    2022). `groups`, (S,), is -1 for sentences of no group, which count as one more class."""
    common = common_words()
    own = [Counter[str]() for _ in range(count + 1)]
    in_sentences = [Counter[str]() for _ in range(count + 1)]
    for sentence, group in zip(sentences, groups.tolist(), strict=True):
        found = phrases(sentence, common)
        own[group].update(found)
        in_sentences[group].update(set(found))
    totals: Counter[str] = sum(own, Counter())
    average = sum(totals.values()) / len(own)
    result = []
    for group in range(count):
        size = max(sum(own[group].values()), 1)
        weights = {
            word: number / size * float(np.log1p(average / totals[word]))
            for word, number in own[group].items()
            if in_sentences[group][word] >= FEWEST_SENTENCES
            and all(number >= PAIR_SHARE * own[group][part] for part in parts_of(word))
        }
        for word in said_by_longer(own[group], list(weights)):
            weights.pop(word, None)
        best = sorted(weights, key=lambda word: (-weights[word], word))[:CANDIDATES]
        result.append({without_spaces(word): weights[word] / weights[best[0]] for word in best})
    return result


def choose_names(
    words: Sequence[dict[str, float]], centres: np.ndarray, encode: Callable[[Sequence[str]], np.ndarray],
    taken: Iterable[str],
) -> list[str]:  # fmt: skip
    """A name for each group: telling, and near its centre; none twice, and none that is `taken`.

    `encode` gives (words, d) vectors that can be compared with the (G, d) centres.
    """
    candidates = list(dict.fromkeys(word for own in words for word in own))
    places = {word: row for row, word in enumerate(candidates)}
    vectors = encode(candidates)
    used = {_stem(name) for name in taken}
    names = []
    for number, (own, centre) in enumerate(zip(words, centres, strict=True), start=1):
        value = {word: weight * max(float(vectors[places[word]] @ centre), 0.0) for word, weight in own.items()}
        free = [word for word in own if _stem(word) not in used]
        name = max(free, key=lambda word: (value[word], word), default="")
        while not name or _stem(name) in used:
            name, number = f"group {number}", number + 1
        names.append(name)
        used.add(_stem(name))
    return names


def _stem(name: str) -> str:
    """Equal for names that differ in case, spacing or a plural."""
    return " ".join(word.removesuffix("s") for word in re.split(r"[\s_-]+", name.casefold().strip()))

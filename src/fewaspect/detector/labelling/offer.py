"""Which texts may be offered for labelling: each once, none labelled or skipped, no fragment, no foreign one."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from fewaspect.text.foreign import foreign_texts, is_other_script, words_of
from fewaspect.text.identity import example_identity

FEWEST_WORDS = 3
MOST_FOREIGN = 0.5  # share of the texts; above it they are of another language, and offered all the same


def offered(
    texts: Sequence[str], examples: Iterable[str], skip: Iterable[str], pieces: Callable[[Sequence[str]], Sequence[int]]
) -> list[int]:
    """Their numbers. Texts that differ in case, spacing, punctuation and digits alone are the same; of these the first
    is offered. Fragments are offered where there is nothing else. `pieces`: how many tokens texts have."""
    seen = {_key(text) for text in (*examples, *skip)}
    found = []
    for number, text in enumerate(texts):
        if (key := _key(text)) not in seen:
            seen.add(key)
            found.append(number)
    foreign = foreign_texts([texts[number] for number in found], pieces)
    if sum(foreign) <= MOST_FOREIGN * len(found):
        found = [number for number, other in zip(found, foreign, strict=True) if not other]
    return [number for number in found if not _is_fragment(texts[number])] or found


def _is_fragment(text: str) -> bool:
    words = words_of(text)
    return len(words) < FEWEST_WORDS and not is_other_script(words)  # some scripts have no spaces


def _key(text: str) -> str:
    """Equal for near-duplicates; a text without a word is only the same as itself."""
    return " ".join(words_of(text)) or example_identity(text)

"""Which texts may be offered for labelling: each once, none labelled or skipped, no fragment, no foreign one."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING

from fewaspect.inference.languages import is_unread
from fewaspect.text.foreign import foreign_texts, is_other_script, words_of
from fewaspect.text.identity import example_identity

if TYPE_CHECKING:
    from fewaspect.detector.model import InferenceModel

FEWEST_WORDS = 3
MOST_FOREIGN = 0.5  # share of the texts; above it they are of another language, and offered all the same


def offered(
    texts: Sequence[str], examples: Iterable[str], skip: Iterable[str], foreign: Callable[[Sequence[str]], list[bool]]
) -> list[int]:
    """Their numbers. Texts that differ in case, spacing, punctuation and digits alone are the same; of these the first
    is offered. Fragments are offered where there is nothing else. `foreign`: which texts are in another language."""
    seen = {_key(text) for text in (*examples, *skip)}
    found = []
    for number, text in enumerate(texts):
        if (key := _key(text)) not in seen:
            seen.add(key)
            found.append(number)
    others = foreign([texts[number] for number in found])
    if sum(others) <= MOST_FOREIGN * len(found):
        found = [number for number, other in zip(found, others, strict=True) if not other]
    return [number for number in found if not _is_fragment(texts[number])] or found


def foreign_to(model: InferenceModel, texts: Sequence[str]) -> list[bool]:
    """Which texts a model does not read; one that reads English, or has not said what, by a cheaper test."""
    reads = model.languages
    if reads is None or tuple(reads) == ("en",):
        return foreign_texts(texts, model.encoder.tokeniser.pieces)
    return [is_unread(reads, text) for text in texts]


def _is_fragment(text: str) -> bool:
    words = words_of(text)
    return len(words) < FEWEST_WORDS and not is_other_script(words)  # some scripts have no spaces


def _key(text: str) -> str:
    """Equal for near-duplicates; a text without a word is only the same as itself."""
    return " ".join(words_of(text)) or example_identity(text)

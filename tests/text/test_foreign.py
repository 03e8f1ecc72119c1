"""Other languages than English are told apart, and English is not accused."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from fewaspect.detector.model import load_model
from fewaspect.text.foreign import foreign_texts, words_of


def pieces(texts: Sequence[str]) -> list[int]:
    return load_model().encoder.tokeniser.pieces(texts)


@pytest.mark.parametrize(
    "text",
    [
        "Das Essen war kalt und der Kellner unfreundlich.",
        "La chambre était très petite et bruyante.",
        "El personal fue muy amable con nosotros.",
        "Il cibo era freddo e il servizio lento.",
        "Еда была холодной",
        "食べ物は冷たかった",
    ],
)
def test_other_languages_are_told_apart(text: str) -> None:
    assert foreign_texts([text], pieces) == [True]


@pytest.mark.parametrize(
    "text",
    [
        "The crème brûlée at Café Zoë was superb",
        "Great phone, bad battery",
        "Bluetooth headphones disconnect constantly",
        "wow",
        "12.50 $",
        "",
    ],
)
def test_english_is_not_accused(text: str) -> None:
    assert foreign_texts([text], pieces) == [False]


def test_words_are_without_case_numbers_and_punctuation() -> None:
    assert words_of("It's 5 o'clock, WOW!!!") == ["it's", "o'clock", "wow"]

"""The language of a text is told, or left open where it is short or doubtful."""

from __future__ import annotations

import subprocess
import sys

import pytest

from fewaspect.text.language import UNKNOWN, language_of


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("Das Frühstück war kalt, der Kellner unfreundlich.", "de"),
        ("La chambre était très petite et bruyante.", "fr"),
        ("La habitación era pequeña y el personal muy amable.", "es"),
        ("De kamer was vies en het ontbijt koud.", "nl"),
        ("Номер был грязный, завтрак был холодным.", "ru"),
        ("朝食がとても美味しかったです。", "ja"),
        ("停车场很小早餐也不好吃。", "zh"),
        ("직원들이 매우 친절했습니다.", "ko"),
        ("الطعام لذيذ جدا والخدمة ممتازة", "ar"),
        ("อาหารเช้าอร่อยมาก", "th"),
        ("The crème brûlée at Café Zoë was superb and they knew it.", "en"),
        ("Bluetooth headphones disconnect constantly after the update", "en"),
    ],
)
def test_the_language_of_a_sentence_is_told(text: str, code: str) -> None:
    assert language_of(text) == code


@pytest.mark.parametrize("text", ["", "wow", "12.50 $", "Great phone, battery", "Super Hotel!", "👍👍", "日本"])
def test_of_a_few_words_nothing_is_said(text: str) -> None:
    assert language_of(text) == UNKNOWN


def test_english_is_told_without_loading_the_classifier() -> None:
    asked = "import sys; from fewaspect.text.language import language_of; print(language_of(sys.argv[1]), *sys.modules)"
    text = "The room was clean and they were friendly."
    told, *modules = subprocess.run(
        [sys.executable, "-c", asked, text], capture_output=True, text=True, check=True
    ).stdout.split()
    assert told == "en"
    assert "py3langid" not in modules


def test_a_book_costs_no_more_than_its_beginning() -> None:
    assert language_of("Das Zimmer war schmutzig und laut. " * 100_000) == "de"

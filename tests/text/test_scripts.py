"""Words are counted in scripts without spaces too."""

# ruff: noqa: RUF001  # full-width punctuation is meant

from __future__ import annotations

import pytest

from fewaspect.text.scripts import count_words, word_set


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("The soup — was cold.", 5),
        ("Das Frühstück war kalt.", 4),
        ("房间很干净！", 4),  # 房间 很 干净
        ("服务员的态度非常好，WiFi 也很快。", 9),  # 服务员 的 态度 非常 好 WiFi 也 很 快
        ("朝食がとても美味しかったです。", 6),  # 朝食 が とても 美味しかった です
        ("อาหารเช้าอร่อยมาก", 5),  # อาหาร เช้า อร่อย มาก
        ("방이 깨끗하고 좋았어요.", 3),
        ("", 0),
    ],
)
def test_words_are_counted_about_right_in_any_script(text: str, words: int) -> None:
    assert count_words(text) == words


def test_texts_that_share_words_share_some_of_their_set() -> None:
    assert word_set("the soup was cold") == {"the", "soup", "was", "cold"}
    assert word_set("早餐很好 ok！") == {"早餐", "餐很", "很好", "ok！"}
    assert not word_set("早餐很好") & word_set("房间干净")

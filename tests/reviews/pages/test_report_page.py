"""The report counts aspects and pairs, and shows for each aspect sentences that differ."""

from __future__ import annotations

import html
import re
from pathlib import Path

import pytest

from fewaspect.reviews.pages.report_page import Candidates, different, render_report
from fewaspect.reviews.pipeline import Summary
from keyword_detector import KeywordDetector

REVIEWS = [
    "The soup was cold and salty. The waiter was kind to all of us.",
    "A waiter spilled the <soup> & laughed about it.",
    "We had to leave early because of a storm.",
    "The soup was cold and salty.",
    "Soup.",
] * 5


def report(reviews: list[str] = REVIEWS, detector: KeywordDetector | None = None) -> str:
    detector = detector or KeywordDetector()
    summary, candidates = Summary(tuple(detector.classes_)), Candidates()
    analyses = detector.analyze_many(reviews, words=False)
    summary.add(analyses)
    candidates.add(analyses)
    return render_report(detector, summary, candidates, "My <reviews>")


def plain(page: str) -> str:
    return html.unescape(" ".join(re.sub(r"<(style).*?</\1>|<[^>]+>", " ", page, flags=re.DOTALL).split()))


def test_it_says_how_often_each_aspect_occurs_and_how_many_reviews_have_none() -> None:
    text = plain(report())
    for expected in ("25 reviews", "30 sentences", "20 % without any aspect", "food 20 80.0 %", "service 10 40.0 %"):
        assert expected in text
    assert "none of these 5 20.0 %" in text


def test_it_says_what_occurs_together() -> None:
    page = report()
    assert 'title="food and service: 10 reviews">50</td>' in page
    assert 'title="service and food: 10 reviews">100</td>' in page
    assert "price &amp; value and" not in page, "an aspect that never occurs has no row"
    assert "service meet 1.2 times as often as by chance, in 10 reviews" in plain(report())


def test_it_shows_sentences_of_each_aspect_once_with_their_words_marked() -> None:
    page = report()
    assert re.search(r'The <mark style="--h: \d+" title="food">soup</mark> was cold and salty\.', page)
    assert re.search(r'The <mark style="--h: \d+" title="service">waiter</mark> was kind', page)
    assert plain(page).count("was cold and salty.") == 1
    assert "Soup." not in plain(page), "a word alone shows nothing"
    assert plain(page).count("We had to leave early because of a storm.") == 1


def test_markup_is_shown_as_text_and_nothing_comes_from_outside() -> None:
    page = report()
    assert "<soup>" not in page
    assert "<reviews>" not in page
    assert not re.search(r"(src|href)\s*=|url\(|@import|https?:|<script", page)


def test_words_are_explained_only_for_the_sentences_shown() -> None:
    detector = KeywordDetector()
    report([f"The soup number {i} tasted of {i * 7} different {i * 3} spices." for i in range(200)], detector)
    assert [len(asked) for asked in detector.asked] == [200, 4]


@pytest.mark.parametrize("reviews", [["We left early and were glad of it."], [""]])
def test_it_can_be_made_where_nothing_is_found(reviews: list[str]) -> None:
    assert "100 % without any aspect" in plain(report(reviews))


def test_candidates_stay_few_and_hold_the_most_probable() -> None:
    from types import SimpleNamespace

    candidates = Candidates()
    for i in range(500):
        text = f"sentence of number {i}"
        found = SimpleNamespace(text=text, aspects=("food",), probabilities={"food": i / 500})
        nothing = SimpleNamespace(text=f"nothing in number {i}", aspects=(), probabilities={"food": 0.0})
        candidates.add([SimpleNamespace(sentences=(found, found, nothing))])
    kept = sorted(text for *_, text in candidates.best["food"])
    assert kept == [f"sentence of number {i}" for i in range(468, 500)]
    without = candidates.without.sentences()
    assert len(without) == 32
    assert any(int(text.split()[-1]) > 100 for text in without), "late ones have their chance"


def test_chosen_sentences_differ_in_their_words() -> None:
    texts = ["the soup was cold", "The soup was very cold", "a waiter spilled it", "no wine at all"]
    assert different(texts, 2) == ["the soup was cold", "a waiter spilled it"]
    assert different(["早餐很好吃", "早餐很好吃的", "房间很干净"], 2) == ["早餐很好吃", "房间很干净"]


def test_a_page_can_be_read_from_a_file_in_any_language(tmp_path: Path) -> None:
    (tmp_path / "page.html").write_text(report(["Der Kellner: „soup“ war köstlich 🍜 今日も."]), encoding="utf-8")
    assert "köstlich 🍜 今日も" in (tmp_path / "page.html").read_text(encoding="utf-8")

"""What sentences think of their aspects, at the page."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from page_actions import add_aspect, import_reviews, new_project

pytestmark = pytest.mark.slow
DISHES = ("soup", "pizza", "pasta", "fish")
REVIEWS = [
    *((f"The {dish} was awful.", 1, f"2024-01-{n:02}") for n, dish in enumerate(DISHES, 10)),
    *((f"The {dish} was delicious.", 5, f"2024-02-{n:02}") for n, dish in enumerate(DISHES, 10)),
    ("The waiter was lovely, but the soup was disgusting.", 3, "2024-02-20"),
    ("We went on Monday.", 3, "2024-02-21"),
]


@pytest.fixture
def rated(page: Any, tmp_path: Path) -> Any:
    """The page with a project of its own: two aspects, ten reviews with stars and dates."""
    new_project(page, f"Rated {tmp_path.name}")
    add_aspect(page, "food", ["the soup was cold", "good pizza"])
    add_aspect(page, "staff", ["a rude waiter", "the waitress was kind"])
    rows = "".join(f'"{text}",{stars},{day}\n' for text, stars, day in REVIEWS)
    (tmp_path / "reviews.csv").write_text(f"text,stars,date\n{rows}")
    import_reviews(page, tmp_path / "reviews.csv")
    page.locator("article.sentence .polarity").first.wait_for()
    return page


def card(page: Any, text: str) -> Any:
    return page.locator("article.sentence", has=page.locator(".text", has_text=re.compile(f"^{re.escape(text)}$")))


def mark(page: Any, text: str, aspect: str = "food") -> Any:
    return card(page, text).get_by_role("button", name=re.compile(f"about {aspect}.*Change it"))


def test_chips_say_what_is_thought_by_a_sign_and_in_words(rated: Any, shoot: Callable[[str], None]) -> None:
    bad, good = mark(rated, "The soup was awful."), mark(rated, "The soup was delicious.")
    assert (bad.inner_text(), bad.get_attribute("aria-label")) == ("\u2212", "negative about food. Change it")
    assert (good.inner_text(), good.get_attribute("aria-label")) == ("+", "positive about food. Change it")
    shoot("sentiment-chips")


def test_a_correction_by_mouse_and_by_key_is_kept_and_undone(rated: Any, shoot: Callable[[str], None]) -> None:
    text = "The pasta was awful."
    mark(rated, text).click()
    shoot("sentiment-menu")
    rated.get_by_role("menuitemradio", name="neutral").click()
    card(rated, text).locator(".polarity.own").get_by_text("○").wait_for()
    rated.get_by_role("button", name=re.compile('^Undo: "The pasta was awful." is neutral about')).wait_for()
    rated.reload()
    card(rated, text).locator(".polarity.own").get_by_text("○").wait_for()
    card(rated, text).click()
    rated.keyboard.press("+")
    card(rated, text).locator(".polarity.own").get_by_text("+").wait_for()
    rated.get_by_role("button", name=re.compile("is positive about")).wait_for()
    rated.keyboard.press("u")
    card(rated, text).locator(".polarity.own").get_by_text("○").wait_for()
    rated.keyboard.press("u")
    card(rated, text).locator(".polarity:not(.own)").get_by_text("\u2212").wait_for()
    rated.keyboard.press("?")
    rated.get_by_role("dialog").get_by_text("negative or positive about its first aspect").wait_for()


def test_the_list_is_narrowed_to_an_opinion_and_a_link_shows_it_again(rated: Any) -> None:
    rated.get_by_role("combobox", name="Opinion").select_option("negative")
    card(rated, "The soup was delicious.").wait_for(state="detached")
    card(rated, "The soup was awful.").wait_for()
    assert "sentiment=negative" in rated.url
    rated.reload()
    card(rated, "The soup was awful.").wait_for()
    assert rated.get_by_role("combobox", name="Opinion").input_value() == "negative"
    rated.get_by_role("button", name="Show all sentences").click()
    card(rated, "The soup was delicious.").wait_for()


def test_the_dashboard_says_what_they_think_and_leads_to_the_sentences(
    rated: Any, shoot: Callable[[str], None]
) -> None:
    rated.get_by_role("tab", name="Dashboard").click()
    panel = rated.get_by_role("region", name="What they think of it")
    food = panel.locator("article", has_text="food").first
    food.get_by_role("button", name=re.compile(r"4 positive")).wait_for()
    food.get_by_text("where reviews complain about it").wait_for()
    food.get_by_role("button", name=re.compile(r"2024-01.*negative about food")).first.wait_for(state="attached")
    panel.scroll_into_view_if_needed()
    shoot("sentiment-dashboard")
    food.get_by_role("button", name=re.compile(r"4 positive")).click()
    card(rated, "The soup was delicious.").wait_for()
    rated.locator(".filter-line", has_text=re.compile("4 sentences.*food.*positive")).wait_for()


def test_it_can_be_switched_off_and_on(rated: Any) -> None:
    rated.get_by_role("tab", name="Dashboard").click()
    panel = rated.get_by_role("region", name="What they think of it")
    panel.get_by_role("button", name="Switch off").click()
    panel.get_by_role("button", name="Tell what they think").wait_for()
    rated.get_by_role("tab", name="Reviews").click()
    rated.locator("article.sentence .chip").first.wait_for()
    assert rated.locator(".polarity").count() == 0
    rated.get_by_role("tab", name="Dashboard").click()
    panel.get_by_role("button", name="Tell what they think").click()
    panel.get_by_role("button", name=re.compile(r"4 positive")).wait_for()


@pytest.mark.parametrize("page", [{"width": 390, "scheme": "dark"}], indirect=True)
def test_it_fits_a_phone(page: Any, shoot: Callable[[str], None]) -> None:
    page.locator("article.sentence .polarity").first.wait_for()
    shoot("sentiment-phone")
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    page.get_by_role("tab", name="Dashboard").click()
    panel = page.get_by_role("region", name="What they think of it")
    panel.locator("article").first.wait_for()
    panel.scroll_into_view_if_needed()
    shoot("sentiment-phone-dashboard")
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")

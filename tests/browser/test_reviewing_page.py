"""Reviewing faster: similar sentences, the most certain first, a page accepted at once; and help for newcomers."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest

from page_actions import visit
from page_looks import LOOKS, nothing_is_wrong

pytestmark = pytest.mark.slow


def test_a_page_is_accepted_at_once_and_one_undo_takes_it_back(page: Any) -> None:
    page.locator("article.sentence .chip[aria-pressed]").first.wait_for()
    page.get_by_label("Order").select_option("most certain first")
    page.wait_for_function("() => !document.querySelector('.reviews.loading')")
    confirmed = page.locator(".confirmed-mark")
    before = confirmed.count()
    page.get_by_role("button", name="Accept these").click()
    dialog = page.get_by_role("dialog")
    heading = dialog.get_by_role("heading").inner_text()
    number = int(re.findall(r"\d+", heading)[0])
    assert number >= 3
    dialog.get_by_role("button", name=f"Confirm {number}").click()
    page.locator(".toast", has_text=f"Confirmed {number} sentences").wait_for()
    page.get_by_role("button", name=f"Undo: confirm {number} sentences").click()
    page.locator(".toast", has_text="Undone: confirm").wait_for()
    page.wait_for_function(f"() => document.querySelectorAll('.confirmed-mark').length === {before}")


def test_similar_sentences_are_one_click_away(page: Any) -> None:
    page.locator("article.sentence .chip[aria-pressed]").first.wait_for()
    page.locator("article.sentence p.text", has_text="wifi").first.click(position={"x": 5, "y": 5})
    page.locator(".details blockquote", has_text="wifi").wait_for()
    page.get_by_role("button", name="Similar sentences").click()
    page.get_by_text("like one sentence").wait_for()
    page.wait_for_function("() => !document.querySelector('.reviews.loading')")
    first = page.locator("article.sentence").all_inner_texts()[:4]
    assert sum("wifi" in text.lower() or "internet" in text.lower() for text in first) >= 3


@pytest.mark.parametrize("page", LOOKS, indirect=True, ids=lambda look: f"{look['width']}-{look['scheme']}")
def test_the_tour_has_four_steps_and_is_remembered(
    page: Any, shoot: Callable[[str], None], request: pytest.FixtureRequest
) -> None:
    look = request.node.callspec.id
    page.locator("article.sentence .chip[aria-pressed]").first.wait_for()
    tour = page.locator(".tour")
    assert tour.count() == 0
    page.get_by_role("button", name="Help").click()
    page.get_by_role("menuitem", name="Take the tour").click()
    for number in range(1, 5):
        tour.get_by_text(f"{number} of 4").wait_for()
        nothing_is_wrong(page, f"step {number}")
        shoot(f"{look}-tour-{number}")
        tour.get_by_role("button", name="Next" if number < 4 else "Done").press("Enter")
    tour.wait_for(state="hidden")
    assert page.evaluate("() => localStorage.getItem('fewaspect-tour')") == "seen"


def test_a_first_visit_begins_with_the_tour_and_escape_ends_it_for_good(chromium: Any, studio: Any) -> None:
    page = visit(chromium, first=True)
    page.goto(studio.address)
    page.locator(".tour").get_by_text("1 of 4").wait_for()
    page.keyboard.press("Escape")
    page.locator(".tour").wait_for(state="hidden")
    page.reload()
    page.locator("article.sentence").first.wait_for()
    assert page.locator(".tour").count() == 0
    page.context.close()


def test_a_word_of_the_trade_is_explained_where_it_stands(page: Any, shoot: Callable[[str], None]) -> None:
    page.locator("article.sentence .chip[aria-pressed]").first.wait_for()
    page.get_by_role("button", name="What is threshold?").press("Enter")
    page.get_by_role("note").get_by_text("how sure the detector must be").wait_for()
    nothing_is_wrong(page, "help")
    shoot("help-threshold")

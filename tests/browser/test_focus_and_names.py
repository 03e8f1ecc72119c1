"""Keys after clicks, names that are long or look the same, and the numbers of Evaluate."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest

pytestmark = pytest.mark.slow
AT_HAND = "article[aria-current=true]"
LONG = "everything that guests say about how long they waited at the front desk before anyone came to them"


def text_at_hand(page: Any) -> str:
    return page.locator(AT_HAND).get_attribute("aria-label")


def test_after_enter_in_reviews_the_next_sentence_is_at_hand(page: Any) -> None:
    cards = page.locator("article.sentence")
    cards.first.wait_for()
    first, second = (cards.nth(n).get_attribute("aria-label") for n in (0, 1))
    page.get_by_role("tab", name="Reviews").click()  # and the key means the sentence, not the tab
    assert text_at_hand(page) == first
    page.keyboard.press("Enter")
    page.locator(AT_HAND).and_(page.get_by_label(second, exact=True)).wait_for()
    page.locator("article.sentence.confirmed", has_text=first).wait_for()
    page.keyboard.press("u")
    page.get_by_text("Undone: ").wait_for()


def test_enter_after_a_click_on_next_does_not_swap_the_batch(page: Any) -> None:
    page.get_by_role("tab", name="Label next").click()
    page.locator(AT_HAND).wait_for()
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url) if "/suggestions" in request.url else None)
    page.get_by_role("button", name="Next 10").click()
    for _ in range(8):  # while the next are asked for, and when they are there
        page.keyboard.press("Enter")
        page.wait_for_timeout(40)
    page.locator("[aria-busy=false]").first.wait_for()
    page.locator(AT_HAND).wait_for()
    assert len(asked) == 1
    page.locator("article.sentence:not(.confirmed)").first.wait_for()
    at_hand = text_at_hand(page)
    page.keyboard.press("Enter")
    page.locator("article.sentence.confirmed", has_text=at_hand).wait_for()
    assert len(asked) == 1


def test_a_name_in_other_letters_is_refused_in_words(page: Any) -> None:
    name = page.locator(".aspect-name .clipped").first.inner_text()
    page.get_by_role("button", name="Add an aspect", exact=True).and_(page.locator(".add-aspect")).click()
    page.locator(".aspect-form").get_by_label("Name").fill(name.upper())
    page.keyboard.press("Enter")
    page.get_by_role("alert").get_by_text(re.compile(f"There is an aspect .{name}. already")).wait_for()


@pytest.mark.parametrize("page", [{}, {"width": 390}], indirect=True, ids=["wide", "narrow"])
def test_a_long_name_is_clipped_with_a_sign_and_can_be_read(page: Any, studio: Any, shoot: Callable) -> None:
    added = page.evaluate(
        """async (name) => (await fetch("api/v1/projects/1/aspects", {method: "POST", body: JSON.stringify({name}),
        headers: {"X-Fewaspect": "studio", "Content-Type": "application/json"}})).json()""", LONG,
    )  # fmt: skip
    try:
        page.reload()
        page.locator("article.sentence").first.wait_for()
        page.keyboard.press("j")
        card = page.locator(AT_HAND)
        card.get_by_role("button", name="Add an aspect").click()
        page.get_by_role("menuitem", name=LONG).click()
        chip = card.locator(".chip", has_text=LONG[:30])
        chip.wait_for()
        shown = chip.locator(".clipped")
        assert shown.evaluate("s => s.scrollWidth > s.clientWidth && getComputedStyle(s).textOverflow === 'ellipsis'")
        assert LONG in chip.get_attribute("title")
        shoot(f"long-name-{page.viewport_size['width']}")
        page.keyboard.press("Tab")
        chip.focus()  # as by keys: all of it is shown
        assert shown.evaluate("s => s.scrollWidth <= s.clientWidth")
        page.keyboard.press("u")
        page.get_by_text("Undone: ").wait_for()
    finally:
        page.evaluate(
            """async (id) => fetch(`api/v1/projects/1/aspects/${id}`, {method: "DELETE",
            headers: {"X-Fewaspect": "studio"}})""", added["id"],
        )  # fmt: skip


def test_table_and_slider_agree_and_wrong_answers_show_their_sentences(page: Any, shoot: Callable) -> None:
    page.get_by_role("tab", name="Evaluate").click()
    names = page.locator(".aspect-name .clipped").all_inner_texts()
    lines = [
        "The soup was cold.",
        "Dinner was great and so was breakfast.",
        "See you on Monday.",
        "The staff was rude.",
    ]
    page.get_by_label("or paste lines").fill("\n".join(f"{line} | {names[0]}" for line in lines))
    page.get_by_role("button", name="Evaluate", exact=True).last.click()
    table = page.get_by_role("region", name="Each aspect")
    table.wait_for()
    page.get_by_text(f"None of the sentences is about “{names[1]}”").wait_for()
    precision, recall = table.locator("tbody tr").first.locator("td").all_inner_texts()[:2]
    result = page.get_by_role("region", name=names[0], exact=True)
    assert f"precision {precision}, recall {recall}" in result.inner_text()
    missed = result.get_by_role("button", name=re.compile("missed"))
    count = int(re.findall(r"\d+", missed.inner_text())[0])
    missed.click()
    shown = result.get_by_role("region", name="Missed").get_by_role("listitem")
    assert shown.count() == count
    assert set(shown.all_inner_texts()) <= set(lines)
    shoot("evaluate-mistakes")

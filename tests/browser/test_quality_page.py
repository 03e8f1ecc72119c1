"""How good is it, and which examples to check, as a person finds out."""

from __future__ import annotations

import re
import signal
from collections.abc import Callable
from typing import Any

import pytest

from page_actions import add_aspect

pytestmark = pytest.mark.slow

FOOD = ["the soup was cold", "good pizza", "tasty fish", "fresh salad", "stale bread", "overcooked pasta",
        "a nice steak", "loud street noise all night"]  # fmt: skip
NOISE = ["thin walls", "noisy neighbours", "music until three in the night", "traffic noise", "barking dogs",
         "a loud party", "the street was loud", "we could hear the lift"]  # fmt: skip


def fits(page: Any, selector: str) -> bool:
    """Whether nothing in it is wider than there is room."""
    return page.locator(selector).evaluate_all(
        "boxes => boxes.every(b => b.scrollWidth <= b.clientWidth && b.scrollWidth <= b.parentElement.clientWidth)"
    )


def test_checked_sentences_tell_how_good_it_is_and_are_never_lost(
    page: Any, studio: Any, shoot: Callable[[str], None]
) -> None:
    """In the sample project, by keys alone once they are drawn; the studio is killed in between."""
    examples = page.locator(".aspect-bottom .linked").all_inner_texts()
    page.get_by_role("tab", name="Evaluate").click()
    page.get_by_role("button", name="Draw 10 to check").click()
    page.locator(".audit article[aria-current=true]:focus").wait_for()
    for place in range(10):
        page.locator(f".audit article:nth-child({place + 1})[aria-current=true]").wait_for()
        if place == 3:
            page.keyboard.press("0")
        if place == 4:
            page.keyboard.press("1")
        page.keyboard.press("Enter")
    page.get_by_text("10 of 10").wait_for()
    page.get_by_text(re.compile("From 10 checked sentences")).wait_for()
    shoot("quality")
    assert page.get_by_role("region", name="How good it is").locator("tbody tr").count() == len(examples) + 1
    assert page.locator(".aspect-bottom .linked").all_inner_texts() == examples  # they are no examples
    page.set_viewport_size({"width": 390, "height": 844})
    assert fits(page, ".audit"), "on a phone, the table scrolls by itself"
    page.set_viewport_size({"width": 1280, "height": 800})
    first = page.locator(".audit article p").first.inner_text()
    studio.restart(signal.SIGKILL)
    page.goto(studio.address)
    page.get_by_role("tab", name="Evaluate").click()
    page.get_by_text(re.compile("From 10 checked sentences")).wait_for()
    page.get_by_role("button", name="Next 10 to check").click()
    page.locator(".audit article").first.wait_for()
    assert first not in page.locator(".audit article p").all_inner_texts()


def test_examples_to_check_are_kept_changed_or_removed(page: Any, shoot: Callable[[str], None]) -> None:
    page.locator(".project-button").click()
    page.get_by_role("menuitem", name="New project").click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_label("Name", exact=True).fill("Labels")
    dialog.get_by_role("button", name="Save", exact=True).click()
    dialog.wait_for(state="hidden")
    add_aspect(page, "food", FOOD)
    add_aspect(page, "noise", NOISE)
    page.get_by_role("tab", name="Evaluate").click()
    listed = page.get_by_role("region", name="Examples to check").locator("li", has_text="loud street noise all night")
    listed.get_by_text("rather:").wait_for()
    page.locator("li.aspect .growth").first.wait_for()
    assert fits(page, "li.aspect")
    shoot("examples-to-check")
    listed.get_by_role("button", name="Change").click()
    listed.wait_for(state="hidden")
    page.locator("li.aspect", has_text="noise").get_by_text("9 examples").wait_for()
    page.get_by_role("button", name="Undo").first.click()
    listed.wait_for()
    listed.get_by_role("button", name="Keep").click()
    listed.wait_for(state="hidden")
    page.reload()
    page.get_by_role("tab", name="Evaluate").click()
    section = page.get_by_role("region", name="Examples to check")
    section.get_by_text("contradict").wait_for()  # till then, it looks
    assert not listed.count()

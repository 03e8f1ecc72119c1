"""Aspects at the page: several at once, pasted, merged, split, grouped, recoloured; one undo takes each back."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from page_actions import add_aspect, new_project
from page_looks import LOOKS, nothing_is_wrong

pytestmark = pytest.mark.slow

PASTED = """\
food: meals, kitchen
- the soup was cold
- salty soup again
- warm beer
- the beer was flat
noise: loud neighbours
Pool
price
"""


def names(page: Any) -> list[str]:
    return page.locator(".aspect-name span").all_inner_texts()


def undo(page: Any, what: str) -> None:
    """Wait until the change can be undone, and undo it."""
    page.get_by_role("button", name=f"Undo: {what}").click()
    page.locator(".toast", has_text=f"Undone: {what}").first.wait_for()


def pasted_project(page: Any, name: str) -> None:
    new_project(page, name)
    page.locator(".add-aspect").click()
    page.get_by_role("button", name="Paste a list").click()
    page.get_by_label("One aspect per line").fill(PASTED)
    page.get_by_text("4 new aspects with 4 examples").wait_for()
    page.get_by_role("button", name="Add all 4").click()
    page.locator(".aspect-name", has_text="price").wait_for()


def edit(page: Any, aspect: str) -> Any:
    page.locator("li.aspect", has_text=aspect).hover()
    page.get_by_role("button", name=f"Edit {aspect}").click()
    return page.get_by_role("dialog")


def test_aspects_are_pasted_grouped_merged_split_and_brought_back(page: Any) -> None:
    pasted_project(page, "Regrouped")
    before = names(page)
    assert before == ["food", "noise", "Pool", "price"]
    add_aspect(page, "lift", ["the lift was out of order"])
    add_aspect(page, "wifi", [])  # without opening the form again
    assert names(page) == [*before, "lift", "wifi"]
    page.locator(".aspect-form").get_by_role("button", name="Paste a list").click()
    page.get_by_label("One aspect per line").fill("Food\nbar\nbar: drinks")
    page.get_by_text("1 new aspect; already there: Food").wait_for()
    page.get_by_role("button", name="Close").click()

    page.get_by_role("button", name="Group aspects").click()
    dialog = page.get_by_role("dialog")
    for name in ("noise", "lift"):
        dialog.get_by_label(name).check()
    dialog.get_by_label("Name of the group").fill("House")
    dialog.get_by_role("button", name="Group", exact=True).click()
    page.locator(".aspect-group h3", has_text="House").wait_for()
    assert names(page) == ["food", "Pool", "price", "wifi", "noise", "lift"]

    dialog = edit(page, "food")
    dialog.get_by_label("emerald", exact=True).check()
    dialog.get_by_role("button", name="Save").click()
    dialog.get_by_role("button", name="Split in two").click()
    dialog.get_by_label("Name of the new aspect").fill("drinks")
    for text in ("warm beer", "the beer was flat", "the soup was cold", "salty soup again"):
        dialog.get_by_label(text).set_checked("beer" in text)
    dialog.get_by_role("button", name="Split", exact=True).click()
    page.locator("li.aspect", has_text="drinks").get_by_text("2 examples").wait_for()
    undo(page, "split")
    page.locator("li.aspect", has_text="drinks").wait_for(state="hidden")

    dialog = edit(page, "lift")
    dialog.get_by_role("button", name="Merge with another").click()
    dialog.get_by_label("noise").check()
    dialog.get_by_label("Name of both").fill("lift and noise")
    dialog.get_by_role("button", name="Merge", exact=True).click()
    page.locator("li.aspect", has_text="lift and noise").wait_for()
    assert names(page) == ["food", "Pool", "price", "wifi", "lift and noise"]
    undo(page, "merge")
    page.locator("li.aspect", has_text="lift and noise").wait_for(state="hidden")
    for what in ("change the colour", "put 2 aspects", 'add the aspect "wifi"', 'add the aspect "lift"'):
        undo(page, what)
    page.locator(".aspect-group h3").wait_for(state="hidden")
    page.locator("li.aspect", has_text="lift").wait_for(state="hidden")
    assert names(page) == before
    undo(page, "add 4 aspects")
    page.locator("li.aspect").wait_for(state="hidden")


@pytest.mark.parametrize("page", LOOKS, indirect=True, ids=lambda look: f"{look['width']}-{look['scheme']}")
def test_the_dialogs_of_aspects_read_well(
    page: Any, shoot: Callable[[str], None], request: pytest.FixtureRequest
) -> None:
    look = request.node.callspec.id
    parts = page.locator(".bottom-bar")
    page.locator("article.sentence .chip[aria-pressed]").first.wait_for()
    if parts.is_visible():
        parts.get_by_role("button", name="Aspects").click()

    def seen(what: str) -> None:
        nothing_is_wrong(page, what)
        shoot(f"{look}-{what}")

    page.locator(".add-aspect").click()
    page.get_by_role("button", name="Paste a list").click()
    page.get_by_label("One aspect per line").fill(PASTED)
    seen("paste")
    page.get_by_role("button", name="Close").click()
    page.get_by_role("button", name="Group aspects").click()
    dialog = page.get_by_role("dialog")
    for n in range(2):
        dialog.get_by_role("checkbox").nth(n).check()
    dialog.get_by_label("Name of the group").fill("Room")
    seen("group")
    dialog.get_by_role("button", name="Group", exact=True).click()
    page.locator(".aspect-group h3").wait_for()
    seen("grouped")
    page.locator(".aspect-bottom .linked").first.click()
    dialog.get_by_label("Colour").or_(dialog.get_by_text("Colour")).first.wait_for()
    seen("edit")
    dialog.get_by_role("button", name="Split in two").click()
    dialog.get_by_role("checkbox").first.wait_for()
    seen("split")
    dialog.get_by_role("button", name="Cancel").click()
    dialog.get_by_role("button", name="Merge with another").click()
    dialog.get_by_role("radio").nth(2).check()
    seen("merge")
    dialog.get_by_role("button", name="Cancel").click()
    dialog.get_by_role("button", name="Close", exact=True).click()
    if parts.is_visible():
        parts.get_by_role("button", name="Reviews").click()
    page.locator("article.sentence").first.click()
    page.locator("article.sentence").first.get_by_role("button", name="Add an aspect").click()
    page.get_by_role("menu", name="Add an aspect").first.get_by_role("group", name="Room").wait_for()
    seen("chip-menu")
    page.keyboard.press("Escape")
    page.get_by_role("tab", name="Dashboard").click()
    page.get_by_text("Groups", exact=True).wait_for()
    seen("dashboard-groups")
    undo(page, "put 2 aspects")


def test_what_is_said_of_an_example_before_the_last_is_saved_builds_on_it(page: Any) -> None:
    pasted_project(page, "Examples")
    dialog = edit(page, "food")
    waiting: list[Any] = []
    page.route("**/examples/*", lambda route: route.continue_() if waiting else waiting.append(route))

    def add(aspect: str) -> None:
        dialog.get_by_role("button", name="Aspects of the example “warm beer”").click()
        menu = dialog.get_by_role("menu", name="Aspects of the example “warm beer”")
        menu.get_by_role("menuitemcheckbox", name=aspect).click()

    add("noise")
    dialog.get_by_text("also noise").wait_for()
    add("price")
    dialog.get_by_text("also noise, price").wait_for()
    waiting[0].continue_()
    dialog.get_by_role("button", name="Close").click()
    undo(page, 'label "warm beer" as food, noise, price')
    undo(page, 'label "warm beer" as food, noise')

"""Aspects that nobody has named, on the page: found, renamed, adopted with one click, undone."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from page_actions import add_aspect, import_reviews, new_project

pytestmark = pytest.mark.slow

WHERE = ("in our room", "at the desk", "by night", "on Sunday", "in the garden")
REVIEWS = [f"The wifi {what} {where}." for what in ("was slow", "broke off", "failed") for where in WHERE]
REVIEWS += [f"The pool {what} {where}." for what in ("was closed", "had no water", "was dirty") for where in WHERE]
REVIEWS += ["The soup was cold.", "Good pizza.", "The waiter was rude."]


def test_a_group_is_renamed_and_adopted_with_one_click_and_can_be_undone(
    page: Any, tmp_path: Path, shoot: Callable[[str], None]
) -> None:
    new_project(page, "Not named")
    path = tmp_path / "reviews.txt"
    path.write_text("\n".join(REVIEWS) + "\n", encoding="utf-8")
    import_reviews(page, path)
    add_aspect(page, "food", ["the soup was cold", "we liked the pizza"])
    add_aspect(page, "staff", ["a rude waiter", "friendly people at the reception"])
    page.get_by_role("tab", name="Dashboard").click()
    section = page.get_by_role("region", name="Not named yet")
    section.get_by_role("button", name="Look for groups").click()
    names = section.get_by_label("Name of the new aspect")
    names.first.wait_for()
    found = [box.input_value() for box in names.all()]
    assert any("wifi" in name for name in found)
    section.scroll_into_view_if_needed()
    shoot("not-named")
    wifi = section.locator("form", has=page.locator("li", has_text="wifi")).first
    wifi.get_by_label("Name of the new aspect").fill("internet")
    wifi.get_by_role("button", name="Add as an aspect").click()
    page.locator(".aspect-name", has_text="internet").wait_for()
    names.nth(len(found) - 1).wait_for(state="detached")
    assert len(names.all()) == len(found) - 1
    page.get_by_role("button", name=re.compile("^Undo: add the aspect")).click()
    page.locator(".aspect-name", has_text="internet").wait_for(state="detached")


def test_too_few_sentences_are_said_to_be(page: Any, tmp_path: Path) -> None:
    new_project(page, "Few")
    path = tmp_path / "reviews.txt"
    path.write_text("See you on Monday.\n", encoding="utf-8")
    import_reviews(page, path)
    add_aspect(page, "food", ["the soup was cold"])
    page.get_by_role("tab", name="Dashboard").click()
    section = page.get_by_role("region", name="Not named yet")
    section.get_by_role("button", name="Look for groups").click()
    section.get_by_text("No groups found").wait_for()

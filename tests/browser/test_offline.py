"""The studio goes away in the middle of the work and comes back; and two people at one sentence."""

from __future__ import annotations

import signal
import sqlite3
from collections.abc import Callable
from contextlib import closing
from typing import Any

import pytest

pytestmark = pytest.mark.slow
SAVED = """SELECT e.text, a.name FROM examples e JOIN example_aspects l ON l.example_id = e.id
           JOIN aspects a ON a.id = l.aspect_id WHERE e.sentence_id IS NOT NULL"""


def saved(studio: Any) -> dict[str, set[str]]:
    found: dict[str, set[str]] = {}
    with closing(sqlite3.connect(studio.data)) as connection:
        for text, name in connection.execute(SAVED):
            found.setdefault(text, set()).add(name)
    return found


def comes_to_be_saved(page: Any, studio: Any, wanted: dict[str, set[str]]) -> None:
    for _ in range(450):
        if saved(studio) == wanted:
            return
        page.wait_for_timeout(200)
    assert saved(studio) == wanted


def type_in_next(page: Any, *keys: str) -> tuple[str, set[str]]:
    """Press keys and Enter; the sentence, and the chips it has then."""
    card = page.locator("article[aria-current=true]")
    text = card.get_attribute("aria-label")
    for key in keys:
        page.keyboard.press(key)
    chips = set(card.locator(".chip[aria-pressed] .clipped").all_inner_texts())
    page.keyboard.press("Enter")
    page.locator("article[aria-current=true]").and_(page.locator(f"article:not([aria-label={text!r}])")).wait_for()
    return text, chips


def test_what_is_said_while_the_studio_is_gone_is_saved_when_it_is_back(
    page: Any, studio: Any, shoot: Callable[[str], None]
) -> None:
    page.locator("article.sentence .chip[aria-pressed]").first.wait_for()
    wanted = dict([type_in_next(page, "6")])
    page.locator("article.sentence.confirmed").first.get_by_text("confirmed").wait_for()
    studio.stop(signal.SIGKILL)
    wanted |= dict([type_in_next(page, "2"), type_in_next(page, "3")])
    page.get_by_role("alert").get_by_text("The studio does not answer.").wait_for()
    page.get_by_text("2 corrections not saved yet").wait_for()
    assert page.get_by_text("not saved yet", exact=True).count() == 2
    assert page.get_by_text("confirmed", exact=True).count() == 1
    shoot("offline")
    studio.start_again()
    page.get_by_text("The studio does not answer.").wait_for(state="hidden")
    comes_to_be_saved(page, studio, {text: own for text, own in wanted.items() if own})
    page.get_by_text("confirmed", exact=True).nth(2).wait_for()
    assert page.get_by_text("not saved yet").count() == 0
    assert page.evaluate("localStorage.getItem('fewaspect-unsaved')") is None


def test_what_was_not_saved_outlives_a_reload_of_the_page(page: Any, studio: Any) -> None:
    before = saved(studio)
    page.locator("article.sentence .chip[aria-pressed]").first.wait_for()
    page.locator("article.sentence:not(.confirmed)").first.click(position={"x": 5, "y": 5})
    studio.stop(signal.SIGKILL)
    text, chips = type_in_next(page, "4")
    page.get_by_text("1 correction not saved yet").wait_for()
    page.goto("about:blank")
    studio.start_again()
    page.goto(studio.address)
    comes_to_be_saved(page, studio, before | {text: chips})
    page.locator("article.sentence.confirmed", has_text=text).get_by_text("confirmed").wait_for()
    assert page.evaluate("localStorage.getItem('fewaspect-unsaved')") is None


NOT_SAVED = "Your last change was not saved: the studio does not answer."


def test_other_changes_are_refused_while_a_correction_waits_and_what_was_typed_stays(page: Any, studio: Any) -> None:
    page.locator("article.sentence .chip[aria-pressed]").first.wait_for()
    threshold = page.locator("#default-threshold").input_value()
    names = page.locator(".aspect-name .clipped").all_inner_texts()
    studio.stop(signal.SIGKILL)
    page.locator("article.sentence:not(.confirmed)").first.click(position={"x": 5, "y": 5})
    text, chips = type_in_next(page, "5")
    page.get_by_text("1 correction not saved yet").wait_for()
    page.locator(".add-aspect").click()
    form = page.locator(".aspect-form")
    form.get_by_label("Name").fill("parking")
    form.get_by_label("Examples, one per line").fill("The garage was full.")
    form.get_by_role("button", name="Add", exact=True).click()
    problem = page.locator(".toast", has_text=NOT_SAVED)
    problem.wait_for()
    assert form.get_by_label("Name").input_value() == "parking"
    assert form.get_by_label("Examples, one per line").input_value() == "The garage was full."
    problem.get_by_role("button", name="Hide this message").click()
    page.locator("#default-threshold").fill("0.9")
    problem.wait_for()
    assert page.locator("#default-threshold").input_value() == threshold
    problem.get_by_role("button", name="Hide this message").click()
    page.locator("article[aria-current=true]").click(position={"x": 5, "y": 5})
    page.keyboard.press("Control+z")
    problem.wait_for()
    studio.start_again()
    page.locator(".offline").wait_for(state="hidden")
    page.locator("article.sentence.confirmed", has_text=text).get_by_text("confirmed").wait_for()
    assert saved(studio)[text] == chips
    assert page.locator(".aspect-name .clipped").all_inner_texts() == names
    form.get_by_role("button", name="Add", exact=True).click()
    page.locator(".aspect-name", has_text="parking").wait_for()


def test_a_page_that_nobody_touches_says_that_the_studio_is_gone(page: Any, studio: Any) -> None:
    studio.stop()
    page.get_by_role("alert").get_by_text("The studio does not answer.").wait_for()
    studio.start_again()
    page.get_by_text("The studio does not answer.").wait_for(state="hidden")


def test_of_two_people_at_one_sentence_the_second_is_told(page: Any, studio: Any) -> None:
    before = saved(studio)
    other = page.context.new_page()
    other.goto(studio.address)
    for one in (page, other):
        one.locator("article.sentence .chip[aria-pressed]").first.wait_for()
    text = page.locator("article.sentence:not(.confirmed)").first.get_attribute("aria-label")
    for one in (page, other):
        one.locator("article.sentence", has_text=text).click(position={"x": 5, "y": 5})
    page.keyboard.press("0")
    page.keyboard.press("1")
    page.locator("article.sentence.confirmed", has_text=text).get_by_text("confirmed").wait_for()
    first = page.locator(".aspect-name .clipped").first.inner_text()
    other.keyboard.press("2")
    other.get_by_role("alert").get_by_text("was not saved. Someone else changed").wait_for()
    card = other.locator("article.sentence.confirmed", has_text=text)
    card.wait_for()
    assert card.locator(".chip[aria-pressed] .clipped").all_inner_texts() == [first]
    assert saved(studio) == before | {text: {first}}

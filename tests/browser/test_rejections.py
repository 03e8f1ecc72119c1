"""`x` on a chip says that the sentence is not about this aspect, and nothing else."""

from __future__ import annotations

import signal
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from page_actions import add_aspect, import_reviews, new_project
from page_looks import nothing_is_wrong

pytestmark = pytest.mark.slow
BOTH = "The garage was full and the breakfast was cold."
ONLY = "We could not find a place to park."
EXAMPLES = {
    "parking": ["The garage was full when we came.", "There was no place for the car."],
    "breakfast": ["Cold eggs in the morning.", "The breakfast buffet was rich."],
}


@pytest.fixture
def hotel(page: Any, tmp_path: Path, request: pytest.FixtureRequest) -> Any:
    new_project(page, request.node.name)
    path = tmp_path / "reviews.csv"
    path.write_text(f"text\n{BOTH}\n{ONLY}\nSee you on Monday.\n", encoding="utf-8")
    import_reviews(page, path)
    for aspect, examples in EXAMPLES.items():
        add_aspect(page, aspect, examples)
    for text, aspect in ((BOTH, "parking"), (BOTH, "breakfast"), (ONLY, "parking")):
        chip(page, text, aspect).wait_for()
    return page


def card(page: Any, text: str) -> Any:
    return page.locator("article.sentence", has_text=text)


def chip(page: Any, text: str, aspect: str) -> Any:
    return card(page, text).locator(".chip[aria-pressed]", has_text=aspect)


def struck(page: Any, text: str, aspect: str) -> Any:
    return card(page, text).get_by_role("button", name=f"Not about {aspect}: take that back")


def stored(studio: Any) -> tuple[int, list[tuple[str, str]]]:
    """How many sentences are examples, and what is rejected, in the newest project."""
    newest = "(SELECT max(id) FROM projects)"
    rejected = f"""SELECT r.text, a.name FROM rejections r JOIN aspects a ON a.id = r.aspect_id
                   WHERE r.project_id = {newest} ORDER BY r.id"""
    with closing(sqlite3.connect(studio.data)) as connection:
        query = f"SELECT count(*) FROM examples WHERE project_id = {newest} AND sentence_id IS NOT NULL"
        (count,) = connection.execute(query).fetchone()
        return count, connection.execute(rejected).fetchall()


def comes_to_be(page: Any, studio: Any, wanted: tuple[int, list[tuple[str, str]]]) -> None:
    for _ in range(300):
        if stored(studio) == wanted:
            return
        page.wait_for_timeout(100)
    assert stored(studio) == wanted


def test_one_of_two_chips_goes_and_the_other_stays_as_it_was_found(
    hotel: Any, studio: Any, shoot: Callable[[str], None]
) -> None:
    chip(hotel, BOTH, "breakfast").click()
    struck(hotel, BOTH, "breakfast").wait_for()
    chip(hotel, BOTH, "parking").wait_for()
    comes_to_be(hotel, studio, (0, [(BOTH, "breakfast")]))
    hotel.reload()
    struck(hotel, BOTH, "breakfast").wait_for()
    chip(hotel, BOTH, "parking").wait_for()
    assert card(hotel, BOTH).get_by_text("confirmed").count() == 0
    card(hotel, BOTH).click(position={"x": 5, "y": 5})
    hotel.locator(".details").get_by_text("You said that it is not about breakfast.").wait_for()
    nothing_is_wrong(hotel, "Reviews")
    shoot("rejected")
    struck(hotel, BOTH, "breakfast").click()
    chip(hotel, BOTH, "breakfast").wait_for()
    comes_to_be(hotel, studio, (0, []))


def test_without_its_only_chip_a_sentence_is_no_example_of_none(hotel: Any, studio: Any) -> None:
    chip(hotel, ONLY, "parking").click()
    struck(hotel, ONLY, "parking").wait_for()
    card(hotel, ONLY).get_by_text("none").first.wait_for()
    comes_to_be(hotel, studio, (0, [(ONLY, "parking")]))
    hotel.get_by_role("button", name="Your examples").click()
    hotel.get_by_text("No sentences").or_(hotel.locator(".filter-line b", has_text="0 sentences")).first.wait_for()


def test_the_number_key_brings_it_back_as_a_label_and_x_takes_the_label_away(hotel: Any, studio: Any) -> None:
    chip(hotel, ONLY, "parking").click()
    struck(hotel, ONLY, "parking").wait_for()
    hotel.keyboard.press("1")
    card(hotel, ONLY).get_by_text("confirmed").wait_for()
    comes_to_be(hotel, studio, (1, []))
    chip(hotel, ONLY, "parking").click()
    struck(hotel, ONLY, "parking").wait_for()
    card(hotel, ONLY).get_by_text("confirmed").wait_for(state="hidden")
    comes_to_be(hotel, studio, (0, [(ONLY, "parking")]))


def test_clicks_and_keys_one_after_the_other_are_all_saved_in_order(hotel: Any, studio: Any) -> None:
    chip(hotel, BOTH, "breakfast").click()
    chip(hotel, BOTH, "parking").click()
    chip(hotel, ONLY, "parking").click()
    hotel.keyboard.press("2")
    hotel.keyboard.press("Enter")
    comes_to_be(hotel, studio, (1, [(BOTH, "breakfast"), (BOTH, "parking"), (ONLY, "parking")]))
    hotel.keyboard.press("u")
    hotel.get_by_text("Undone: ").wait_for()
    comes_to_be(hotel, studio, (0, [(BOTH, "breakfast"), (BOTH, "parking"), (ONLY, "parking")]))


def test_what_is_rejected_while_the_studio_is_gone_is_saved_when_it_is_back_also_after_a_reload(
    hotel: Any, studio: Any
) -> None:
    studio.stop(signal.SIGKILL)
    chip(hotel, BOTH, "breakfast").click()
    chip(hotel, BOTH, "parking").click()
    card(hotel, BOTH).get_by_text("not saved yet").wait_for()
    assert struck(hotel, BOTH, "breakfast").count() == 1
    hotel.goto("about:blank")
    studio.start_again()
    hotel.goto(studio.address)
    comes_to_be(hotel, studio, (0, [(BOTH, "breakfast"), (BOTH, "parking")]))
    struck(hotel, BOTH, "parking").wait_for()
    hotel.wait_for_function("localStorage.getItem('fewaspect-unsaved') === null")

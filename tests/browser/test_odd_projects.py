"""What nobody planned: empty projects, odd names, a hundred aspects, two windows, a reload while a file is read."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from page_actions import add_aspect, new_project, visit
from page_looks import LOOKS, nothing_is_wrong

pytestmark = pytest.mark.slow

TABS = ("reviews", "label", "dashboard", "evaluate")
LONG = "Donaudampfschifffahrtsgesellschaftskapitänskajüte" + "x" * 51
WORDS = "location and all that is near it, such as shops, beaches and stops of the bus around the hotel"
NAMES = (WORDS, "🏖️ beach & pool 🏊", "موقف السيارات", "<b>price</b>", LONG, "a")
TEXTS = (
    "The 🏖️ was lovely 😀 and the pool, too!",
    "كانت الغرفة نظيفة والموظفون لطفاء جدا.",
    "Waited at the desk for an hour, " + "very " * 200 + "long.",
    "<script>alert(1)</script> too expensive & “bad”",
    "Lo" + "o" * 200 + "ng",
    "看起来不错但是早餐很贵。",
    "!!!",
)
COUNTRY = "The United Kingdom of Great Britain and Northern Ireland"
ask = """async ([method, path, body]) => (await fetch("api/v1" + path, {method, body: body && JSON.stringify(body),
    headers: {"X-Fewaspect": "studio", "Content-Type": "application/json"}})).json()"""


def made(page: Any, name: str, aspects: list[dict[str, Any]]) -> str:
    """The address of a project with these aspects."""
    number = page.evaluate(ask, ["POST", "/projects", {"name": name}])["id"]
    if aspects:
        page.evaluate(ask, ["POST", f"/projects/{number}/aspects/batch", {"aspects": aspects}])
    return f"#/projects/{number}"


def go(page: Any, studio: Any, place: str) -> None:
    page.goto("about:blank")
    page.goto(studio.address + place)
    page.locator("#tab > *").first.wait_for()
    page.wait_for_function(
        "() => !document.querySelector('.loading') && !document.body.innerText.includes('Counting …')"
    )


def import_texts(page: Any, path: Path, texts: tuple[str, ...]) -> None:
    path.write_text("".join(json.dumps({"text": text, "country": COUNTRY}) + "\n" for text in texts), encoding="utf-8")
    page.locator(".project-button").click()
    page.get_by_role("menuitem", name="Import reviews").click()
    page.locator("dialog input[type=file]").set_input_files(path)
    page.get_by_role("dialog").get_by_role("button", name="Import", exact=True).click()
    page.get_by_text(re.compile(f"{len(texts):,} reviews? imported")).last.wait_for()


@pytest.mark.parametrize("page", LOOKS, indirect=True, ids=lambda look: f"{look['width']}-{look['scheme']}")
def test_a_project_with_nothing_in_it_says_what_to_do(
    page: Any, studio: Any, shoot: Callable[[str], None], request: pytest.FixtureRequest
) -> None:
    look = request.node.callspec.id
    place = made(page, f"Empty {look}", [])
    for tab in TABS:
        go(page, studio, f"{place}/{tab}")
        nothing_is_wrong(page, tab)
        shoot(f"empty-{look}-{tab}")
    go(page, studio, f"{place}/reviews")
    page.get_by_role("heading", name="No reviews yet").wait_for()
    page.get_by_text("Excel, CSV, plain text").wait_for()


@pytest.mark.parametrize("page", LOOKS[1:3], indirect=True, ids=lambda look: f"{look['width']}-{look['scheme']}")
def test_odd_names_and_texts_are_shown_whole_and_leave_the_page_in_shape(
    page: Any, studio: Any, tmp_path: Path, shoot: Callable[[str], None], request: pytest.FixtureRequest
) -> None:
    look = request.node.callspec.id
    place = made(page, f"<i>Ünïcödé</i> 🏨 {look}", [{"name": name, "examples": [f"about {name}"]} for name in NAMES])
    go(page, studio, f"{place}/reviews")
    import_texts(page, tmp_path / "odd.jsonl", TEXTS)
    for text in TEXTS:
        assert page.get_by_role("article", name=text, exact=True).count() == 1
    import_texts(page, tmp_path / "words.jsonl", (f"It is about {WORDS}.",))
    for tab in TABS:
        go(page, studio, f"{place}/{tab}")
        nothing_is_wrong(page, tab)
        shoot(f"odd-{look}-{tab}")


def test_a_hundred_aspects_are_usable_and_one_more_is_refused_in_words(
    page: Any, studio: Any, tmp_path: Path, shoot: Callable[[str], None]
) -> None:
    many = [{"name": f"aspect {n:03}", "examples": [f"we talk of number {n}"]} for n in range(100)]
    place = made(page, "Hundred", many)
    go(page, studio, f"{place}/reviews")
    import_texts(page, tmp_path / "many.jsonl", tuple(f"we talk of number {n}, and of {n + 1}" for n in range(60)))
    assert page.locator(".aspect-name").count() == 100
    page.locator(".add-aspect").click()
    page.locator(".aspect-form").get_by_label("Name").fill("one more")
    page.keyboard.press("Enter")
    page.get_by_role("alert").get_by_text("There may be at most 100 aspects in a project").wait_for()
    for tab in ("reviews", "dashboard"):
        go(page, studio, f"{place}/{tab}")
        nothing_is_wrong(page, tab)
        shoot(f"hundred-{tab}")


def test_what_is_changed_in_another_window_is_shown_on_coming_back(page: Any, chromium: Any) -> None:
    new_project(page, "Two windows")
    other = visit(chromium)
    other.goto(page.url)
    other.locator(".reviews").wait_for()
    add_aspect(other, "parking", ["the garage was full"])
    other.context.close()
    page.evaluate("() => dispatchEvent(new Event('focus'))")
    page.locator(".aspect-name", has_text="parking").wait_for()


def test_a_reload_while_a_file_is_imported_shows_how_far_it_is_and_its_end(page: Any, tmp_path: Path) -> None:
    new_project(page, "Reloaded")
    path = tmp_path / "many.txt"
    path.write_text("".join(f"The street was loud, number {n}.\n" for n in range(20_000)), encoding="utf-8")
    page.locator(".project-button").click()
    page.get_by_role("menuitem", name="Import reviews").click()
    page.locator("dialog input[type=file]").set_input_files(path)
    with page.expect_response(re.compile("/imports$")):
        page.get_by_role("dialog").get_by_role("button", name="Import", exact=True).click()
    page.reload()
    page.get_by_text("20,000 reviews imported.").wait_for()
    page.locator(".filter-line b", has_text="20,000 sentences").wait_for()


def test_a_double_click_makes_one_project(page: Any) -> None:
    page.locator(".project-button").click()
    before = page.get_by_role("menuitemradio").count()
    page.get_by_role("menuitem", name="New project").dblclick()
    dialog = page.get_by_role("dialog")
    dialog.get_by_role("button", name="Save", exact=True).click()
    dialog.wait_for(state="hidden")
    page.locator(".project-button").click()
    assert page.get_by_role("menuitemradio").count() == before + 1

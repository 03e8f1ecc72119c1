"""The studio's page as a person uses it, in a real browser."""

from __future__ import annotations

import io
import json
import re
import signal
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from fewaspect import AspectDetector
from page_actions import add_aspect, import_reviews, new_project
from page_looks import LOOKS, nothing_is_wrong

pytestmark = pytest.mark.slow

SUBJECTS = {
    "parking": [
        "The garage was full when we came.",
        "Parking cost 15 euros a night.",
        "There was no place for the car.",
    ],
    "noise": ["Thin walls, we heard everything.", "The street was loud all night.", "Music from the bar until three."],
    "breakfast": [
        "The breakfast buffet was rich.",
        "Cold eggs in the morning.",
        "Good coffee and fresh rolls at breakfast.",
    ],
}


def card(page: Any, text: str) -> Any:
    return page.locator("article.sentence", has_text=text).first


def chips(page: Any, text: str) -> list[str]:
    return [
        re.sub(r"[\d.\s]+$", "", chip).strip()
        for chip in card(page, text).locator(".chip[aria-pressed]").all_inner_texts()
    ]


def shows(page: Any, count: str) -> None:
    page.locator(".filter-line b", has_text=re.compile(rf"^{count} sentences?$")).wait_for()


def built(page: Any, tmp_path: Path, name: str, *more: str) -> None:
    """A project with three aspects and a few reviews."""
    new_project(page, name)
    path = tmp_path / "reviews.csv"
    rows = ["text,date", *(f'"{text}",2024-0{1 + n % 5}-03' for n, text in enumerate((
        "We could not find a place to park.", "The walls are thin and we heard the neighbours.", "Breakfast was poor.",
        "See you on Monday.", *more,
    )))]  # fmt: skip
    path.write_text("\n".join(rows) + "\n", encoding="utf-8")
    import_reviews(page, path)
    for aspect, examples in SUBJECTS.items():
        add_aspect(page, aspect, examples)


def test_on_first_start_the_page_is_alive(page: Any, shoot: Callable[[str], None]) -> None:
    page.locator("article.sentence .chip[aria-pressed]").first.wait_for()
    page.locator("article.sentence mark").first.wait_for()
    assert page.locator(".aspect-name").count() >= 3
    page.locator("article.sentence").first.click()
    page.locator(".details").get_by_text("Nearest examples").wait_for()
    shoot("first-start")


def test_examples_make_chips_and_a_correction_is_one_click(
    page: Any, tmp_path: Path, shoot: Callable[[str], None]
) -> None:
    built(page, tmp_path, "Corrections")
    shows(page, "4")
    card(page, "place to park").locator(".chip", has_text="parking").wait_for()
    card(page, "thin").locator(".chip", has_text="noise").wait_for()
    shoot("corrections")
    card(page, "thin").locator(".chip[aria-pressed]", has_text="noise").click()
    card(page, "thin").get_by_role("button", name="Not about noise: take that back").wait_for()
    assert chips(page, "thin") == []
    page.get_by_role("button", name=re.compile("^Undo: .* is not about")).click()
    card(page, "thin").locator(".chip[aria-pressed]", has_text="noise").wait_for()
    page.get_by_role("button", name=re.compile("^Redo: ")).click()
    card(page, "thin").locator(".chip.rejected").wait_for()
    card(page, "Monday").get_by_role("button", name="Confirm: none of these").click()
    card(page, "Monday").get_by_text("confirmed").wait_for()
    page.get_by_role("button", name="Your examples").click()
    shows(page, "1")


def test_five_thousand_reviews_stay_fluid(page: Any, tmp_path: Path, shoot: Callable[[str], None]) -> None:
    new_project(page, "Many")
    words = ["garage", "street", "breakfast", "room", "desk"]
    lines = (json.dumps({"review": f"The {words[n % 5]} was as we like it, number {n // 50}."}) for n in range(5000))
    path = tmp_path / "many.jsonl"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    import_reviews(page, path)
    shows(page, "5,000")
    for aspect, examples in SUBJECTS.items():
        add_aspect(page, aspect, examples)
    page.locator("article.sentence .chip[aria-pressed]").first.wait_for()
    page.get_by_role("progressbar", name="Detection").wait_for()
    assert page.locator("article.sentence").count() < 60, "the list draws more than can be seen"
    page.locator(".aspect-name", has_text="breakfast").click()
    page.locator(".filter-line", has_text="breakfast").wait_for()
    card(page, "breakfast was").wait_for()
    page.get_by_role("button", name="Show all sentences").click()
    page.get_by_label("Search the sentences").fill("number 99")
    shows(page, "50")
    shoot("five-thousand")


def test_tuning_and_what_can_be_taken_home(page: Any, tmp_path: Path) -> None:
    built(page, tmp_path, "Exports", "=1+2 is what the bill said.")
    page.get_by_role("button", name="Tune").click()
    tuned = page.get_by_role("dialog", name="Thresholds tuned")
    tuned.wait_for()
    assert tuned.locator("tbody tr").count() == 3
    tuned.get_by_role("button", name="Keep").click()
    page.locator(".project-button").click()
    page.get_by_role("menuitem", name="Export").click()
    dialog = page.get_by_role("dialog", name="Export")

    def taken(name: str) -> bytes:
        with page.expect_download() as got:
            dialog.get_by_role("button", name=re.compile(f"^{name}")).click()
        return Path(got.value.path()).read_bytes()

    table = taken("Results as CSV").decode()
    assert "We could not find a place to park." in table
    assert not re.search(r'(^|,|")=1\+2', table, re.MULTILINE), "a spreadsheet would run this"
    dialog.get_by_label("CSV for an Excel that writes 0,5 instead of 0.5").check()
    assert re.search(r";0,\d{4};", taken("Results as CSV").decode())
    zipfile.ZipFile(io.BytesIO(taken("Detector"))).extractall(tmp_path / "model")
    (about,) = (tmp_path / "model").rglob("detector.json")
    detector = AspectDetector.load(about.parent)
    assert detector.predict(["nowhere to park the car"]) == [["parking"]]
    assert "AspectDetector" in dialog.locator("pre").inner_text()


@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGKILL], ids=["stopped", "killed"])
def test_nothing_is_lost_when_the_studio_starts_again(
    page: Any, studio: Any, tmp_path: Path, how: signal.Signals
) -> None:
    name = f"Kept after {how.name}"
    built(page, tmp_path, name)
    card(page, "Monday").get_by_role("button", name="Confirm: none of these").click()
    card(page, "Monday").get_by_text("confirmed").wait_for()
    page.reload()
    card(page, "Monday").get_by_text("confirmed").wait_for()
    studio.restart(how)
    page.goto(studio.address)
    page.locator(".project-button").click()
    page.get_by_role("menuitemradio", name=re.compile(name)).click()
    card(page, "Monday").get_by_text("confirmed").wait_for()
    assert page.locator(".aspect-name").count() == 3
    card(page, "place to park").locator(".chip", has_text="parking").wait_for()


def test_a_script_in_a_review_is_text(page: Any, tmp_path: Path) -> None:
    evil = "<script>alert(1)</script><img src=x onerror=alert(2)> the garage was full"
    built(page, tmp_path, "<b>Evil</b>", evil)
    assert card(page, "alert(1)").inner_text().startswith(evil[:40])
    card(page, "alert(1)").click()
    page.locator(".details", has_text="alert(2)").wait_for()
    assert page.locator("article.sentence img, article.sentence script, .details img").count() == 0


def test_words_that_are_selected_become_an_example(page: Any, tmp_path: Path) -> None:
    built(page, tmp_path, "Words", "The lift broke twice and the lobby smelled of fish.")
    words = card(page, "The lift broke").get_by_text("The lift broke")
    box = words.bounding_box()
    page.mouse.move(box["x"] + 2, box["y"] + box["height"] / 2)
    page.mouse.down()
    page.mouse.move(box["x"] + 160, box["y"] + box["height"] / 2, steps=5)
    page.mouse.up()
    page.get_by_role("menu", name=re.compile("example", re.IGNORECASE)).get_by_role("menuitem", name="noise").click()
    page.locator("li.aspect", has_text="noise").get_by_text("4 examples").wait_for()


def test_an_example_can_stand_for_other_aspects(page: Any, tmp_path: Path, shoot: Callable[[str], None]) -> None:
    built(page, tmp_path, "Other aspects")
    page.get_by_role("button", name=re.compile("Edit.*noise")).click()
    dialog = page.get_by_role("dialog", name="noise")
    dialog.get_by_role("button", name=re.compile("Aspects of the example “Music from the bar")).click()
    menu = dialog.get_by_role("menu", name=re.compile("Music from the bar"))
    assert menu.get_by_role("menuitemcheckbox", name="noise").get_attribute("aria-checked") == "true"
    shoot("example-menu")
    menu.get_by_role("menuitemcheckbox", name="breakfast").click()
    dialog.get_by_text("also breakfast").wait_for()
    dialog.get_by_role("button", name=re.compile("Aspects of the example “Thin walls")).click()
    menu = dialog.get_by_role("menu", name=re.compile("Thin walls"))
    menu.get_by_role("menuitemcheckbox", name="None of these").click()
    dialog.get_by_text("2 examples").wait_for()
    page.keyboard.press("Escape")
    page.locator("li.aspect", has_text="breakfast").get_by_text("4 examples").wait_for()


def test_every_chart_leads_to_its_sentences(page: Any, tmp_path: Path, shoot: Callable[[str], None]) -> None:
    built(page, tmp_path, "Charts", "Loud music at breakfast, and the street was noisy all night.")
    card(page, "place to park").locator(".chip", has_text="parking").wait_for()
    page.get_by_role("tab", name="Dashboard").click()
    shoot("charts")
    page.get_by_role("tabpanel").get_by_role("button", name=re.compile("^parking")).first.click()
    shows(page, "1")
    card(page, "place to park").wait_for()


def test_labelled_lines_say_how_good_it_is(page: Any, tmp_path: Path, shoot: Callable[[str], None]) -> None:
    built(page, tmp_path, "Measured")
    page.get_by_role("tab", name="Evaluate").click()
    lines = ["No place for the car | parking", "Loud bar below us | noise", "Poor breakfast | breakfast", "See you |"]
    page.get_by_label(re.compile("paste lines")).fill("\n".join(lines))
    page.get_by_role("button", name="Evaluate", exact=True).click()
    page.get_by_text("F1, mean of the aspects", exact=True).wait_for()
    shoot("measured")


def test_everything_can_be_done_by_keys(page: Any, tmp_path: Path) -> None:
    built(page, tmp_path, "Keys")
    card(page, "place to park").locator(".chip", has_text="parking").wait_for()
    page.locator(".aspect-form").get_by_role("button", name="Close").click()
    page.locator(".add-aspect").focus()
    page.keyboard.press("Enter")
    page.locator(".aspect-form input:focus").wait_for()
    page.keyboard.type("lift")
    for text in ("", "The lift was out of order."):  # a description, then examples
        page.keyboard.press("Tab")
        page.keyboard.type(text)
    for _ in range(2):  # past the button that closes
        page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    page.locator("li.aspect", has_text="lift").get_by_text("1 example").wait_for()
    page.locator(".aspect-form input:focus").wait_for()  # for the next one
    page.keyboard.press("Escape")
    page.locator(".add-aspect:focus").wait_for()
    page.keyboard.press("/")
    page.locator("#search:focus").wait_for()
    page.keyboard.type("Monday")
    shows(page, "1")
    page.keyboard.press("Escape")
    shows(page, "4")
    for _ in range(4):
        page.keyboard.press("k")
    assert "place to park" in page.locator("article[aria-current=true]").inner_text()
    page.keyboard.press("j")
    page.keyboard.press("1")  # parking as well
    card(page, "thin").get_by_text("confirmed").wait_for()
    assert "parking" in chips(page, "thin")
    page.keyboard.press("u")
    card(page, "thin").get_by_text("confirmed").wait_for(state="hidden")
    page.keyboard.press("0")
    card(page, "thin").get_by_text("confirmed").wait_for()
    assert chips(page, "thin") == []
    page.keyboard.press("?")
    page.get_by_role("dialog").wait_for()
    page.keyboard.press("Escape")
    page.get_by_role("dialog").wait_for(state="hidden")
    reached = set()
    for _ in range(60):
        page.keyboard.press("Tab")
        name, visible = page.evaluate(FOCUSED)
        assert visible, f"the focus cannot be seen on {name!r}"
        reached.add(name)
    assert len(reached) > 15


FOCUSED = """() => {
    const at = document.activeElement;
    if (at === document.body) return ["the end of the page", true];
    const around = [at, at.parentElement].map((e) => getComputedStyle(e));
    const visible = around.some((s) => s.outlineStyle !== "none" || s.boxShadow !== "none");
    return [at.getAttribute("aria-label") || at.innerText || at.id, visible];
}"""


SHOWN = {  # each tab, and what is there when it is whole
    "Reviews": "article.sentence .chip[aria-pressed]",
    "Label next": ".queue article[aria-current=true]",
    "Dashboard": ".not-named",
    "Evaluate": ".example-issues",
}


@pytest.mark.parametrize("page", LOOKS, indirect=True, ids=lambda look: f"{look['width']}-{look['scheme']}")
def test_it_fits_and_reads_well_in_both_widths_and_themes(
    page: Any, shoot: Callable[[str], None], request: pytest.FixtureRequest
) -> None:
    look = request.node.callspec.id
    page.locator("article.sentence .chip[aria-pressed]").first.wait_for()
    for tab, part in SHOWN.items():
        page.get_by_role("tab", name=tab).click()
        page.locator(part).first.wait_for()
        nothing_is_wrong(page, tab)
        shoot(f"{look}-{tab.lower().replace(' ', '-')}")
    background = page.evaluate("() => getComputedStyle(document.body).backgroundColor")
    brightness = sum(map(int, re.findall(r"\d+", background)[:3])) / 3
    assert (brightness < 90) == ("dark" in look)

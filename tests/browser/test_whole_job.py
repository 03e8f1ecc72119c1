"""The whole job of a product manager: a workbook of reviews in; aspects, labels, segments, a report and results out."""

from __future__ import annotations

import csv
import random
import re
import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import xlsxwriter

from page_actions import new_project
from page_looks import nothing_is_wrong

pytestmark = pytest.mark.slow

SIZES = pytest.mark.parametrize("reviews", [300, pytest.param(5000, marks=pytest.mark.extended)])
ASPECTS: dict[str, list[str]] = {  # what may be said of each
    "parking": ["We could not find a place to park.", "The garage was full.", "Parking cost 15 euros a night."],
    "noise": ["The walls are thin.", "The street was loud all night.", "We heard every word of our neighbours."],
    "breakfast": ["The breakfast buffet was rich.", "The eggs were cold in the morning.", "Breakfast had fresh rolls."],
    "staff": ["The lady at the front desk was friendly.", "The waiter was rude.", "Everybody was so helpful."],
    "cleanliness": ["The bathroom was spotless.", "There was dust under the bed.", "The sheets were dirty."],
    "wifi": ["The wifi was slow.", "There was no internet in the room.", "The connection broke every hour."],
    "pool": ["The pool was closed.", "We loved swimming in the pool.", "The water in the pool was cold."],
    "price": ["It was far too expensive.", "Good value for the money.", "We paid too much for this."],
}
OTHER = [
    "See you on Monday.",
    "We came with our two children.",
    "It was our second visit.",
    "We stayed for three nights.",
]
BEFORE = ("", "Sadly, ", "Again, ", "This time, ", "To be honest, ", "In May, ", "As always, ", "On the last day, ")
COUNTRIES = ("Spain", "France", "Italy")
PASTED = "\n".join(f"{name}\n- {texts[0]}" for name, texts in ASPECTS.items())


def write_workbook(path: Path, reviews: int) -> None:
    """In Spain people complain of parking, and rate lower when they complain; a review has one to three sentences."""
    draw = random.Random(5)
    with xlsxwriter.Workbook(str(path)) as book:
        sheet = book.add_worksheet("Reviews")
        sheet.write_row(0, 0, ["review", "country", "rating", "date"])
        for row in range(1, reviews + 1):
            country = draw.choice(COUNTRIES)
            said = [draw.choice(ASPECTS["parking"])] if country == "Spain" and draw.random() < 0.5 else []
            for _ in range(draw.randint(1, 2)):
                said.append(draw.choice([*OTHER, *draw.choice(list(ASPECTS.values()))]))
            day = f"2025-{draw.randint(1, 12):02}-{draw.randint(1, 28):02}"
            text = " ".join(draw.choice(BEFORE) + sentence for sentence in said)
            sheet.write_row(row, 0, [f"{text} Room {row}.", country, draw.randint(1, 5), day])


def listed(page: Any) -> int:
    shown = page.locator(".filter-line b", has_text=re.compile("sentence"))  # not while it is being asked for
    return int(shown.inner_text().split()[0].replace(",", ""))


def choose(menu: Any, beginning: str) -> None:
    option = menu.locator("option", has_text=re.compile(f"^{beginning}"))
    option.wait_for(state="attached")
    menu.select_option(option.get_attribute("value"))


def all_is_detected(page: Any) -> None:
    page.get_by_role("progressbar", name="Detection").wait_for(state="detached", timeout=240_000)


def label(page: Any, sentences: int) -> None:
    """By keys, as someone does who reads: what a sentence is about is known from what was written."""
    numbers = {name: str(n) for n, name in enumerate(ASPECTS, 1)}
    about = {before + text: name for name, texts in ASPECTS.items() for text in texts for before in BEFORE}
    page.get_by_role("tab", name="Label next").click()
    done = 0
    while done < sentences:
        page.locator(".queue article[aria-current=true]").wait_for()
        at_hand = page.locator(".queue article[aria-current=true]")
        text = at_hand.get_attribute("aria-label")
        chips = set(at_hand.locator(".chip[aria-pressed] .clipped").all_inner_texts())
        for name in chips ^ ({about[text]} if text in about else set()):
            page.keyboard.press(numbers[name])
        page.keyboard.press("Enter")
        page.locator(".queue article.confirmed", has_text=text).first.wait_for()
        done += 1
        if page.locator(".queue article:not(.confirmed)").count() == 0:
            page.get_by_role("button", name="Next 10").click()
            page.locator(".queue article:not(.confirmed)").first.wait_for()


@pytest.mark.timeout(900)
@SIZES
def test_a_product_manager_gets_from_a_workbook_to_a_report_and_finds_all_of_it_again(
    page: Any, studio: Any, tmp_path: Path, shoot: Callable[[str], None], reviews: int
) -> None:
    steps = iter(range(1, 30))

    def seen(what: str) -> None:
        shoot(f"job-{reviews}-{next(steps):02}-{what}")

    page.set_default_timeout(120_000)
    new_project(page, f"Hotels {reviews}")
    write_workbook(workbook := tmp_path / "hotels.xlsx", reviews)
    page.locator(".project-button").click()
    page.get_by_role("menuitem", name="Import reviews").click()
    page.locator("dialog input[type=file]").set_input_files(workbook)
    page.locator("dialog .preview td").first.wait_for()
    assert page.get_by_label("Column with the review").input_value() == "review"
    assert page.get_by_label("Column with the date").input_value() == "date"
    seen("import")
    page.get_by_role("dialog").get_by_role("button", name="Import", exact=True).click()
    page.get_by_text(f"{reviews:,} reviews imported.").wait_for()
    sentences = listed(page)
    assert sentences > reviews
    seen("imported")

    page.locator(".add-aspect").click()
    page.get_by_role("button", name="Paste a list").click()
    page.get_by_label("One aspect per line").fill(PASTED)
    page.get_by_role("button", name="Add all 8").click()
    page.locator(".aspect-name", has_text="price").wait_for()
    page.locator("article.sentence .chip[aria-pressed]").first.wait_for()
    all_is_detected(page)
    seen("aspects")

    label(page, 30)
    seen("labelled")
    page.get_by_role("button", name="Tune").click()
    tuned = page.get_by_role("dialog", name="Thresholds tuned")
    tuned.wait_for()
    assert tuned.locator("tbody tr").count() == 8
    seen("tuned")
    tuned.get_by_role("button", name="Keep").click()

    page.get_by_role("button", name="How good is it?").click()
    page.get_by_role("button", name="Draw 10 to check").click()
    for place in range(10):
        page.locator(f".audit article:nth-child({place + 1})[aria-current=true]").wait_for()
        page.keyboard.press("Enter")
    page.get_by_text(re.compile("From 10 checked sentences of")).wait_for()
    seen("audit")

    page.get_by_role("tab", name="Dashboard").click()
    page.get_by_role("region", name="By segment").get_by_label("Column").select_option("country")
    side = page.get_by_role("region", name="Side by side")
    choose(side.get_by_label("Compare"), "Spain")
    choose(side.get_by_label("with"), "France")
    side.get_by_text(re.compile("More than chance: .*parking.* more often in Spain")).wait_for()
    seen("dashboard")
    side.scroll_into_view_if_needed()
    seen("segments")
    nothing_is_wrong(page, "the dashboard")
    page.get_by_role("button", name="Report …").click()
    dialog = page.get_by_role("dialog", name="Report")
    dialog.get_by_label("Title").fill("Our hotels in 2025")
    seen("report")
    with page.expect_download() as download:
        dialog.get_by_role("button", name="Save the report").click()
    download.value.save_as(report := tmp_path / "report.html")
    assert "Our hotels in 2025" in report.read_text(encoding="utf-8")

    page.locator(".project-button").click()
    page.get_by_role("menuitem", name="Export").click()
    page.get_by_role("dialog", name="Export").wait_for()
    seen("export")
    with page.expect_download() as download:
        page.get_by_role("button", name="Results as CSV").click()
    download.value.save_as(results := tmp_path / "results.csv")
    with results.open(newline="", encoding="utf-8-sig") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == sentences
    assert {"country", "rating"} <= set(rows[0])
    page.keyboard.press("Escape")

    aspects = page.locator(".aspect-name .clipped").all_inner_texts()
    address = page.url
    studio.restart(signal.SIGKILL)
    page.goto("about:blank")
    page.goto(re.sub(r"^http://[^/]+/", studio.address, address))
    page.get_by_role("region", name="How often").wait_for()
    all_is_detected(page)
    assert page.locator(".aspect-name .clipped").all_inner_texts() == aspects
    page.get_by_role("region", name="Side by side").get_by_text(re.compile("parking.* more often in Spain")).wait_for()
    seen("restarted")
    page.get_by_role("button", name="Your examples").click()
    page.locator("article.sentence.confirmed").first.wait_for()
    assert listed(page) >= 30
    seen("examples")
    page.goto("about:blank")
    opened = page.context.new_page()
    opened.goto(report.as_uri())
    opened.screenshot(path=tmp_path / "report.png", full_page=True)
    opened.get_by_role("heading", name=re.compile("^Side by side")).wait_for()

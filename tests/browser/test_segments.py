"""The other columns of a file on the page: the list filtered by them, the dashboard by segment, two side by side."""

from __future__ import annotations

import csv
import random
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from page_actions import add_aspect, import_reviews, new_project, visit
from page_checks import find_violations
from page_looks import nothing_is_wrong

pytestmark = pytest.mark.slow

PARKING = ("The garage was full.", "Parking cost 15 euros a night.", "There was no place for the car.")
BREAKFAST = ("The breakfast buffet was rich.", "Cold eggs in the morning.", "Good coffee at breakfast.")
OTHER = ("See you on Monday.", "We came by train.", "It was our second visit.")


def write_reviews(path: Path, size: int = 240) -> None:
    """In Spain people speak of parking far more often than in France; of breakfast as often."""
    draw = random.Random(5)
    with path.open("w", encoding="utf-8", newline="") as file:
        out = csv.writer(file)
        out.writerow(["country", "rating", "product", "date", "review"])
        for n in range(size):
            country = ("Spain", "France", "Portugal")[n % 3]
            said = [draw.choice(OTHER)]
            if draw.random() < {"Spain": 0.7, "France": 0.15, "Portugal": 0.4}[country]:
                said.append(draw.choice(PARKING))
            if draw.random() < 0.4:
                said.append(draw.choice(BREAKFAST))
            day = f"2024-{1 + n % 9:02}-{1 + n % 27:02}"
            out.writerow([country, draw.randint(1, 5), f"Hotel {n % 20}", day, " ".join(said)])


@pytest.fixture(scope="module")
def address(chromium: Any, studio: Any, tmp_path_factory: pytest.TempPathFactory) -> str:
    page = visit(chromium)
    page.goto(studio.address)
    page.locator(".reviews").wait_for()
    new_project(page, "Hotels by country")
    path = tmp_path_factory.mktemp("segments") / "reviews.csv"
    write_reviews(path)
    import_reviews(page, path)
    add_aspect(page, "parking", ["the garage was full", "no place for the car", "parking was expensive"])
    add_aspect(page, "breakfast", ["cold eggs at breakfast", "good coffee in the morning", "a rich buffet"])
    add_aspect(page, "wifi", ["the wifi was slow", "no internet in the room"])
    page.get_by_role("progressbar", name="Detection").wait_for(state="detached")
    found = re.match(r".*#/projects/\d+", page.url)
    page.context.close()
    assert found
    return found.group()


def go(page: Any, address: str) -> None:
    page.goto("about:blank")
    page.goto(address)
    page.locator("#tab").wait_for()


def listed(page: Any) -> int:
    shown = page.locator(".filter-line b", has_text=re.compile("sentence"))  # not while it is being asked for
    return int(shown.inner_text().split()[0].replace(",", ""))


def test_what_is_shown_before_all_is_looked_through_is_said_to_be_so_far_and_follows(page: Any, address: str) -> None:
    half = True

    def answer(route: Any) -> None:
        response = route.fetch()
        body = response.json()
        if half and "scores" in body:
            body["scores"] = dict.fromkeys(body["scores"], 0.123)
        elif half:
            body["scored"] = 0.5
        route.fulfill(response=response, json=body)

    page.route(re.compile(r"/api/v1/projects/\d+(/dashboard|/sentences/\d+)?(\?.*)?$"), answer)
    held: list[Any] = []
    page.route(re.compile(r"/sentences/\d+(\?.*)?$"), lambda route: held.append(route), times=1)
    with page.expect_request(re.compile(r"/sentences/\d+(\?.*)?$")):
        go(page, f"{address}/reviews")
    page.locator("article.sentence[aria-current=true]").wait_for()
    assert page.get_by_text("Choose a sentence to see why").count() == 0, "one is chosen"
    answer(held[0])
    scores = page.get_by_role("region", name="How sure it is").locator(".count")
    scores.get_by_text("0.12").nth(2).wait_for()
    page.get_by_role("tab", name="Dashboard").click()
    page.get_by_text("Counted so far: 50 % of the sentences.").wait_for()
    page.get_by_role("tab", name="Reviews").click()
    scores.get_by_text("0.12").nth(2).wait_for()
    half = False
    scores.get_by_text("0.12").first.wait_for(state="detached")
    page.get_by_role("tab", name="Dashboard").click()
    page.get_by_role("region", name="How often").wait_for()
    assert page.get_by_text("Counted so far").count() == 0


def test_a_long_name_leaves_room_for_the_numbers(page: Any, address: str) -> None:
    go(page, f"{address}/dashboard")
    page.get_by_role("region", name="By segment").get_by_label("Column").select_option("rating")
    page.locator(".matrix.segments th", has_text="5").first.wait_for()
    has_room(page.locator(".matrix.segments"))
    go(page, f"{address}/evaluate")
    page.get_by_label("or paste lines").fill("The garage was full. | parking")
    page.get_by_role("button", name="Evaluate", exact=True).click()
    page.locator(".numbers-table").wait_for()
    has_room(page.locator(".numbers-table"))


def has_room(table: Any) -> None:
    name = table.locator("th[scope=row]").first
    name.evaluate("own => (own.querySelector('button') ?? own).append(' and all that is near it'.repeat(4))")
    assert table.evaluate("own => own.offsetWidth <= own.parentElement.clientWidth")


def test_the_list_is_filtered_by_value_number_and_date(page: Any, address: str, shoot: Callable[[str], None]) -> None:
    go(page, f"{address}/reviews")
    page.locator("article.sentence").first.wait_for()
    everything = listed(page)
    page.get_by_role("button", name="Filter …").click()
    dialog = page.get_by_role("dialog", name="Filter by column")
    dialog.get_by_label("country").select_option(label="Spain (80)")
    rating = dialog.get_by_role("group", name="rating")
    rating.get_by_label("from").fill("4")
    dialog.get_by_role("group", name="date").get_by_label("to").fill("2024-06-30")
    dialog.get_by_label("product").fill("Hotel 3")
    shoot("segments-filter")
    assert find_violations(page) == []
    dialog.get_by_label("product").fill("")
    dialog.get_by_role("button", name="Show the sentences").click()
    page.locator(".where-chip", has_text="rating: 4 or more").wait_for()
    few = listed(page)
    assert 0 < few < everything / 3
    page.locator("article.sentence").first.click()
    fields = page.locator(".details").inner_text()
    assert "Spain" in fields
    page.reload()
    page.locator(".where-chip", has_text="date: up to 2024-06-30").wait_for()
    page.locator("article.sentence").first.wait_for()
    assert listed(page) == few
    page.locator(".where-chip", has_text="country: Spain").click()
    page.locator(".where-chip", has_text="country").wait_for(state="detached")
    page.get_by_role("button", name="Show all sentences").click()
    page.locator(".where-chip").first.wait_for(state="detached")


def test_two_segments_side_by_side_say_what_is_more_than_chance(
    page: Any, address: str, shoot: Callable[[str], None]
) -> None:
    go(page, f"{address}/dashboard")
    section = page.get_by_role("region", name="Side by side")
    section.get_by_label("Compare").select_option(label="Spain (80)")
    section.get_by_label("with").select_option(label="France (80)")
    section.get_by_text("More than chance: parking more often in Spain.").wait_for()
    rows = section.locator(".differences > li")
    parking = rows.filter(has_text="parking")
    assert "▲" in parking.inner_text()
    assert "✓ more than chance" in parking.inner_text()
    assert "could be chance" in rows.filter(has_text="breakfast").inner_text()
    complaints = parking.locator(".complained")
    complaints.get_by_text(re.compile("chance")).wait_for()
    section.scroll_into_view_if_needed()
    shoot("segments-comparison")
    complain = re.search(r"(\d+) of the \d+ reviews", complaints.locator("button").first.get_attribute("title") or "")
    complaints.locator("button").first.click()
    page.locator(".filter-line", has_text="negative").wait_for()
    assert complain
    assert listed(page) >= int(complain.group(1))
    page.go_back()
    link = page.url
    shown = int(re.search(r"(\d+) of 80", parking.locator(".bar").first.get_attribute("title") or "").group(1))
    parking.locator(".bar").first.click()
    page.locator(".where-chip", has_text="country: Spain").wait_for()
    page.locator(".filter-line", has_text="parking").wait_for()
    assert listed(page) >= shown
    page.go_back()
    section.get_by_text("More than chance: parking more often in Spain.").wait_for()
    section.get_by_label("with").select_option(label="all other reviews")
    section.get_by_text("in all other reviews").or_(section.get_by_text("parking more often in Spain")).first.wait_for()
    go(page, link)
    section.get_by_text("More than chance: parking more often in Spain.").wait_for()


def test_the_dashboard_is_of_the_segment_that_is_chosen(page: Any, address: str) -> None:
    go(page, f"{address}/dashboard")
    page.get_by_role("region", name="How often").wait_for()
    page.get_by_label("Charts of").select_option(label="country: Spain (80)")
    page.locator(".number", has_text="80").first.wait_for()
    page.get_by_role("region", name="Over time").get_by_label("By").select_option("quarter")
    column = page.get_by_role("region", name="Over time").get_by_role("button", name=re.compile("^2024 Q1")).first
    column.click()
    page.locator(".filter-line", has_text="2024-01-01 to 2024-03-31").wait_for()
    page.locator(".where-chip", has_text="country: Spain").wait_for()
    page.go_back()
    table = page.get_by_role("region", name="By segment")
    table.get_by_label("Column").select_option("rating")
    table.get_by_role("columnheader", name=re.compile("^5")).wait_for()
    table.get_by_role("button", name=re.compile("^parking, 5: [0-9]+ of [0-9]+ reviews, ")).click()
    page.locator(".where-chip", has_text="rating: 5").wait_for()
    page.locator(".where-chip", has_text="country: Spain").wait_for()


@pytest.mark.parametrize(
    "page",
    [
        {"width": width, "height": 900, "scheme": scheme} for width in (1280, 390) for scheme in ("light", "dark")
    ],
    indirect=True,
    ids=["wide-light", "wide-dark", "phone-light", "phone-dark"],
)  # fmt: skip
def test_the_dashboard_is_for_everyone(
    page: Any, address: str, shoot: Callable[[str], None], request: pytest.FixtureRequest
) -> None:
    name = request.node.callspec.id
    go(page, f"{address}/dashboard")
    for section in ("How often", "By segment", "Side by side", "Over time"):
        page.get_by_role("region", name=section).scroll_into_view_if_needed()
        shoot(f"dashboard-{section.split()[-1]}-{name}")
    nothing_is_wrong(page, "the dashboard")


def test_discovery_audit_and_needs_a_look_are_one_click_from_the_main_page(page: Any, address: str) -> None:
    go(page, f"{address}/reviews")
    page.get_by_role("button", name="Not named yet").click()
    page.get_by_role("region", name="Not named yet").wait_for()
    page.go_back()
    page.get_by_role("button", name="How good is it?").click()
    page.get_by_role("heading", name="How good is it?").wait_for()
    page.go_back()
    page.get_by_role("button", name="Needs a look").click()
    page.get_by_role("heading", name="Which answers need a look?").wait_for()

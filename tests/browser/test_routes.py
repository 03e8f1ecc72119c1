"""The address of the page: a link opens the same view again; Back, Forward and reload keep the place."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from page_actions import add_aspect, import_reviews, new_project, visit

pytestmark = pytest.mark.slow

WORDS = ("garage", "breakfast", "street")


@pytest.fixture(scope="module")
def address(chromium: Any, studio: Any, tmp_path_factory: pytest.TempPathFactory) -> str:
    """Of a project with 600 sentences and two aspects."""
    page = visit(chromium)
    page.goto(studio.address)
    page.locator(".reviews").wait_for()
    new_project(page, "Routes")
    path = tmp_path_factory.mktemp("routes") / "reviews.jsonl"
    lines = (json.dumps({"review": f"The {WORDS[n % 3]} was fine, number {n}."}) for n in range(600))
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    import_reviews(page, path)
    add_aspect(page, "parking", ["the garage was full", "no place for the car"])
    add_aspect(page, "breakfast", ["cold eggs at breakfast", "good coffee in the morning"])
    page.get_by_role("progressbar", name="Detection").wait_for(state="detached")
    found = re.match(r".*#/projects/\d+", page.url)
    page.context.close()
    assert found
    return found.group()


def go(page: Any, address: str) -> None:
    """As a link that is opened: also the page itself is loaded anew."""
    page.goto("about:blank")
    page.goto(address)
    page.locator("#tab").wait_for()


def listed(page: Any, words: str) -> None:
    page.locator(".filter-line", has_text=re.compile(words)).wait_for()


def current(page: Any) -> str:
    return page.locator("article.sentence.current").inner_text().split("\n")[0]


SCROLL = """(box, to) => new Promise((told) => {
    box.addEventListener("scroll", () => requestAnimationFrame(told), {once: true});
    box.scrollTop = to;
})"""


def scrolled(page: Any, to: int) -> None:
    for _ in range(600):
        if page.locator(".dashboard").evaluate("box => box.scrollTop") == to:
            return
        page.wait_for_timeout(50)
    raise AssertionError("the dashboard is not scrolled as it was")


def test_a_link_opens_filter_search_order_and_sentence_far_down_the_list(page: Any, address: str) -> None:
    go(page, f"{address}/reviews")
    page.locator(".aspect-name", has_text="breakfast").click()
    listed(page, "200 sentences.*breakfast")
    page.get_by_label("Search the sentences").fill("number")
    listed(page, "“number”")
    page.get_by_label("Order").select_option("uncertain")
    page.wait_for_url(re.compile("order=uncertain"))
    page.locator("article.sentence").first.wait_for()
    last = page.locator("[data-index='199'] article.sentence")
    for _ in range(100):  # the list begins anew once what was asked for is there
        page.locator(".virtual").evaluate("box => box.scrollTop = box.scrollHeight")
        page.wait_for_timeout(200)
        if last.count():
            break
    last.click()
    chosen = current(page)
    page.wait_for_url(re.compile("sentence="))
    link = page.url
    go(page, link)
    listed(page, "200 sentences.*breakfast.*“number”")
    page.locator("article.sentence.current", has_text=chosen).wait_for()
    assert page.locator("article.sentence.current").bounding_box()["y"] < 800
    assert page.get_by_label("Order").input_value() == "uncertain"
    page.locator(".details blockquote", has_text=chosen).wait_for()
    page.reload()
    page.locator("article.sentence.current", has_text=chosen).wait_for()
    assert page.url == link
    assert "token" not in page.url


def test_back_and_forward_go_from_view_to_view_not_from_sentence_to_sentence(page: Any, address: str) -> None:
    go(page, f"{address}/reviews")
    page.locator("article.sentence").nth(2).click()
    third = current(page)
    page.get_by_role("tab", name="Dashboard").click()
    page.locator(".bar", has_text="parking").click()
    listed(page, "sentences.*parking")
    page.locator("article.sentence").nth(1).click()
    page.get_by_role("tab", name="Evaluate").click()
    page.get_by_role("heading", name="How good is it?").wait_for()
    page.go_back()
    listed(page, "sentences.*parking")
    page.go_back()
    page.get_by_role("region", name="How often").wait_for()
    page.go_back()
    listed(page, "600 sentences")
    page.locator("article.sentence.current", has_text=third).wait_for()
    page.go_forward()
    page.get_by_role("region", name="How often").wait_for()
    page.go_forward()
    listed(page, "sentences.*parking")


@pytest.mark.parametrize("page", [{"height": 500}], indirect=True)
def test_the_dashboard_is_scrolled_as_it_was(page: Any, address: str) -> None:
    go(page, f"{address}/dashboard")
    box = page.locator(".dashboard")
    page.get_by_role("region", name="Together").wait_for()
    box.evaluate(SCROLL, 150)
    page.get_by_role("tab", name="Evaluate").click()
    page.get_by_role("heading", name="How good is it?").wait_for()
    page.go_back()
    scrolled(page, 150)
    page.reload()
    scrolled(page, 150)


@pytest.mark.parametrize(
    ("end", "words"),
    [
        ("/reviews?aspect=99999", "The aspect of this link is not here any more"),
        ("/reviews?sentence=99999", "The sentence of this link is not here any more"),
        ("/elsewhere", "This link leads to nothing"),
    ],
)
def test_a_link_to_what_is_gone_says_so_and_shows_the_rest(page: Any, address: str, end: str, words: str) -> None:
    go(page, address + end)
    page.get_by_text(words).wait_for()
    listed(page, "600 sentences")
    page.locator("article.sentence.current").wait_for()


def test_a_sentence_that_left_the_list_is_told_from_one_that_is_gone(page: Any, address: str) -> None:
    go(page, f"{address}/reviews?q=street")
    page.locator("article.sentence.current").wait_for()
    page.wait_for_url(re.compile("sentence="))
    go(page, page.url.replace("q=street", "q=garage"))
    page.get_by_text("The sentence of this link is not in this list any more").wait_for()


def test_the_link_of_a_removed_project_says_so(page: Any, address: str) -> None:
    go(page, re.sub(r"projects/\d+", "projects/4711", address) + "/dashboard")
    page.get_by_text("The project of this link is not here any more").wait_for()
    page.wait_for_url(re.compile(r"#/projects/\d{1,3}/reviews"))


@pytest.mark.parametrize("page", [{"width": 390, "height": 800}], indirect=True)
def test_on_a_phone_back_leads_from_the_details_to_the_list(
    page: Any, address: str, shoot: Callable[[str], None]
) -> None:
    go(page, f"{address}/reviews")
    page.locator("article.sentence").nth(1).click()
    page.get_by_role("button", name="Details").click()
    page.locator(".details blockquote").wait_for()
    shoot("route-details-phone")
    page.go_back()
    page.locator("article.sentence.current").wait_for()
    assert page.locator(".details").is_hidden()


def test_a_link_waits_for_the_token_and_does_not_carry_it(
    chromium: Any, studio: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FEWASPECT_TOKEN", "open-sesame")
    running = type(studio)(tmp_path)
    try:
        page = visit(chromium)
        plain = running.address.partition("#")[0]
        page.goto(f"{plain}#/projects/1/dashboard")
        page.get_by_label("Token").fill("open-sesame")
        page.get_by_role("button", name="Enter").click()
        page.get_by_role("region", name="How often").wait_for()
        assert page.url == f"{plain}#/projects/1/dashboard"
        page.context.close()
    finally:
        running.stop()

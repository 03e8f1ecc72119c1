"""Which answers a person relies on, and the sentences that need a look, at the page."""

from __future__ import annotations

import csv
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.slow


def reliance(page: Any) -> Any:
    return page.get_by_role("region", name="Answers to rely on")


def test_the_sentences_that_need_a_look_are_a_list_that_gets_shorter(
    page: Any, shoot: Callable[[str], None], tmp_path: Path
) -> None:
    page.locator("article.sentence .chip[aria-pressed]").first.wait_for()
    page.get_by_role("button", name=re.compile(r"^Needs a look\s*\d")).wait_for(state="detached")
    reliance(page).get_by_role("combobox").select_option("at least 8 of 10 right")
    reliance(page).get_by_text(re.compile(r"\d+ answers? of [\d,]+ accepted; [\d,]+ sentences need a look")).wait_for()
    page.locator(".chip.look .look-mark").first.wait_for()
    page.locator(".chip[title^=Accepted]").first.wait_for()
    shoot("needs-a-look")
    queue = page.get_by_role("button", name=re.compile("^Needs a look"))
    before = int(queue.locator("small").inner_text().replace(",", ""))
    queue.click()
    page.locator(".filter-line b", has_text=f"{before:,} sentences").wait_for()
    page.locator("article.sentence").first.locator(".chip.look").first.wait_for()
    page.locator("article.sentence").first.get_by_role("button", name="Confirm these aspects").click()
    page.get_by_role("button", name=re.compile("^Undo: label")).wait_for()
    page.locator(".filters small", has_text=re.compile(rf"^(?!{before:,}$)[\d,]+$")).nth(1).wait_for()
    page.locator(".project-button").click()
    page.get_by_role("menuitem", name=re.compile("^Export")).click()
    with page.expect_download() as download:
        page.get_by_role("dialog").get_by_role("button", name=re.compile("CSV")).click()
    download.value.save_as(tmp_path / "results.csv")
    with (tmp_path / "results.csv").open(newline="", encoding="utf-8-sig") as file:
        rows = list(csv.DictReader(file))
    assert {"accepted", "to_review"} <= set(rows[0])
    assert any(row["to_review"] for row in rows)


def test_too_few_examples_say_what_they_lack(page: Any, shoot: Callable[[str], None]) -> None:
    """After eight of ten right were asked for, which the examples can promise."""
    page.locator("article.sentence .chip[aria-pressed]").first.wait_for()
    reliance(page).get_by_role("combobox").select_option("at least 19 of 20 right")
    reliance(page).get_by_text(re.compile(r"Your \d+ examples are too few to promise that.")).wait_for()
    page.locator(".chip.look").first.wait_for()
    page.locator(".chip[title^=Accepted]").first.wait_for(state="detached")
    shoot("cannot-promise")
    page.get_by_role("button", name=re.compile("^Undo: accept answers")).click()
    page.locator(".chip[title^=Accepted]").first.wait_for()
    reliance(page).get_by_role("combobox").select_option("nothing")
    page.get_by_role("button", name=re.compile(r"^Needs a look\s*\d")).wait_for(state="detached")
    page.locator(".chip.look").first.wait_for(state="detached")

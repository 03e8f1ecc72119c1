"""The report from the page: written with a person's choices, one file, printed on A4."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from page_actions import add_aspect, import_reviews, new_project, visit
from page_checks import find_violations

pytestmark = pytest.mark.slow


def test_a_report_is_saved_with_title_notes_and_segments_and_prints_on_a4(
    page: Any, chromium: Any, tmp_path: Path, shoot: Callable[[str], None]
) -> None:
    new_project(page, "Report")
    path = tmp_path / "reviews.csv"
    texts = ("The garage was full when we came.", "Cold eggs in the morning, again.", "See you on Monday, dear people.")
    lines = [f'"{texts[n % 3]}",{("Spain", "France")[n % 2]},2024-0{1 + n % 7}-03' for n in range(60)]
    path.write_text("\n".join(["text,country,date", *lines]) + "\n", encoding="utf-8")
    import_reviews(page, path)
    add_aspect(page, "parking", ["the garage was full", "no place for the car"])
    add_aspect(page, "breakfast", ["cold eggs at breakfast", "good coffee in the morning"])
    add_aspect(page, "secret plans", ["nobody may know of this"])
    page.get_by_role("tab", name="Dashboard").click()
    page.get_by_role("region", name="Side by side").wait_for()
    page.get_by_role("button", name="Report …").click()
    dialog = page.get_by_role("dialog", name="Report")
    dialog.get_by_label("Title").fill("Spring <2024>")
    dialog.get_by_label("Notes").fill("What we learned & will do.")
    dialog.get_by_label("secret plans").uncheck()
    dialog.get_by_label("What is mentioned together").uncheck()
    shoot("report-dialog")
    assert find_violations(page) == []
    with page.expect_download() as download:
        dialog.get_by_role("button", name="Save the report").click()
    saved = tmp_path / "report.html"
    download.value.save_as(saved)
    assert download.value.suggested_filename == "report.html"
    text = saved.read_text(encoding="utf-8")
    assert not re.search(r"<script|<link|src=|https?://", text)
    assert "secret plans" not in text
    shown = visit(chromium, viewport={"width": 1280, "height": 900}, offline=True)
    shown.goto(saved.as_uri())
    shown.get_by_text("Spring <2024>").wait_for()
    shown.get_by_text("What we learned & will do.").wait_for()
    shown.get_by_role("heading", name="Side by side: country: Spain and country: France").wait_for()
    shown.get_by_role("heading", name=re.compile("^Over time")).wait_for()
    assert find_violations(shown) == []
    pdf = shown.pdf(prefer_css_page_size=True, print_background=True)
    assert pdf.startswith(b"%PDF")
    box = re.search(rb"/MediaBox \[0 0 ([\d.]+) ([\d.]+)\]", pdf)
    assert box
    assert [round(float(side)) for side in box.groups()] == [595, 842]
    assert shown.evaluate("() => document.documentElement.scrollWidth") <= 1280
    shown.context.close()

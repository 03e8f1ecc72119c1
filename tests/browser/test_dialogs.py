"""Every dialog, in both widths and themes, fits, and axe finds nothing; for aspects see `test_aspects_page.py`."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from page_actions import add_aspect
from page_looks import LOOKS, nothing_is_wrong

pytestmark = pytest.mark.slow

SAID = ("The garage was full when we came.", "Cold eggs in the morning, again.", "See you on Monday.")


def write_table(path: Path) -> Path:
    rows = [
        f'"{SAID[n % 3]} Room {n}.",{("Spain", "France")[n % 2]},{1 + n % 5},2024-0{1 + n % 7}-03' for n in range(40)
    ]
    path.write_text("\n".join(["review,country,rating,date", *rows]) + "\n", encoding="utf-8")
    return path


def part(page: Any, name: str) -> None:
    """On a phone one part of the page is shown at a time."""
    if page.locator(".bottom-bar").is_visible():
        page.locator(".bottom-bar").get_by_role("button", name=name).click()


@pytest.mark.parametrize("page", LOOKS, indirect=True, ids=lambda look: f"{look['width']}-{look['scheme']}")
def test_every_dialog_reads_well(
    page: Any, tmp_path: Path, shoot: Callable[[str], None], request: pytest.FixtureRequest
) -> None:
    look = request.node.callspec.id
    dialog = page.get_by_role("dialog")

    def seen(what: str) -> None:
        dialog.wait_for()
        assert dialog.evaluate("box => box.scrollWidth <= box.clientWidth"), f"{what} is wider than its dialog"
        nothing_is_wrong(page, what)
        shoot(f"dialog-{look}-{what}")

    def closed() -> None:
        page.keyboard.press("Escape")
        dialog.wait_for(state="hidden")

    def choose(item: str) -> None:
        page.locator(".project-button").click()
        page.get_by_role("menuitem", name=item).click()

    choose("New project")
    dialog.get_by_label("Name", exact=True).fill(f"Dialogs {look}")
    dialog.get_by_text("Delete the whole project").click()
    seen("project")
    dialog.get_by_role("button", name="Save", exact=True).click()
    dialog.wait_for(state="hidden")

    choose("Import reviews")
    seen("import-empty")
    (broken := tmp_path / "broken.csv").write_text("review,date\none,2,3,4\n", encoding="utf-8")
    dialog.locator("input[type=file]").set_input_files(broken)
    dialog.get_by_text("there are 4 cells, but 2 headings").wait_for()
    seen("import-problem")
    dialog.locator("input[type=file]").set_input_files(write_table(tmp_path / "hotels.csv"))
    dialog.locator(".preview td").first.wait_for()
    seen("import")
    dialog.get_by_role("button", name="Import", exact=True).click()
    page.get_by_text("40 reviews imported.").wait_for()
    part(page, "Aspects")
    add_aspect(page, "parking", ["the garage was full", "no place for the car"])
    add_aspect(page, "breakfast", ["cold eggs at breakfast", "good coffee in the morning"])
    page.get_by_role("button", name="Tune").click()
    dialog.locator("tbody tr").first.wait_for()
    seen("tuned")
    dialog.get_by_role("button", name="Keep").click()
    part(page, "Reviews")

    page.locator("article.sentence .chip[aria-pressed]").first.wait_for()
    page.keyboard.press("?")
    seen("keys")
    closed()
    page.keyboard.press("e")
    seen("example")
    closed()
    page.get_by_role("button", name="Accept these …").click()
    seen("accept")
    closed()
    page.get_by_role("button", name="Filter …").click()
    seen("filter")
    closed()
    choose("Imported files")
    dialog.get_by_role("button", name="Remove hotels.csv").wait_for()
    seen("imports")
    dialog.get_by_role("button", name="Remove hotels.csv").click()
    seen("removal")
    closed()
    choose("Export")
    dialog.locator("pre", has_text="AspectDetector").wait_for()
    seen("export")
    closed()
    page.get_by_role("tab", name="Dashboard").click()
    page.get_by_role("button", name="Report …").click()
    seen("report")
    closed()
    page.get_by_role("button", name=re.compile("^Theme")).click()
    nothing_is_wrong(page, "the menu of themes")

"""Files as people have them, on the real page: previewed, corrected, not doubled, listed, removed and brought back."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import xlsxwriter

from page_actions import new_project

pytestmark = pytest.mark.slow
SEMICOLONS = "id;Bewertung\n1;Schöne Größe, leider laut.\n2;Das Frühstück war gut.\n"


def workbook(path: Path) -> Path:
    with xlsxwriter.Workbook(str(path)) as book:
        for name, texts in (
            ("May", ["The soup was cold."]),
            ("June", ["Thin walls all night.", "The lamp was broken."]),
        ):
            sheet = book.add_worksheet(name)
            sheet.write_row(0, 0, ["Review", "stars"])
            for row, text in enumerate(texts, 1):
                sheet.write_row(row, 0, [text, row])
    return path


def choose(page: Any, path: Path) -> Any:
    """The dialog with the preview of a file."""
    page.get_by_role("button", name="Project:").click()
    page.get_by_role("menuitem", name="Import reviews").click()
    page.locator("dialog input[type=file]").set_input_files(str(path))
    page.locator("dialog .preview td").first.wait_for()
    return page.locator("dialog")


def imported(page: Any) -> Any:
    page.get_by_role("button", name="Project:").click()
    page.get_by_role("menuitem", name="Imported files").click()
    page.locator("dialog .imports, dialog .soft").first.wait_for()
    return page.locator("dialog")


def test_another_sheet_has_its_date_found_and_is_no_repeat_of_the_first(page: Any, tmp_path: Path) -> None:
    new_project(page, "Cover")
    with xlsxwriter.Workbook(str(path := tmp_path / "hotels.xlsx")) as book:
        book.add_worksheet("Cover").write_column(0, 0, ["Our hotels", "By Sales"])
        for name in ("May", "June"):
            sheet = book.add_worksheet(name)
            sheet.write_row(0, 0, ["Review", "Day"])
            sheet.write_row(1, 0, [f"It rained in {name}.", "2025-05-01"])
    dialog = choose(page, path)
    date = dialog.get_by_label("Column with the date")
    assert date.input_value() == ""
    dialog.get_by_label("Sheet").select_option("May")
    dialog.locator("td", has_text="It rained in May.").wait_for()
    assert date.input_value() == "Day"
    dialog.get_by_role("button", name="Import", exact=True).click()
    page.locator("article.sentence", has_text="It rained in May.").get_by_text("2025-05-01").wait_for()
    dialog = choose(page, path)
    dialog.get_by_label("Sheet").select_option("May")
    dialog.get_by_text("1 review of this file is in the project already").wait_for()
    dialog.get_by_label("Sheet").select_option("June")
    dialog.locator("td", has_text="It rained in June.").wait_for()
    assert dialog.get_by_label("Leave them out").count() == 0
    date.select_option("")
    dialog.get_by_label("Column with the review").select_option("Day")
    dialog.locator("th", has_text="Day").get_by_text("the review").wait_for()
    assert date.input_value() == "", "as it was said"


@pytest.mark.parametrize("page", [{"width": 1280}, {"width": 390}], indirect=True)
def test_files_are_previewed_corrected_listed_removed_and_brought_back(
    page: Any, shoot: Callable[[str], None], tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    width = page.viewport_size["width"]
    new_project(page, f"Files {width}")
    dialog = choose(page, workbook(tmp_path / "hotel.xlsx"))
    dialog.locator("td", has_text="The soup was cold.").wait_for()
    dialog.get_by_label("Sheet").select_option("June")
    dialog.locator("td", has_text="Thin walls all night.").wait_for()
    shoot(f"import-sheet-{width}")
    dialog.get_by_role("button", name="Import", exact=True).click()
    page.locator("article.sentence", has_text="The lamp was broken.").wait_for()

    (path := tmp_path / "w.csv").write_bytes(SEMICOLONS.encode("cp1252"))
    dialog = choose(page, path)
    dialog.locator("td", has_text="Schöne Größe, leider laut.").wait_for()
    assert dialog.get_by_label("Cells are separated by").input_value() == "semicolon"
    assert dialog.get_by_label("Letters are written in").input_value() == "cp1252"
    dialog.get_by_label("Letters are written in").select_option("mac-roman")
    dialog.locator("td", has_text="Schöne Größe").wait_for(state="detached")
    dialog.get_by_label("Letters are written in").select_option("cp1252")
    dialog.locator("td", has_text="Schöne Größe").wait_for()
    dialog.get_by_role("button", name="Import", exact=True).click()
    page.locator("article.sentence", has_text="Das Frühstück war gut.").wait_for()

    (tabbed := tmp_path / "w.txt").write_text("Bewertung\tSterne\nLeise.\t5\n", encoding="utf-16")
    dialog = choose(page, tabbed)
    assert dialog.get_by_label("Cells are separated by").input_value() == "tab"
    dialog.get_by_label("Cells are separated by").select_option("none")
    dialog.locator("td", has_text="Leise. 5").wait_for()
    dialog.get_by_role("button", name="Cancel").click()

    dialog = choose(page, path)
    dialog.get_by_text("2 reviews of this file are in the project already").wait_for()
    assert dialog.get_by_label("Leave them out").is_checked()
    shoot(f"import-duplicates-{width}")
    dialog.get_by_role("button", name="Import", exact=True).click()
    page.get_by_text("Nothing was added: 2 reviews were there already.").wait_for()

    (path := tmp_path / "d.csv").write_text(
        "text,day\nGood tea.,03/04/2025\nGood tea.,05/04/2025\nGood milk.,03/04/2025\n"
    )
    dialog = choose(page, path)
    dialog.get_by_text("1 review of this file repeats an earlier one word for word.").wait_for()
    assert dialog.get_by_label("Add them all the same").is_checked()
    dialog.get_by_label("Leave them out").check()
    order = dialog.get_by_label("03/04/2025 is")
    assert order.locator("option:checked").inner_text() == "March 4 (month first)"
    order.select_option("day_first")
    shoot(f"import-date-order-{width}")
    dialog.get_by_role("button", name="Import", exact=True).click()
    page.get_by_text("2 reviews imported; 1 review was a repeat.").wait_for()
    page.locator("article.sentence", has_text="Good milk.").click()
    page.locator(".details", has_text="2025-04-03").or_(page.locator("article", has_text="2025-04-03")).first.wait_for()
    dialog = imported(page)
    dialog.get_by_role("button", name="Remove d.csv").click()
    dialog.get_by_role("button", name="Remove", exact=True).click()
    dialog.locator("tbody tr").nth(2).wait_for(state="detached")
    dialog.get_by_role("button", name="Remove hotel.xlsx, June").wait_for()
    shoot(f"imported-files-{width}")
    dialog.get_by_role("button", name="Remove hotel.xlsx, June").click()
    dialog.get_by_text("Remove the 2 reviews of hotel.xlsx, June?").wait_for()
    dialog.get_by_role("button", name="Remove", exact=True).click()
    dialog.get_by_role("button", name="Undo").click()
    dialog.get_by_role("button", name="Remove hotel.xlsx, June").wait_for()
    dialog.get_by_role("button", name="Remove all reviews").click()
    shoot(f"remove-all-{width}")
    dialog.get_by_role("button", name="Remove", exact=True).click()
    dialog.get_by_text("Nothing was imported yet.").wait_for()
    dialog.get_by_role("button", name="Close").click()
    page.keyboard.press("u")
    page.locator("article.sentence", has_text="The lamp was broken.").wait_for()
    assert page.locator("article.sentence").count() == 4

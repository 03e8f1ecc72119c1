"""What docs/how-to/detect.md says can be done from the command line, done in order with the shipped weights."""

from __future__ import annotations

import csv
import json
import re
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from python_calamine import CalamineWorkbook

from page_blocks import ROOT, blocks
from page_files import write_files
from run_page import run_page

PAGE = ROOT / "docs" / "how-to" / "detect.md"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The page's files, and what its commands make of them."""
    folder = tmp_path_factory.mktemp("page")
    write_files(folder)
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        run_page(PAGE)
    return folder


def test_the_page_shows_every_command_about_reviews() -> None:
    assert {block.name for block in blocks(PAGE)} == {None, "examples.yaml", "reviews.csv"}
    shown = {word for block in blocks(PAGE) for word in re.findall(r"fewaspect (\w+)", " ".join(block.commands))}
    assert shown == {"detect", "discover", "fit", "suggest", "tune", "evaluate", "audit", "report"}


def test_tables_have_all_columns_and_plain_aspects_are_found(folder: Path) -> None:
    with (folder / "tagged.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert list(rows[0]) == [
        "id", "stars", "review", "aspects", "p_food", "p_service", "p_price", "p_parking", "text_language",
    ]  # fmt: skip
    with (folder / "reviews.csv").open(newline="") as file:
        assert [{name: row[name] for name in ("id", "stars", "review")} for row in rows] == list(csv.DictReader(file))
    assert "food" in rows[0]["aspects"].split("; ")
    assert max(("p_food", "p_service", "p_price", "p_parking"), key=lambda name: float(rows[1][name])) == "p_parking"
    header, *rows = excel_rows(folder / "sentences.xlsx")
    assert [row[header.index("row")] for row in rows] == [1, 1, 2, 3, 4]


def test_pipes_carry_the_formats_that_the_page_says(folder: Path) -> None:
    header, first = (folder / "pipe-0").read_text().splitlines()
    assert header.startswith("id,stars,review,aspects,p_food")
    assert first.startswith("1,4,")
    lines = [json.loads(line) for line in (folder / "tagged.jsonl").read_text(encoding="utf-8").splitlines()]
    assert [line["review"] for line in lines] == [row["text"] for row in csv_rows(folder / "reviews.csv", "review")]
    assert all("reason" not in line for line in lines), "the last to write it was a pipe"


def test_the_pages_show_the_reviews_with_marked_words(folder: Path) -> None:
    page = (folder / "tagged.html").read_text(encoding="utf-8")
    assert re.search(r'<mark style="--h: \d+" title="food">[^<]*pizza', page)
    report = (folder / "report.html").read_text(encoding="utf-8")
    assert "<b>4</b><span>reviews</span>" in report
    assert re.search(r'<mark style="--h: \d+" title="food">', report)


def test_suggestions_can_be_used_as_labelled_sentences(folder: Path) -> None:
    lines = [json.loads(line) for line in (folder / "next.jsonl").read_text(encoding="utf-8").splitlines()]
    assert len(lines) == 3
    assert all(line["why"] and isinstance(line["labels"], list) for line in lines)
    header, *rows = excel_rows(folder / "sentences.xlsx")
    sentences = " ".join(str(row[header.index("review")]) for row in rows)
    assert all(line["text"] in sentences for line in lines)


def test_a_saved_detector_keeps_what_was_tuned_and_a_threshold_overrules_it(folder: Path) -> None:
    saved = json.loads((folder / "detector" / "detector.json").read_text())
    assert [aspect["name"] for aspect in saved["aspects"]] == ["food", "service", "price", "parking"]
    assert all(aspect["threshold"] is not None for aspect in saved["aspects"])
    rows = pq.read_table(folder / "tagged.parquet").to_pylist()
    for row in rows:
        assert ("parking" in row["aspects"]) == (row["p_parking"] >= 0.3)


def excel_rows(path: Path) -> list[list[Any]]:
    """Those of the first sheet, the header first."""
    return CalamineWorkbook.from_path(path).get_sheet_by_index(0).to_python()


def csv_rows(path: Path, column: str) -> list[dict[str, str]]:
    with path.open(newline="") as file:
        return [{"text": row[column]} for row in csv.DictReader(file)]

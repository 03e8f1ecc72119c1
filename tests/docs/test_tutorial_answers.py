"""What the tutorials say that is found in their files is what the commands find."""

from __future__ import annotations

import csv
import re
from pathlib import Path

import pytest

from in_process import fewaspect
from page_blocks import ROOT, blocks

TUTORIALS = ROOT / "docs" / "tutorials"


def written(page: str, folder: Path) -> str:
    """The text of the page, whose files are in the folder now."""
    for block in blocks(TUTORIALS / page):
        if block.name:
            (folder / block.name).write_text(block.text, encoding="utf-8")
    return (TUTORIALS / page).read_text(encoding="utf-8")


def tagged(reviews: str, examples: str, *options: str) -> list[dict[str, str]]:
    assert fewaspect("detect", reviews, "--examples", examples, "--output", "out.csv", *options).returncode == 0
    with Path("out.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


@pytest.mark.slow
def test_the_table_of_the_command_line_tutorial_is_what_detect_finds(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    rows = re.findall(r"^\| (\d) \|(.*?)\|(.*?)\|$", written("command-line.md", tmp_path), flags=re.MULTILINE)
    for column, examples in ((1, "hotel.yaml"), (2, "hotel-2.yaml")):
        found = [(row["id"], row["aspects"]) for row in tagged("guests.csv", examples)]
        assert found == [(row[0], row[column].strip()) for row in rows], examples


@pytest.mark.slow
def test_names_alone_find_what_the_excel_tutorial_says_and_one_sentence_is_read_wrongly(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    written("excel.md", tmp_path)
    assert {row["aspects"] for row in tagged("reviews.csv", "aspects.yaml")} == {"parking", "staff", ""}
    last = tagged("reviews.csv", "aspects-2.yaml", "--sentiment")[-1]
    assert last["review"] == "The garage was full. Cold soup, too."
    assert (last["sentiment_parking"], last["sentiment_food"]) == ("positive", "positive")

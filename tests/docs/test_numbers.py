"""Numbers in prose are those of the results files."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
sys.path.append(str(ROOT / "docs" / "tools"))

from fill_numbers import MARKED, filled, pages  # noqa: E402
from measured import measured  # noqa: E402


@pytest.fixture(scope="module")
def numbers() -> dict[str, str]:
    return measured()


@pytest.mark.parametrize("page", list(pages()), ids=lambda page: page.relative_to(ROOT).as_posix())
def test_the_numbers_of_a_page_are_what_was_measured(page: Path, numbers: dict[str, str]) -> None:
    """Otherwise: python docs/tools/fill_numbers.py."""
    text = page.read_text(encoding="utf-8")
    assert filled(text, numbers, page.name) == text


def test_every_comment_of_a_number_is_whole() -> None:
    for page in pages():
        text = page.read_text(encoding="utf-8")
        assert text.count("<!--=") == len(MARKED.findall(text)) == text.count("<!--/-->"), page


def test_another_measurement_changes_the_page() -> None:
    page = "A core reads <!--= bulk.speed -->252<!--/--> sentences.\n<!--= bulk.cores -->\n| old |\n<!--/-->\n"
    new = filled(page, {"bulk.speed": "300", "bulk.cores": "| new |"}, "page.md")
    assert new == page.replace("252", "300").replace("old", "new")
    assert filled(new, {"bulk.speed": "300", "bulk.cores": "| new |"}, "page.md") == new


@pytest.mark.parametrize(
    ("page", "message"),
    [("a <!--= no.such -->1<!--/-->", "no.such is not measured"), ("<!--= bulk.speed -->1<!--/--> a", "beginning")],
)
def test_what_cannot_be_filled_in_is_refused(page: str, message: str) -> None:
    with pytest.raises(SystemExit, match=message):
        filled(page, {"bulk.speed": "252"}, "page.md")


def test_the_names_are_listed_with_their_numbers() -> None:
    command = [sys.executable, str(ROOT / "docs" / "tools" / "fill_numbers.py"), "--list"]
    listed = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    assert "practical.f1.fewaspect.5  " in listed

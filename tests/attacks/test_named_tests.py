"""Pages that name tests as proof name tests that there are."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
NAMED = re.compile(r"`(tests/[\w/.]+?\.py)(?:::(\w+))?`")


@pytest.mark.parametrize("page", ["SECURITY.md", "docs/explanation/hardening.md"])
def test_every_test_that_a_page_names_is_there(page: str) -> None:
    named = NAMED.findall((ROOT / page).read_text(encoding="utf-8"))
    assert len(named) > 10
    for path, name in named:
        content = (ROOT / path).read_text(encoding="utf-8")
        assert not name or f"def {name}(" in content, f"{path}::{name}"


def test_every_defect_of_the_list_has_its_tests() -> None:
    page = (ROOT / "docs/explanation/hardening.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| (\d+) \| [^|]+ \| (.+) \|$", page, re.MULTILINE)
    assert [int(number) for number, _ in rows] == list(range(1, 17))
    assert all(NAMED.search(tests) for _, tests in rows)

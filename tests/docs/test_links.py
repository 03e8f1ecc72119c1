"""Links between pages lead to a file, and to a heading of it if they name one."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGES = [*sorted(ROOT.glob("*.md")), *sorted((ROOT / "docs").rglob("*.md"))]
FENCE = re.compile(r"^ *(```|~~~).*?^ *\1", flags=re.DOTALL | re.MULTILINE)
LINK = re.compile(r"""\]\(([^)\s]+)\)|(?:src|href)="([^"]+)\"""")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_every_link_of_a_page_leads_somewhere(page: Path) -> None:
    prose = FENCE.sub("", page.read_text(encoding="utf-8"))
    links = [plain or html for plain, html in LINK.findall(prose)]
    assert not [link for link in links if not _leads_somewhere(page, link)]


def _leads_somewhere(page: Path, link: str) -> bool:
    if re.match("[a-z]+:", link):
        return True  # of the web, which tests do not ask
    name, _, anchor = link.partition("#")
    target = page.parent / name if name else page
    if not target.exists():
        return False
    return not anchor or _is_generated(target) or anchor in _anchors(target)


def _is_generated(page: Path) -> bool:
    """In part: of these, test_site.py checks the finished page."""
    text = page.read_text(encoding="utf-8")
    return "<!-- generated: " in text or "\n::: " in text


def _anchors(page: Path) -> set[str]:
    """The headings, as GitHub and MkDocs name them."""
    headings = re.findall(r"^#+ (.+)$", FENCE.sub("", page.read_text(encoding="utf-8")), flags=re.MULTILINE)
    return {re.sub(r"[^\w -]", "", heading.lower()).strip().replace(" ", "-") for heading in headings}

"""How the page must look: narrow and wide, light and dark, and nothing that shuts somebody out."""

from __future__ import annotations

from typing import Any

from page_checks import find_violations

LOOKS = [{"width": w, "height": h, "scheme": s} for w, h in ((1280, 800), (390, 844)) for s in ("light", "dark")]

SIDEWAYS = """() => [...document.querySelectorAll("body *")]
    .filter((own) => own.scrollWidth > own.clientWidth && ["auto", "scroll"].includes(getComputedStyle(own).overflowX))
    .filter((own) => !own.matches(".scroll-x, pre, textarea, input, select")).map((own) => own.className)"""


def nothing_is_wrong(page: Any, what: str) -> None:
    """Neither it nor a part of it scrolls sideways, but wide tables and code, and axe finds nothing."""
    wide, seen = page.evaluate("() => [document.documentElement.scrollWidth, document.documentElement.clientWidth]")
    assert wide <= seen, f"{what} scrolls sideways"
    assert page.evaluate(SIDEWAYS) == [], f"{what} scrolls sideways within"
    assert find_violations(page) == [], what

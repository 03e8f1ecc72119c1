"""How the page must look: narrow and wide, light and dark, and nothing that shuts somebody out."""

from __future__ import annotations

from typing import Any

from page_checks import find_violations

LOOKS = [{"width": w, "height": h, "scheme": s} for w, h in ((1280, 800), (390, 844)) for s in ("light", "dark")]


def nothing_is_wrong(page: Any, what: str) -> None:
    """It does not scroll sideways, and axe finds nothing."""
    wide, seen = page.evaluate("() => [document.documentElement.scrollWidth, document.documentElement.clientWidth]")
    assert wide <= seen, f"{what} scrolls sideways"
    assert find_violations(page) == [], what

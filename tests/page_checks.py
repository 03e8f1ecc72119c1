"""What is checked of the studio's page in several tests."""

from __future__ import annotations

from typing import Any

import pytest


def find_violations(page: Any) -> list[tuple[str, list[str]]]:
    """What axe finds against WCAG 2 A and AA: the rule, and the elements."""
    axe = pytest.importorskip("axe_playwright_python.sync_playwright").Axe()
    found = axe.run(page, options={"runOnly": ["wcag2a", "wcag2aa"]}).response["violations"]
    return [(one["id"], [node["html"][:120] for node in one["nodes"][:3]]) for one in found]

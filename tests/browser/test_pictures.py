"""The pictures of the docs show finished pages."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.slow
sys.path.append(str(Path(__file__).parents[2] / "docs" / "tools"))

from pictures import COMPLETE  # noqa: E402

BUSY = (
    "<p>Still reading …</p>",
    "<p>Working it out from your examples …</p>",
    "<div aria-busy='true'>x</div>",
    "<div role='progressbar'>x</div>",
    "<div class='toast'>240 reviews imported.</div>",
)


def test_a_page_is_complete_when_nothing_on_it_is_worked_on(chromium: Any) -> None:
    page = chromium.new_page()
    for busy in BUSY:
        page.set_content(f"<button>Report …</button>{busy}")
        assert not page.evaluate(COMPLETE), busy
    page.set_content("<button>Report …</button><p>Reading is fun.</p>")
    assert page.evaluate(COMPLETE)
    page.close()

"""Progress is shown on a terminal only."""

from __future__ import annotations

from io import StringIO

import pytest
from rich.console import Console

from fewaspect.core.progress import review_progress


@pytest.mark.parametrize(("total", "shown"), [(20, "7/20"), (None, "7/?")])
def test_a_terminal_sees_reviews_and_sentences_per_second(total: int | None, shown: str) -> None:
    (screen := StringIO()).isatty = lambda: True  # type: ignore[method-assign]
    with review_progress(
        Console(file=screen, force_terminal=True, width=120), "detecting", total, lambda: 1234.4
    ) as progress:
        progress(7)
    assert shown in screen.getvalue()
    assert "1,234 sentences/s" in screen.getvalue()


@pytest.mark.parametrize("forced", ["", "1"])
def test_a_file_sees_nothing_also_where_colours_are_forced(monkeypatch: pytest.MonkeyPatch, forced: str) -> None:
    monkeypatch.setenv("FORCE_COLOR", forced)
    log = StringIO()
    with review_progress(Console(file=log), "detecting", 20, lambda: 1.0) as progress:
        progress(7)
    assert log.getvalue().strip() == ""

"""The quickstart's results as one self-contained HTML page."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from fewaspect.files import atomic_write
from fewaspect.quickstart.tagging import Tagged


def write_page(
    path: Path, examples: Mapping[str, Sequence[str]], tagged: Sequence[Tagged], result: Mapping[str, Any]
) -> None:
    """Review text is escaped: `<script>` in a review is shown, not run."""
    from jinja2 import Environment, PackageLoader, StrictUndefined

    environment = Environment(
        loader=PackageLoader("fewaspect.quickstart", "."), autoescape=True, undefined=StrictUndefined,
        trim_blocks=True, lstrip_blocks=True,
    )  # fmt: skip
    page = environment.get_template("page.html").render(
        aspects=list(examples), examples=examples, tagged=tagged, result=result
    )
    path.parent.mkdir(parents=True, exist_ok=True)
    with atomic_write(path) as file:
        file.write(page)

"""`fewaspect quickstart`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def quickstart(
    out: Annotated[
        Path, typer.Option("--out", metavar="FOLDER", help="Folder for examples, reviews and the page.")
    ] = Path("quickstart"),
) -> None:
    """Tag reviews from a few examples per aspect, in the terminal and on a page, and measure; all offline."""
    from fewaspect.reviews.quickstart import run_quickstart

    run_quickstart(out)

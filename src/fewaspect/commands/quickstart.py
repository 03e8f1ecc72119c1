"""`fewaspect quickstart`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def quickstart(
    out: Annotated[Path, typer.Option("--out", metavar="FOLDER", help="Folder for the run and the page.")] = Path(
        "quickstart"
    ),
) -> None:
    """Train briefly on the sample set, evaluate on unseen aspects, tag unseen reviews; all offline."""
    from fewaspect.quickstart import run_quickstart

    run_quickstart(out)

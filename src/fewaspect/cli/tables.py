"""`fewaspect tables`."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Annotated

import typer

from fewaspect.core.errors import ConfigError

_BY_SUFFIX = {".md": "markdown", ".tex": "latex", ".jsonl": "jsonl"}


def tables(
    cells: Annotated[Path, typer.Argument(metavar="CELLS", help="Grid folder, or a results file (*.jsonl).")],
    format: Annotated[
        str | None,
        typer.Option(
            help="terminal, markdown, latex, or jsonl: the cells themselves, collected into one results file. "
            "By default as the ending of --out says."
        ),
    ] = None,
    out: Annotated[Path | None, typer.Option("--out", metavar="FILE", help="Write the tables here.")] = None,
) -> None:
    """The paper's tables from the cells of a benchmark, each number beside the published one."""
    from fewaspect.core.files import atomic_write
    from fewaspect.experiments.cells import KEY, read_cells
    from fewaspect.experiments.results_file import write_results
    from fewaspect.experiments.tables import FORMATS
    from fewaspect.experiments.tables.tabulation import tabulate

    chosen = format or _BY_SUFFIX.get(out.suffix if out else "", "terminal")
    if chosen not in (*FORMATS, "jsonl"):
        raise ConfigError(f'--format: expected one of {", ".join(FORMATS)}, jsonl, found "{chosen}".')
    if chosen == "jsonl":
        if out is None:
            raise ConfigError("--format jsonl: expected --out FILE as well, found none.")
        write_results(out, read_cells(cells), KEY)
        return
    text = FORMATS[chosen](tabulate(read_cells(cells)))
    if out is None:
        typer.echo(text, nl=False)
        return
    with atomic_write(out) as file:
        file.write(re.sub(r"\x1b\[[0-9;]*m", "", text))  # colours are for the terminal

"""`fewaspect export`: a training run as a model that the detector reads, without torch."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def export(
    source: Annotated[
        Path, typer.Argument(metavar="RUN", help="A training run of lpn-plus, or a detector saved on one.")
    ],
    output: Annotated[Path, typer.Argument(metavar="OUT", help="The folder to write.")],
    precision: Annotated[
        str, typer.Option(metavar="NAME", help="int8: small and fast; fp32: equal to torch.")
    ] = "int8",
) -> None:
    """Export a run as one ONNX model with all it needs, compared with torch first."""
    from rich.console import Console
    from rich.table import Table

    from fewaspect.core.extras import require

    require("torch", "train", "Export")
    from fewaspect.training.export import export as write

    parity = write(source, output, precision)
    table = Table("compared with torch", "", show_header=False)
    for name, value in parity.items():
        table.add_row(name.replace("_", " "), f"{value:.6g}" if isinstance(value, float) else str(value))
    Console().print(table)
    whole = (output / "detector.json").is_file()
    use = (
        "--model OUT, AspectDetector.load(OUT)"
        if whole
        else "--examples EXAMPLES --model OUT, AspectDetector(model=OUT)"
    )
    typer.echo(f"{output}: {precision}. Use it as: {use}")

"""`fewaspect export`: a detector as ONNX, which serves without torch."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def export(
    model: Annotated[Path, typer.Argument(metavar="MODEL", help="What `fewaspect fit` saved, or a training run.")],
    output: Annotated[Path, typer.Argument(metavar="OUT", help="The folder to write.")],
    backend: Annotated[
        str, typer.Option("--backend", metavar="NAME", help="onnx-int8, or onnx: single precision, equal to torch.")
    ] = "onnx-int8",
) -> None:
    """Write a detector as an ONNX model with all it needs, compared with torch first; it serves where no torch is."""
    from rich.console import Console
    from rich.table import Table

    from fewaspect.core.extras import require

    require("torch", "train", "Export")
    from fewaspect.training.export import export as write

    parity = write(model, output, backend)
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
    typer.echo(f"{output}: {parity['backend']}. Use it as: {use}")

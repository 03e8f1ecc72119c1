"""`fewaspect figures`: pictures of benchmark cells and training runs, as PNG and SVG."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from fewaspect.cli.options import DataFolder, Offline
from fewaspect.core.errors import ConfigError
from fewaspect.core.extras import require

if TYPE_CHECKING:
    from matplotlib.figure import Figure

app = typer.Typer(help="Draw results and runs as PNG and SVG, with their numbers as JSON.", no_args_is_help=True)

Cells = Annotated[Path, typer.Argument(metavar="CELLS", help="Results file (*.jsonl) or grid folder.")]
Runs = Annotated[list[Path], typer.Argument(metavar="RUN...", help="Folders of training runs.")]
Out = Annotated[Path, typer.Option(metavar="FOLDER", help="Folder for the figure; made if missing.")]
Encoder = Annotated[str, typer.Option(help="Cells of this encoder.")]
Protocol = Annotated[str, typer.Option(help="Cells of this sampler.")]


@app.command("k-curve")
def k_curve(
    cells: Cells,
    out: Out,
    method: Annotated[str, typer.Option(help="Method whose rank was varied.")] = "lpn",
    benchmark: Annotated[str, typer.Option(help="Whose validation aspects.")] = "fewasp",
    way: Annotated[int, typer.Option(help="N of the cells.")] = 5,
    shot: Annotated[int, typer.Option(help="K of the cells.")] = 5,
    encoder: Encoder = "minilm",
    protocol: Protocol = "disjoint",
) -> None:
    """AUC and F1 on validation aspects against the rank k of the bilinear shot weights."""
    require("matplotlib", "train", "Drawing")
    from fewaspect.experiments.cells import read_cells
    from fewaspect.experiments.figures.cell_selection import join_distinct
    from fewaspect.experiments.figures.k_curve import draw_k_curve
    from fewaspect.experiments.figures.k_curve import k_curve as curve_of

    curve = curve_of(
        read_cells(cells),
        method=method,
        benchmark=benchmark,
        way=way,
        shot=shot,
        encoder=encoder,
        protocol=protocol,
    )
    if curve.missing:
        _warn(f"No cells for k = {join_distinct(curve.missing)}; the curve leaves them out.")
    _write(out, "k-curve", lambda: draw_k_curve(curve), asdict(curve))


@app.command("bars")
def bars(cells: Cells, out: Out, encoder: Encoder = "minilm", protocol: Protocol = "disjoint") -> None:
    """Measured rows beside the published table: three benchmarks, four settings, F1 and AUC."""
    require("matplotlib", "train", "Drawing")
    from fewaspect.experiments.cells import read_cells
    from fewaspect.experiments.figures.bars import bars as bars_of
    from fewaspect.experiments.figures.bars import draw_bars

    data = bars_of(read_cells(cells), encoder=encoder, protocol=protocol)
    if data.missing:
        _warn(f"No cells for {len(data.missing)} bars, among them: {'; '.join(data.missing[:3])}.")
    _write(out, "bars", lambda: draw_bars(data), asdict(data))


@app.command("learning-curves")
def learning_curves(runs: Runs, out: Out) -> None:
    """Loss parts and validation scores against the step."""
    require("matplotlib", "train", "Drawing")
    from fewaspect.experiments.figures.learning_curves import draw_learning_curves, read_curves

    curves = read_curves(runs)
    _write(out, "learning-curves", lambda: draw_learning_curves(curves), [asdict(curve) for curve in curves])


@app.command("prototypes")
def prototypes(
    out: Out,
    runs: Annotated[list[Path] | None, typer.Argument(metavar="RUN...", help="Folders of training runs.")] = None,
    data: DataFolder = None,
    benchmark: Annotated[str, typer.Option(help="Whose test aspects.")] = "fewasp-multi",
    way: Annotated[int, typer.Option(help="Classes per episode, N.")] = 5,
    shot: Annotated[int, typer.Option(help="Support sentences per class, K.")] = 5,
    episodes: Annotated[int, typer.Option(help="Number of episodes.")] = 3000,
    seed: Annotated[int, typer.Option(help="Seed of the episodes.")] = 1,
    points: Annotated[int, typer.Option(min=10, help="Prototypes on the map; t-SNE of more takes longer.")] = 6000,
    redraw: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Draw the points of this prototypes.npz again.")
    ] = None,
    offline: Offline = False,
) -> None:
    """Maps of the prototypes of many test episodes, one panel per run, coloured by aspect (t-SNE)."""
    if bool(runs) == bool(redraw):
        raise ConfigError("expected folders of runs, or --redraw with the points of an earlier map; give one of them.")
    require("matplotlib", "train", "Drawing")

    from fewaspect.core.settings import EvaluateSettings
    from fewaspect.experiments.figures.figure_style import output_folder
    from fewaspect.experiments.figures.prototype_map import load_map, map_prototypes, save_map
    from fewaspect.experiments.figures.prototype_panels import draw_prototypes

    folder = output_folder(out)
    if redraw:
        found = load_map(redraw)
    else:
        settings = EvaluateSettings(benchmark, "test", str(way), str(shot), episodes=episodes, seed=seed)
        found = map_prototypes(runs or [], settings, data, points, offline=offline or None)
        save_map(folder / "prototypes.npz", found)
    _write(folder, "prototypes", lambda: draw_prototypes(found), found.numbers())


def _write(out: Path, name: str, draw: Callable[[], Figure], numbers: Any) -> None:
    from fewaspect.experiments.figures.figure_style import output_folder, write_figure

    for path in write_figure(output_folder(out), name, draw, numbers):
        typer.echo(path)


def _warn(text: str) -> None:
    typer.echo(text, err=True)

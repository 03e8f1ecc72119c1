"""`fewaspect benchmark`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from fewaspect.cli.options import DataFolder, Offline
from fewaspect.core.errors import ConfigError
from fewaspect.core.extras import require

if TYPE_CHECKING:
    from fewaspect.experiments.grid.grid_runs import Run


def benchmark(
    grid: Annotated[str, typer.Argument(metavar="GRID", help="A profile (cpu, paper, k-curve) or a YAML file.")],
    out: Annotated[Path, typer.Option("--out", metavar="FOLDER", help="Folder for the runs and the cells.")],
    address: Annotated[
        str | None,
        typer.Argument(
            metavar="[ADDRESS]",
            help="After --ray: the cluster (HOST:6379, ray://HOST:10001); local: a new one.",
            show_default=False,
        ),
    ] = None,
    data: DataFolder = None,
    only: Annotated[
        list[str] | None,
        typer.Option(
            metavar="PATTERN",
            help="Only cells that match row/benchmark/setting/seed, each part with * and ?; parts left out at the end "
            "are free. 'lpn*/fewasp-multi', '*/*/5-way-5-shot/seed-0'. Given several times: cells that match any.",
        ),
    ] = None,
    list_cells: Annotated[bool, typer.Option("--list", help="List the cells and their state, and stop.")] = False,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Print what would be done and for how long, and stop.")
    ] = False,
    keep_going: Annotated[
        bool, typer.Option("--keep-going", help="Continue after a cell that fails; list the failures at the end.")
    ] = False,
    ray: Annotated[
        bool,
        typer.Option("--ray", help="Run them as tasks on a Ray cluster: the one at ADDRESS, or on this machine."),
    ] = False,
    ray_cpus: Annotated[float, typer.Option(min=0, metavar="N", help="CPUs that a run on Ray takes.")] = 1,
    ray_gpus: Annotated[float, typer.Option(min=0, metavar="N", help="GPUs that a run on Ray takes.")] = 0,
    offline: Offline = False,
) -> None:
    """Train and evaluate a grid of methods, benchmarks, settings and seeds; one JSON file per cell.

    It can be killed at any moment: the same command resumes where it stopped. Started twice, the two share the work.
    """
    from fewaspect.experiments.grid.grid_config import load_config
    from fewaspect.experiments.grid.grid_runs import build_runs, select_cells

    if out.exists() and not out.is_dir():
        raise ConfigError(f"{out}: expected a folder for the runs and the cells, found a file.")
    if address and not ray:
        raise ConfigError(f'expected one GRID, found "{address}" as well; an address of a cluster needs --ray.')
    runs = select_cells(build_runs(load_config(grid), grid), only or [])
    if list_cells or dry_run:
        _show(runs, out, list_cells)
        return

    require("torch", "train", "A benchmark")
    from fewaspect.experiments.grid.grid_execution import run_grid
    from fewaspect.experiments.grid.grid_on_ray import RayCluster

    cluster = RayCluster(address, ray_cpus, ray_gpus) if ray else None
    failures, held = run_grid(runs, out, data, offline=offline, keep_going=keep_going, cluster=cluster)
    _report(out, failures, held)


def _show(runs: list[Run], out: Path, states: bool) -> None:
    from fewaspect.experiments.grid.grid_folder import GridFolder, list_cells, list_plan

    for line in (list_cells if states else list_plan)(runs, GridFolder(out)):
        typer.echo(line)


def _report(out: Path, failures: dict[str, str], held: list[Run]) -> None:
    if held:
        typer.echo(f"{sum(len(run.cells) for run in held)} cells are left to another process that is at them.")
    if failures:
        typer.echo(f"{len(failures)} cells failed:")
        for name, reason in failures.items():
            typer.echo(f"  {name}: {reason}")
        raise typer.Exit(1)
    typer.echo(f"the cells are in {out / 'cells'}; `fewaspect tables {out}` shows them")

"""`fewaspect train`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from fewaspect.cli.options import ConfigFile, DataFolder, Offline, method_panels, resolve_settings, with_settings
from fewaspect.core.extras import require
from fewaspect.core.settings import TrainSettings


@with_settings(("Training", TrainSettings), *method_panels())
def train(
    out: Annotated[Path, typer.Option("--out", metavar="RUN", help="Folder for the run.")],
    flags: dict[str, Any],
    data: DataFolder = None,
    config: ConfigFile = None,
    resume: Annotated[bool, typer.Option("--resume", help="Continue the run in that folder where it stopped.")] = False,
    offline: Offline = False,
) -> None:
    """Train a method on the aspects of a benchmark's training split."""
    settings, method = resolve_settings(flags, config)
    require("torch", "train", "Training")

    from accelerate import PartialState
    from rich.console import Console

    from fewaspect.training.run_folder import RunSettings
    from fewaspect.training.trainer import train as run_training

    state = run_training(RunSettings(settings, method), data, out, resume=resume, offline=offline or None)
    Console(quiet=not PartialState().is_main_process).print(
        f"best validation {settings.validation_metric} {state.best:.2f} at step {state.best_step} of {state.step}, "
        f"{state.seconds:.0f} s of training; the run is in {out}",
        highlight=False,
    )

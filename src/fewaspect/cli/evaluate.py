"""`fewaspect evaluate`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from fewaspect.cli.options import ConfigFile, DataFolder, Offline, with_settings
from fewaspect.core.errors import ConfigError
from fewaspect.core.extras import require
from fewaspect.core.settings import EvaluateSettings, build_settings, read_config, to_json


@with_settings(("Evaluation", EvaluateSettings))
def evaluate(
    run: Annotated[Path, typer.Argument(metavar="RUN", help="Folder of a training run.")],
    flags: dict[str, Any],
    data: DataFolder = None,
    config: ConfigFile = None,
    json_out: Annotated[Path | None, typer.Option("--json", metavar="OUT", help="Write the results here.")] = None,
    offline: Offline = False,
) -> None:
    """Score a trained method on aspects it has never seen, with 95 % intervals over episodes."""
    where = str(config or "flags")
    settings = build_settings(EvaluateSettings, {**(read_config(config) if config else {}), **flags}, where)
    require("torch", "train", "Evaluation")

    from rich.console import Console

    from fewaspect.core.files import atomic_write
    from fewaspect.evaluation.result_table import results_table
    from fewaspect.training.evaluate_run import evaluate_run

    if json_out and not json_out.resolve().parent.is_dir():
        raise ConfigError(f"{json_out}: expected a file in a folder that exists, found no such folder.")
    result = evaluate_run(run, settings, data, offline=offline or None)
    Console().print(results_table(result))
    if json_out:
        with atomic_write(json_out) as file:
            file.write(to_json(result))

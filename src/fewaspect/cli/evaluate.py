"""`fewaspect evaluate`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from fewaspect.cli.options import ConfigFile, DataFolder, Offline, with_settings
from fewaspect.core.errors import ConfigError
from fewaspect.core.extras import require
from fewaspect.core.settings import EvaluateSettings, build_settings, read_config, to_json

if TYPE_CHECKING:
    from rich.table import Table

_ROWS = {
    "auc": "AUC",
    "f1": "macro-F1",
    "micro_f1": "micro-F1",
    "oracle_count_f1": "macro-F1, oracle count",
    "count_accuracy": "count accuracy",
    "always_one_accuracy": 'count accuracy of "always one"',
}


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
    from fewaspect.training.evaluate_run import evaluate_run

    if json_out and not json_out.resolve().parent.is_dir():
        raise ConfigError(f"{json_out}: expected a file in a folder that exists, found no such folder.")
    result = evaluate_run(run, settings, data, offline=offline or None)
    Console().print(results_table(result))
    if json_out:
        with atomic_write(json_out) as file:
            file.write(to_json(result))


def results_table(result: dict[str, Any]) -> Table:
    """The metrics with their intervals, in percent."""
    from rich.table import Table

    title = (
        f"{result['title']} on {result['benchmark']} ({result['split']}), {result['way']}-way {result['shot']}-shot, "
        f"{result['episodes']} episodes"
    )
    caption = f"encoder {result['encoder']}, trained on {result['train']}, sampler {result['protocol']}"
    table = Table("", "mean", "95 % interval", title=title, caption=caption, title_justify="left")
    for name, label in _ROWS.items():
        mean, low, high = (_shown(result[name][part]) for part in ("mean", "low", "high"))
        table.add_row(label, f"[bold]{mean}[/bold]", f"{low} to {high}")
    return table


def _shown(value: float | None) -> str:
    return "-" if value is None else f"{value:.2f}"

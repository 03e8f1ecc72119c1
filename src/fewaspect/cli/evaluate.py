"""`fewaspect evaluate`."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from fewaspect.cli.options import ConfigFile, DataFolder, Offline, with_settings
from fewaspect.cli.review_options import is_same_file
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
_SAVED, _RUN = "detector.json", "run.json"


@with_settings(("Evaluation of a run", EvaluateSettings))
def evaluate(
    run: Annotated[Path, typer.Argument(metavar="RUN|MODEL", help="A training run, or what `fewaspect fit` saved.")],
    flags: dict[str, Any],
    labelled: Annotated[
        Path | None, typer.Argument(metavar="LABELLED", help="Labelled sentences, for a saved detector.")
    ] = None,
    data: DataFolder = None,
    config: ConfigFile = None,
    json_out: Annotated[Path | None, typer.Option("--json", metavar="OUT", help="Write the results here.")] = None,
    offline: Offline = False,
) -> None:
    """Measure a saved detector on labelled sentences, or a trained method on aspects it has never seen, with 95 %
    intervals over sentences or episodes."""
    saved = (run / _SAVED).is_file()
    if not saved and labelled is None:
        require("torch", "train", "Evaluation")
    if not saved and not (run / _RUN).is_file():
        raise ConfigError(
            f"{run}: expected a training run ({_RUN}) or a saved detector ({_SAVED}), found neither.\n"
            "`fewaspect train` makes the first, `fewaspect fit` the second."
        )
    if json_out and not json_out.resolve().parent.is_dir():
        raise ConfigError(f"{json_out}: expected a file in a folder that exists, found no such folder.")
    for read in (labelled, run / _SAVED, run / _RUN):
        if json_out and read and is_same_file(str(read), json_out):
            raise ConfigError(f"{json_out}: --json names a file that is read.\nName another file.")
    if saved:
        _refuse_options_of_runs(run, flags, data, config, offline)
        result, table = _of_detector(run, labelled)
    else:
        if labelled:
            raise ConfigError(
                f"{labelled}: expected no labelled file beside the training run {run}, found one.\n"
                "A run is evaluated on a benchmark (--benchmark); what `fewaspect fit` saved, on labelled sentences."
            )
        result, table = _of_run(run, flags, data, config, offline)

    from rich.console import Console

    from fewaspect.core.files import atomic_write

    Console().print(table)
    if json_out:
        with atomic_write(json_out) as file:
            file.write(to_json(result))


def _of_run(
    run: Path, flags: dict[str, Any], data: Path | None, config: Path | None, offline: bool
) -> tuple[dict[str, Any], Table]:
    where = str(config or "flags")
    settings = build_settings(EvaluateSettings, {**(read_config(config) if config else {}), **flags}, where)

    from fewaspect.training.evaluate_run import evaluate_run

    result = evaluate_run(run, settings, data, offline=offline or None)
    return result, results_table(result)


def _of_detector(model: Path, labelled: Path | None) -> tuple[dict[str, Any], Table]:
    if labelled is None:
        raise ConfigError(
            f"{model}: expected labelled sentences to measure a saved detector on, found none named.\n"
            "Write: fewaspect evaluate MODEL LABELLED. Without any, `fewaspect audit` draws sentences to check."
        )
    from fewaspect.cli.tune import read_known
    from fewaspect.detector.detector import AspectDetector

    detector = AspectDetector.load(model)
    texts, labels = read_known(labelled, detector)
    result = {"model": str(model), "labelled": str(labelled), **detector.evaluate(texts, labels, intervals=True)}
    return result, detector_table(result)


def _refuse_options_of_runs(
    model: Path, flags: dict[str, Any], data: Path | None, config: Path | None, offline: bool
) -> None:
    """A data folder that the environment names is not given here."""
    given = [f"--{name.replace('_', '-')}" for name in flags]
    given += ["--config"] * (config is not None) + ["--offline"] * offline
    given += ["--data"] * (data is not None and str(data) != os.environ.get("FEWASPECT_DATA"))
    if given:
        raise ConfigError(
            f"{given[0]}: expected for a training run, found with the saved detector {model}. Leave it out."
        )


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


def detector_table(result: dict[str, Any]) -> Table:
    """Each aspect with how many texts have it, then the metrics of all, in percent with intervals."""
    from rich.table import Table
    from rich.text import Text

    from fewaspect.data.formats.records import printable

    title = f"{result['labelled']}: {result['texts']:,} sentences, 95 % bootstrap intervals"
    table = Table("aspect", title=title, title_justify="left")
    for column in ("texts", "precision", "recall", "F1", "average precision"):
        table.add_column(column, justify="right")
    for name, row in result["aspects"].items():
        cells = (_interval(row[key]) for key in ("precision", "recall", "f1", "average_precision"))
        table.add_row(Text(printable(name)), f"{row['texts']:,}", *cells)
    table.add_section()
    for label, f1, precision in (
        ("macro", result["macro_f1"], result["mean_average_precision"]), ("micro", result["micro_f1"], None),
    ):  # fmt: skip
        table.add_row(label, "", "", "", _interval(f1), _interval(precision) if precision else "")
    unmeasured = ", ".join(map(printable, result["without_texts"]))
    table.caption = (
        f"without any aspect {result['empties']:,}, of these answered with none {_interval(result['empty_accuracy'])}; "
        f"calibration error {_interval(result['expected_calibration_error'])}"
        + (f"; in no sentence, so not in macro: {unmeasured}" if unmeasured else "")
    )
    return table


def _interval(metric: dict[str, float | None]) -> str:
    value, low, high = (metric[part] for part in ("value", "low", "high"))
    if value is None or low is None or high is None:
        return "-"
    return f"{100 * value:.1f} ({100 * low:.1f} to {100 * high:.1f})"


def _shown(value: float | None) -> str:
    return "-" if value is None else f"{value:.2f}"

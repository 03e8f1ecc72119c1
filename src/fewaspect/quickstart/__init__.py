"""The whole way in one go: train briefly, evaluate on unseen aspects, tag unseen reviews, write a page."""

from __future__ import annotations

import shutil
from pathlib import Path

from fewaspect.errors import ConfigError
from fewaspect.settings import EvaluateSettings, LPNSettings, TrainSettings

TRAINING = TrainSettings(
    benchmark="sample", episodes=120, validate_every=30, validation_episodes=30, head_learning_rate=1e-4, warmup=10
)
METHOD = LPNSettings(count_weight=0.3)
EVALUATION = EvaluateSettings(benchmark="sample", episodes=200)


def run_quickstart(out: Path) -> Path:
    """Everything on embedded defaults, offline; returns the page's path."""
    from rich.console import Console

    from fewaspect.data.sampleset import load_sample, load_showcase
    from fewaspect.evaluation.report import results_table
    from fewaspect.quickstart.page import write_page
    from fewaspect.quickstart.tagging import tag
    from fewaspect.quickstart.terminal import tagged_table
    from fewaspect.training.evaluate_run import evaluate_run
    from fewaspect.training.run import RunSettings
    from fewaspect.training.trainer import train

    console = Console()
    run = out / "quickstart-run"
    _make_room(run)
    sizes = {split: len(sentences.classes) for split, sentences in load_sample().items()}
    console.rule("[bold]1  Train on some aspects")
    console.print(
        f"{sizes['train']} aspects of restaurants, hotels and salons, {TRAINING.episodes} episodes, "
        f"validated on {sizes['validation']} others."
    )
    state = train(RunSettings(TRAINING, METHOD), None, run, offline=True, console=console)
    console.print(f"Trained in {state.seconds:.0f} s.\n")

    console.rule("[bold]2  Evaluate on aspects never seen in training")
    result = evaluate_run(run, EVALUATION, None, offline=True, console=console)
    console.print(results_table(result))

    console.rule("[bold]3  Tag reviews from a handful of examples per aspect")
    showcase = load_showcase()
    tagged = tag(run, showcase.examples, [review.text for review in showcase.reviews])
    console.print(tagged_table(tuple(showcase.examples), tagged))
    page = out / "quickstart.html"
    write_page(page, showcase.examples, tagged, result)
    console.print(f"The same as a page: [bold]{page.resolve()}[/bold]", soft_wrap=True)
    return page


def _make_room(run: Path) -> None:
    """The run of an earlier quickstart is replaced, whole or half-removed; anything else is left alone."""
    from fewaspect.training.run import RunFolder

    removed = run.with_name("quickstart-run-removed")
    shutil.rmtree(removed, ignore_errors=True)
    if run.exists():
        if RunFolder(run).read_settings().train.benchmark != TRAINING.benchmark:
            raise ConfigError(f"{run}: expected the run of an earlier quickstart or nothing, found another run.")
        run.rename(removed)
        shutil.rmtree(removed)

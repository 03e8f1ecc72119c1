"""A run folder evaluated on a benchmark, with all that the numbers depend on beside them."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rich.console import Console

from fewaspect.data.benchmarks import load_benchmark
from fewaspect.data.episodes import Episode, EpisodeSampler
from fewaspect.data.sentences import describe_aspect
from fewaspect.encoders.frozen import FrozenStates
from fewaspect.encoders.transformer import TokenEncoder
from fewaspect.environment import describe_environment
from fewaspect.errors import ConfigError
from fewaspect.evaluation.evaluator import evaluate_episodes
from fewaspect.evaluation.metrics import summarise
from fewaspect.methods import method_entry
from fewaspect.methods.model import FewShotModel
from fewaspect.methods.prepared import PreparedSet
from fewaspect.progress import counting
from fewaspect.settings import EvaluateSettings, parse_range
from fewaspect.training.run import RunFolder, RunSettings, load_run, report_truncation


@dataclass(frozen=True)
class Evaluation:
    """A trained model, what its run folder says of it, and the episodes of unseen aspects it is to meet."""

    run: RunSettings
    about: dict[str, Any]
    encoder: TokenEncoder
    model: FewShotModel
    prepared: PreparedSet
    episodes: list[Episode]


def prepare_evaluation(
    path: Path, settings: EvaluateSettings, data: Path | None, *, offline: bool | None = None,
    console: Console | None = None,
) -> Evaluation:  # fmt: skip
    """Load a run and draw its episodes; aspects that it was trained on are refused."""
    console = console or Console(stderr=True)
    run, encoder, model = load_run(path, offline)
    about = RunFolder(path).read_about()
    benchmark = load_benchmark(settings.benchmark, data)
    sentences = benchmark.test if settings.split == "test" else benchmark.validation
    trained_on = set(map(describe_aspect, about["train_aspects"]))
    if shared := [name for name in sentences.classes if describe_aspect(name) in trained_on]:
        raise ConfigError(
            f"{settings.benchmark} ({settings.split}): expected aspects that {path} was not trained on, "
            f"found {len(shared)} that it was: {', '.join(shared[:5])}."
        )
    sampler = EpisodeSampler(
        sentences, way=parse_range("way", settings.way), shot=parse_range("shot", settings.shot),
        queries=settings.queries, none_rate=settings.none_rate, protocol=settings.protocol, seed=settings.seed,
    )  # fmt: skip
    episodes = list(sampler.episodes(settings.episodes))
    with counting(console, "frozen layers", len(sentences) + len(sentences.classes), "sentences") as done:
        prepared = PreparedSet.of(sentences, FrozenStates(encoder), done)
    report_truncation(prepared.truncated(), console)
    return Evaluation(run, about, encoder, model, prepared, episodes)


def evaluate_run(
    path: Path, settings: EvaluateSettings, data: Path | None, *, offline: bool | None = None,
    console: Console | None = None,
) -> dict[str, Any]:  # fmt: skip
    """All metrics in percent with intervals over episodes; JSON-able."""
    console = console or Console(stderr=True)
    e = prepare_evaluation(path, settings, data, offline=offline, console=console)
    run, about, encoder, prepared = e.run, e.about, e.encoder, e.prepared
    with counting(console, "episodes", len(e.episodes), "episodes") as done:
        evaluated = evaluate_episodes(e.model, prepared, e.episodes, on_episode=done)
    metrics = {name: summarise(values).to_percent().as_dict() for name, values in evaluated.measured().items()}
    return {
        "method": run.train.method,
        "title": method_entry(run.train.method).title,
        "recipe": run.train.recipe,
        "benchmark": settings.benchmark,
        "split": settings.split,
        "train": about["train_source"],
        "encoder": run.train.encoder,
        "encoder_digest": encoder.source.digest,
        "protocol": settings.protocol,
        "way": settings.way,
        "shot": settings.shot,
        "queries": settings.queries,
        "none_rate": settings.none_rate,
        "seed": run.train.seed,
        "episode_seed": settings.seed,
        "episodes": settings.episodes,
        **metrics,
        "truncated_sentences": prepared.truncated(),
        "seconds": {
            "training": about.get("seconds"),
            "training_encoding": about.get("encoding_seconds"),
            "encoding": evaluated.encode_seconds,
            "episodes": evaluated.episode_seconds,
        },
        "training_finished": about["finished"],
        "training_steps": about.get("steps"),
        "best_step": about.get("best_step"),
        "settings": run.as_dict(),
        "environment": describe_environment(),
    }

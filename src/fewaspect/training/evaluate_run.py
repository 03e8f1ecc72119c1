"""A run folder evaluated on a benchmark, with all that the numbers depend on beside them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from rich.console import Console

from fewaspect.data.benchmarks import load_benchmark
from fewaspect.data.episodes import EpisodeSampler
from fewaspect.data.sentences import SentenceSet, describe_aspect
from fewaspect.encoders.frozen import FrozenStates
from fewaspect.encoders.transformer import TokenEncoder
from fewaspect.environment import describe_environment
from fewaspect.errors import ConfigError, EpisodeError
from fewaspect.evaluation.evaluator import evaluate_episodes
from fewaspect.evaluation.metrics import summarise
from fewaspect.methods import method_entry
from fewaspect.methods.model import FewShotModel
from fewaspect.methods.prepared import PreparedSet
from fewaspect.progress import counting
from fewaspect.settings import EvaluateSettings, parse_range
from fewaspect.training.run import VALIDATION_SEED, RunFolder, RunSettings, load_run, report_truncation


def evaluate_run(
    path: Path, settings: EvaluateSettings, data: Path | None, *, offline: bool | None = None,
    console: Console | None = None,
) -> dict[str, Any]:  # fmt: skip
    """All metrics in percent with intervals over episodes; JSON-able."""
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
    sampler = _sampler(sentences, settings, settings.seed)
    for way, shot in zip(sampler.way, sampler.shot, strict=True):
        model.method.require(way, shot)
    episodes = list(sampler.episodes(settings.episodes))
    tuned_on = _tune(model, encoder, run, settings, benchmark.validation, console)
    with counting(console, "frozen layers", len(sentences) + len(sentences.classes), "sentences") as done:
        prepared = PreparedSet.of(sentences, FrozenStates(encoder), done)
    report_truncation(prepared.truncated(), console)
    with counting(console, "episodes", len(episodes), "episodes") as done:
        evaluated = evaluate_episodes(model, prepared, episodes, on_episode=done)
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
        **evaluated.remarks,
        "decision": {**model.method.describe_decision(), "tuned_on": tuned_on},
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


def _sampler(sentences: SentenceSet, settings: EvaluateSettings, seed: int) -> EpisodeSampler:
    return EpisodeSampler(
        sentences, way=parse_range("way", settings.way), shot=parse_range("shot", settings.shot),
        queries=settings.queries, none_rate=settings.none_rate, protocol=settings.protocol, seed=seed,
    )  # fmt: skip


def _tune(
    model: FewShotModel, encoder: TokenEncoder, run: RunSettings, settings: EvaluateSettings, validation: SentenceSet,
    console: Console,
) -> str | None:  # fmt: skip
    """Fit the decision to validation episodes of the evaluated setting, where the method asks for it, and say to what.

    A threshold for 5 classes is none for 10. Evaluated on the validation split itself, it stays as it was trained.
    """
    if not model.method.tunes:
        return None
    s = run.train
    trained = f"{s.benchmark} (validation), {s.way}-way {s.shot}-shot, {s.validation_episodes} episodes, in training"
    if settings.split == "validation":
        return trained
    try:
        sampler = _sampler(validation, settings, VALIDATION_SEED)
    except EpisodeError as error:
        console.print(f"[yellow]The threshold stays as it was trained; no validation episodes of this setting: {error}")
        return trained
    prepared = PreparedSet.of(validation, FrozenStates(encoder))
    evaluate_episodes(model, prepared, list(sampler.episodes(s.validation_episodes)), tune=True)
    return (
        f"{settings.benchmark} (validation), {settings.way}-way {settings.shot}-shot, {s.validation_episodes} episodes"
    )

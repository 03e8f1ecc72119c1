"""Evaluation of a run on a benchmark: metrics, with everything they depend on."""

from __future__ import annotations

import copy
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from rich.console import Console

from fewaspect.core.errors import ConfigError, EpisodeError
from fewaspect.core.progress import unit_progress
from fewaspect.core.settings import EvaluateSettings, TrainSettings, parse_range
from fewaspect.data.benchmarks import Benchmark, load_benchmark
from fewaspect.data.episodes import Episode, EpisodeSampler
from fewaspect.data.labelled import SentenceSet
from fewaspect.data.labels import describe_aspect
from fewaspect.encoders.frozen import FrozenStates
from fewaspect.evaluation.evaluator import EncodedEpisodes, EpisodeResults, encode_episodes, score_episodes
from fewaspect.evaluation.intervals import mean_interval
from fewaspect.methods import method_entry
from fewaspect.methods.few_shot_model import FewShotModel
from fewaspect.methods.prepared import PreparedSet
from fewaspect.training.environment import describe_environment
from fewaspect.training.run import VALIDATION_SEED, load_run, report_truncation
from fewaspect.training.run_folder import RunFolder, RunSettings


@dataclass(frozen=True)
class Evaluation:
    """A trained model, its settings and metadata, and the episodes of unseen aspects to evaluate it on."""

    run: RunSettings
    metadata: dict[str, Any]
    benchmark: Benchmark
    model: FewShotModel
    prepared: PreparedSet
    groups: list[list[Episode]]  # one group per setting


def prepare_evaluation(
    path: Path, settings: Sequence[EvaluateSettings], data: Path | None, *, offline: bool | None = None,
    console: Console | None = None,
) -> Evaluation:  # fmt: skip
    """Load a run and draw the episodes of settings of one benchmark and split; trained aspects are refused."""
    console = console or Console(stderr=True)
    if len({(s.benchmark, s.split) for s in settings}) != 1:
        found = ", ".join(sorted({f"{s.benchmark} ({s.split})" for s in settings})) or "none"
        raise ConfigError(f"expected settings of one benchmark and split, found {found}. Evaluate each by itself.")
    run, encoder, model = load_run(path, offline)
    metadata = RunFolder(path).read_metadata()
    benchmark, split = load_benchmark(settings[0].benchmark, data), settings[0].split
    sentences = benchmark.test if split == "test" else benchmark.validation
    _refuse_trained_aspects(path, metadata, sentences, f"{settings[0].benchmark} ({split})")
    groups = [_episodes(model, sentences, s, s.seed, s.episodes) for s in settings]
    prepared = _prepared(sentences, FrozenStates(encoder), console)
    report_truncation(prepared.truncated(), console)
    return Evaluation(run, metadata, benchmark, model, prepared, groups)


def evaluate_run(
    path: Path, settings: EvaluateSettings, data: Path | None, *, offline: bool | None = None,
    console: Console | None = None,
) -> dict[str, Any]:  # fmt: skip
    """All metrics in percent, with intervals over episodes; JSON-able."""
    (result,) = evaluate_many(path, [settings], data, offline=offline, console=console)
    return result


def evaluate_many(
    path: Path, settings: Sequence[EvaluateSettings], data: Path | None, *, offline: bool | None = None,
    console: Console | None = None,
) -> list[dict[str, Any]]:  # fmt: skip
    """`evaluate_run` for several settings of one benchmark and split; each sentence is encoded once for all of them.

    The seconds of the encoding are those of all settings together.
    """
    console = console or Console(stderr=True)
    e = prepare_evaluation(path, settings, data, offline=offline, console=console)
    truncated = e.prepared.truncated()
    return [
        _result(s, e.run, e.metadata, evaluated, decision, truncated)
        for s, (evaluated, decision) in zip(settings, score_settings(e, settings, console), strict=True)
    ]


def score_settings(
    e: Evaluation, settings: Sequence[EvaluateSettings], console: Console
) -> Iterator[tuple[EpisodeResults, dict[str, Any]]]:
    """What the model answers in the episodes of each setting, and how its decision was made."""
    train, model, validation = e.run.train, e.model, e.benchmark.validation
    tuning_groups = [_tuning_episodes(model, validation, s, train, console) for s in settings]
    tuning: list[EncodedEpisodes | None] = [None] * len(settings)
    if any(tuning_groups):
        prepared = _prepared(validation, e.prepared.frozen, console)
        tuning = [part if part.episodes else None for part in encode_episodes(model, prepared, tuning_groups)]
    trained = copy.deepcopy(model.method.state_dict())
    with unit_progress(console, "episodes", sum(map(len, e.groups)), "episodes") as done:
        for s, tuned, encoded in zip(settings, tuning, encode_episodes(model, e.prepared, e.groups), strict=True):
            model.method.load_state_dict(trained)  # undo the tuning for the previous setting
            if tuned:
                score_episodes(model, tuned, tune=True)
            evaluated = score_episodes(model, encoded, done)
            decision = model.method.describe_decision() | {"tuned_on": None}
            if model.method.tunes_decision:
                decision["tuned_on"] = _tuned_on(s if tuned else train, train.validation_episodes)
            yield evaluated, decision


def _refuse_trained_aspects(path: Path, metadata: dict[str, Any], sentences: SentenceSet, where: str) -> None:
    trained_on = set(map(describe_aspect, metadata["train_aspects"]))
    if shared := [name for name in sentences.classes if describe_aspect(name) in trained_on]:
        raise ConfigError(
            f"{where}: expected aspects that {path} was not trained on, "
            f"found {len(shared)} that it was: {', '.join(shared[:5])}."
        )


def _episodes(
    model: FewShotModel, sentences: SentenceSet, settings: EvaluateSettings, seed: int, count: int
) -> list[Episode]:
    sampler = EpisodeSampler(
        sentences, way=parse_range("way", settings.way), shot=parse_range("shot", settings.shot),
        queries=settings.queries, none_rate=settings.none_rate, protocol=settings.protocol, seed=seed,
    )  # fmt: skip
    for way, shot in zip(sampler.way, sampler.shot, strict=True):
        model.method.check_size(way, shot)
    return list(sampler.episodes(count))


def _tuning_episodes(
    model: FewShotModel, validation: SentenceSet, settings: EvaluateSettings, train: TrainSettings, console: Console
) -> list[Episode]:
    """Validation episodes of the evaluated setting, to fit the decision to: a threshold for N = 5 is none for N = 10.

    Empty if the decision stays as trained: the method tunes none, or is evaluated on the validation split itself.
    """
    if not model.method.tunes_decision or settings.split == "validation":
        return []
    try:
        return _episodes(model, validation, settings, VALIDATION_SEED, train.validation_episodes)
    except EpisodeError as error:
        console.print(f"[yellow]The threshold stays as it was trained; no validation episodes of this setting: {error}")
        return []


def _tuned_on(settings: EvaluateSettings | TrainSettings, episodes: int) -> str:
    when = ", in training" if isinstance(settings, TrainSettings) else ""
    return f"{settings.benchmark} (validation), {settings.way}-way {settings.shot}-shot, {episodes} episodes{when}"


def _prepared(sentences: SentenceSet, frozen: FrozenStates, console: Console) -> PreparedSet:
    with unit_progress(console, "frozen layers", len(sentences) + len(sentences.classes), "sentences") as done:
        return PreparedSet.of(sentences, frozen, done)


def _result(
    settings: EvaluateSettings, run: RunSettings, metadata: dict[str, Any], evaluated: EpisodeResults,
    decision: dict[str, Any], truncated: int,
) -> dict[str, Any]:  # fmt: skip
    metrics = {name: mean_interval(values).to_percent().as_dict() for name, values in evaluated.metrics().items()}
    setting = asdict(settings)
    return {
        "method": run.train.method,
        "title": method_entry(run.train.method).title,
        "recipe": run.train.recipe,
        "train": metadata["train_source"],
        "encoder": run.train.encoder,
        "encoder_digest": metadata["encoder_digest"],
        "episode_seed": setting.pop("seed"),
        **setting,
        "seed": run.train.seed,
        **metrics,
        **evaluated.diagnostics,
        "decision": decision,
        "truncated_sentences": truncated,
        "seconds": {
            "training": metadata.get("seconds"),
            "training_encoding": metadata.get("encoding_seconds"),
            "encoding": evaluated.encode_seconds,
            "episodes": evaluated.episode_seconds,
        },
        "training_finished": metadata["finished"],
        "training_steps": metadata.get("steps"),
        "best_step": metadata.get("best_step"),
        "settings": run.as_dict(),
        "environment": describe_environment(),
    }

"""The training loop: episodes, losses, validation, checkpoints. Every step is a function of the seed and its number."""

from __future__ import annotations

import math
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import torch
from accelerate import Accelerator
from rich.console import Console

from fewaspect.data.benchmarks import load_benchmark
from fewaspect.data.episodes import EpisodeSampler
from fewaspect.data.joining import with_joined_sentences
from fewaspect.encoders.frozen import FrozenStates
from fewaspect.environment import describe_environment
from fewaspect.evaluation.evaluator import evaluate_episodes
from fewaspect.files import atomic_write
from fewaspect.methods.model import FewShotModel
from fewaspect.methods.prepared import PreparedSet
from fewaspect.progress import counting, progress_bar
from fewaspect.settings import TrainSettings, parse_range, to_json
from fewaspect.training.checkpoint import (
    load_tensors,
    model_tensors,
    optimiser_tensors,
    restore_model,
    restore_optimiser,
    save_tensors,
)
from fewaspect.training.run import RunFolder, RunSettings, build_model, report_truncation

VALIDATION_SEED = 20220814  # fixed, so that every run is validated on the same episodes


@dataclass
class TrainingState:
    """What changes during a run besides weights and moments; JSON-able."""

    step: int = 0
    best: float = -math.inf
    best_step: int = 0
    stale: int = 0
    seconds: float = 0.0
    finished: bool = False
    history: list[dict[str, float]] = field(default_factory=list)


def train(
    settings: RunSettings, data: Path | None, out: Path, *, resume: bool = False, offline: bool | None = None,
    console: Console | None = None,
) -> TrainingState:  # fmt: skip
    """Train a method into a run folder; with `resume`, continue to the result the run would have had."""
    console = console or Console(stderr=True)
    folder = RunFolder(out)
    resuming = folder.start(settings, resume)
    trainer = Trainer(settings, data, folder, offline, console)
    if resuming:
        trainer.restore()
    return trainer.run()


class Trainer:
    """Holds the parts of one run; `run` goes through the steps."""

    def __init__(
        self, settings: RunSettings, data: Path | None, folder: RunFolder, offline: bool | None, console: Console
    ) -> None:
        self.settings = settings
        self.folder = folder
        self.console = console
        s = settings.train
        benchmark = load_benchmark(s.benchmark, data, train=s.train or None)
        train_set = with_joined_sentences(benchmark.require_train(), s.joined, s.seed)
        validation_set = benchmark.validation
        self.sampler = self._sampler(train_set, s.seed)
        self.validation_episodes = list(self._sampler(validation_set, VALIDATION_SEED).episodes(s.validation_episodes))

        self.accelerator = Accelerator(log_with="tensorboard", project_dir=str(folder.path))
        self.encoder, model = build_model(settings, offline)
        self.encoder.frozen.model.to(self.accelerator.device)
        frozen = FrozenStates(self.encoder)
        with counting(console, "frozen layers", len(train_set) + len(validation_set), "sentences") as done:
            self.train_set = PreparedSet.of(train_set, frozen, done)
            self.validation_set = PreparedSet.of(validation_set, frozen, done)
        self.steps = math.ceil(s.episodes / s.episodes_per_step)
        optimiser = torch.optim.AdamW(_parameter_groups(model, s), fused=True)
        schedule = torch.optim.lr_scheduler.LambdaLR(optimiser, self._rate_at)
        self.model, self.optimiser, self.schedule = self.accelerator.prepare(model, optimiser, schedule)
        self.state = TrainingState()
        self.about: dict[str, Any] = {
            "settings": settings.as_dict(),
            "train_source": benchmark.train_source,
            "train_aspects": list(train_set.classes),
            "encoder_digest": self.encoder.source.digest,
            "truncated_sentences": self.train_set.truncated() + self.validation_set.truncated(),
            "environment": describe_environment(),
        }

    @property
    def plain_model(self) -> FewShotModel:
        return self.accelerator.unwrap_model(self.model)

    def run(self) -> TrainingState:
        s, state = self.settings.train, self.state
        self.folder.write_about({**self.about, "finished": False})
        self.accelerator.init_trackers("tensorboard", {})
        report_truncation(self.about["truncated_sentences"], self.console)
        started = time.perf_counter() - state.seconds
        losses: dict[str, float] = {}
        since = 0
        with progress_bar(self.console, "episodes") as bar:
            task = bar.add_task("training", total=s.episodes, completed=state.step * s.episodes_per_step, note="")
            while state.step < self.steps and not state.finished:
                parts = self._step(state.step)
                state.step += 1
                since += 1
                for name, value in parts.items():
                    losses[name] = losses.get(name, 0.0) + value
                mean = {name: value / since for name, value in losses.items()}
                bar.update(
                    task, completed=min(s.episodes, state.step * s.episodes_per_step), note=self._note(mean["loss"])
                )
                if state.step % s.validate_every == 0 or state.step == self.steps:
                    state.seconds = time.perf_counter() - started
                    self._validate(mean)
                    losses, since = {}, 0
            state.finished = True
        state.seconds = time.perf_counter() - started
        self.accelerator.end_training()
        self.folder.write_about({**self.about, **_outcome(state), "finished": True})
        return state

    def restore(self) -> None:
        tensors, about = load_tensors(self.folder.last)
        restore_model(self.plain_model, tensors, self.folder.last)
        restore_optimiser(self.optimiser.optimizer, tensors, about["learning_rates"])
        self.schedule.scheduler.load_state_dict(about["schedule"])
        self.state = TrainingState(**about["state"])

    def _step(self, step: int) -> dict[str, float]:
        """One optimiser step over its episodes; each process takes its share of them."""
        s = self.settings.train
        first = step * s.episodes_per_step
        indices = range(first, min(first + s.episodes_per_step, s.episodes))
        mine = indices[self.accelerator.process_index :: self.accelerator.num_processes]
        torch.manual_seed(
            s.seed * 1_000_003 + step
        )  # dropout depends on the step alone, so that a resumed run is equal
        self.model.train()
        report: dict[str, float] = {}
        for index in mine:
            frozen, episode = self.train_set.load(self.sampler.episode(index))
            device = self.accelerator.device
            _, parts = self.model(frozen.to(device), episode.to(device))
            share = self.accelerator.num_processes / len(indices)  # gradients are averaged over processes
            self.accelerator.backward(sum(parts.values()) * share)
            for name, value in {**parts, "loss": sum(parts.values())}.items():
                report[name] = report.get(name, 0.0) + float(value.detach()) / len(mine)
        if s.max_grad_norm:
            self.accelerator.clip_grad_norm_(self.model.parameters(), s.max_grad_norm)
        self.optimiser.step()
        self.schedule.step()
        self.optimiser.zero_grad()
        return report

    def _validate(self, losses: dict[str, float]) -> None:
        s, state = self.settings.train, self.state
        measured = evaluate_episodes(self.plain_model, self.validation_set, self.validation_episodes).measured()
        values = {name: 100 * float(measured[key].mean()) for name, key in _VALIDATED.items()}
        state.history.append({"step": state.step, **losses, **{f"validation_{n}": v for n, v in values.items()}})
        self.accelerator.log({**losses, **{f"validation/{n}": v for n, v in values.items()}}, step=state.step)
        value = values[s.validation_metric]
        if value > state.best:
            state.best, state.best_step, state.stale = value, state.step, 0
            if self.accelerator.is_main_process:
                self._save_best()
        else:
            state.stale += 1
            state.finished = bool(s.patience) and state.stale >= s.patience
        if self.accelerator.is_main_process:
            self._save_last()
        if not self.console.is_terminal:
            self.console.print(
                f"step {state.step}/{self.steps}  loss {losses['loss']:.4f}  validation AUC {values['auc']:.2f}  "
                f"F1 {values['f1']:.2f}  {state.seconds:.0f} s"
            )

    def _save_best(self) -> None:
        about = {"step": self.state.step, "encoder_digest": self.about["encoder_digest"]}
        save_tensors(self.folder.best, model_tensors(self.plain_model), about)

    def _save_last(self) -> None:
        optimiser, schedule = self.optimiser.optimizer, self.schedule.scheduler
        about = {
            "state": vars(self.state),
            "learning_rates": [group["lr"] for group in optimiser.param_groups],
            "schedule": {**schedule.state_dict(), "lr_lambdas": [None] * len(optimiser.param_groups)},
        }
        save_tensors(self.folder.last, {**model_tensors(self.plain_model), **optimiser_tensors(optimiser)}, about)
        with atomic_write(self.folder.history) as file:
            file.write(to_json(self.state.history))

    def _sampler(self, sentences: Any, seed: int) -> EpisodeSampler:
        s = self.settings.train
        return EpisodeSampler(
            sentences, way=parse_range("way", s.way), shot=parse_range("shot", s.shot), queries=s.queries,
            none_rate=s.none_rate, protocol=s.protocol, seed=seed,
        )  # fmt: skip

    def _rate_at(self, step: int) -> float:
        """Linear warm-up, then linear decay to zero."""
        warmup = self.settings.train.warmup
        if step < warmup:
            return (step + 1) / (warmup + 1)
        return max(0.0, (self.steps - step) / max(1, self.steps - warmup))

    def _note(self, loss: float) -> str:
        note = f"loss {loss:.3f}"
        if self.state.history:
            last = self.state.history[-1]
            note += f"  validation AUC {last['validation_auc']:.2f} F1 {last['validation_f1']:.2f}"
        return note


_VALIDATED = {"auc": "auc", "f1": "f1", "oracle_f1": "oracle_count_f1"}


def _outcome(state: TrainingState) -> dict[str, Any]:
    return {"steps": state.step, "best": state.best, "best_step": state.best_step, "seconds": state.seconds}


def _parameter_groups(model: FewShotModel, s: TrainSettings) -> list[dict[str, Any]]:
    """Encoder and method at their own rates; biases, norms and scalars without weight decay."""
    groups = []
    for part, rate in ((model.upper, s.learning_rate), (model.method, s.head_learning_rate)):
        trainable = [p for p in part.parameters() if p.requires_grad]
        matrices, rest = [p for p in trainable if p.ndim > 1], [p for p in trainable if p.ndim <= 1]
        for parameters, decay in ((matrices, s.weight_decay), (rest, 0.0)):
            if parameters:
                groups.append({"params": parameters, "lr": rate, "weight_decay": decay})
    return groups

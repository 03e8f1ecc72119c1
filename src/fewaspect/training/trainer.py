"""The training loop: episodes, losses, validation, checkpoints. A step depends on the seed and its number alone."""

from __future__ import annotations

import hashlib
import json
import math
import time
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import torch
from rich.console import Console

from fewaspect.core.errors import WRONG_VALUE, CheckpointError, TrainingError
from fewaspect.core.files import atomic_write
from fewaspect.core.progress import on_terminal, progress_bar, unit_progress
from fewaspect.core.settings import TrainSettings, to_json
from fewaspect.data.labelled import SentenceSet
from fewaspect.encoders.frozen import FrozenStates
from fewaspect.encoders.packed import PackedStates
from fewaspect.evaluation.evaluator import evaluate_episodes
from fewaspect.evaluation.intervals import mean_interval
from fewaspect.methods.few_shot_model import EpisodeTensors, FewShotModel
from fewaspect.methods.prepared import PreparedSet
from fewaspect.training import checkpoint
from fewaspect.training.batch_norm import BatchNormStatistics
from fewaspect.training.environment import describe_environment
from fewaspect.training.prefetch import episodes_on
from fewaspect.training.processes import ProcessGroup
from fewaspect.training.run import build_model, report_truncation
from fewaspect.training.run_folder import RunFolder, RunSettings
from fewaspect.training.training_data import load_training_data

READ_LOSSES_EVERY = 10  # steps; reading them waits for a GPU


@dataclass
class TrainingState:
    """What changes during a run besides weights and optimiser state; JSON-able."""

    step: int = 0
    best: float = -math.inf
    best_step: int = 0
    stale: int = 0  # validations without improvement
    seconds: float = 0.0
    finished: bool = False
    history: list[dict[str, float]] = field(default_factory=list)


def train(
    settings: RunSettings, data: Path | None, out: Path, *, resume: bool = False, offline: bool | None = None,
    console: Console | None = None,
) -> TrainingState:  # fmt: skip
    """Train a method into a run folder; with `resume`, continue from its last checkpoint, to the same result."""
    folder, processes = RunFolder(out), ProcessGroup(out)
    processes.check_episodes_per_step(settings.train.episodes_per_step)
    resuming = processes.broadcast_from_main(lambda: folder.start(settings, resume))
    console = (console or Console(stderr=True)) if processes.is_main else Console(quiet=True)
    trainer = Trainer(settings, data, folder, processes, offline, console)
    if resuming:
        trainer.restore()
    return trainer.run()


class Trainer:
    """One run: data, model, optimiser and state."""

    def __init__(
        self, settings: RunSettings, data: Path | None, folder: RunFolder, processes: ProcessGroup,
        offline: bool | None, console: Console,
    ) -> None:  # fmt: skip
        self.settings, self.folder, self.processes, self.console = settings, folder, processes, console
        s = settings.train
        source = load_training_data(s, data)
        self.sampler, train_set, validation_set = source.train, source.train.sentences, source.validation.sentences
        self.validation_episodes = list(source.validation.episodes(s.validation_episodes))

        device, started = processes.accelerator.device, time.perf_counter()
        with processes.accelerator.local_main_process_first():  # it fills the machine's cache, which the others read
            encoder, self.model = build_model(settings, offline)
            for way, shot in zip(self.sampler.way, self.sampler.shot, strict=True):
                self.model.method.check_size(way, shot)
            encoder.frozen.model.to(device)
            self.model.to(device)
            frozen = FrozenStates(encoder)
            total = len(train_set) + len(validation_set)
            with unit_progress(console, "frozen layers", total, "sentences") as done:
                self.train_set = PreparedSet.of(train_set, frozen, done)
                self.validation_set = PreparedSet.of(validation_set, frozen, done)
        self.steps = math.ceil(s.episodes / s.episodes_per_step)
        self.optimiser = torch.optim.AdamW(_parameter_groups(self.model, s), fused=True)
        self.schedule = torch.optim.lr_scheduler.LambdaLR(self.optimiser, self._rate_at)
        self.batch_norms = BatchNormStatistics(self.model)
        self.state = TrainingState()
        self.metadata: dict[str, Any] = {
            "settings": settings.as_dict(),
            **source.about,
            "encoder_digest": encoder.source.digest,
            "data_digest": _digest(train_set, validation_set),
            "truncated_sentences": self.train_set.truncated() + self.validation_set.truncated(),
            "encoding_seconds": time.perf_counter() - started,
            "processes": processes.size,
            "environment": describe_environment(),
        }
        processes.check_equal(self._identity(), "the data and the encoder weights")

    def run(self) -> TrainingState:
        """All remaining steps, then the second stage of methods that have one."""
        s, state = self.settings.train, self.state
        self._write_metadata({"finished": False})
        self.processes.accelerator.init_trackers("tensorboard", {})
        report_truncation(self.metadata["truncated_sentences"], self.console)
        started = time.perf_counter() - state.seconds
        steps: list[dict[str, torch.Tensor]] = []
        losses: dict[str, float] = {}
        indices = (index for step in range(state.step, self.steps) for index in self._indices(step))
        episodes = episodes_on(self.processes.accelerator.device, self._load, indices)
        with closing(episodes), progress_bar(self.console, "episodes") as bar:
            task = bar.add_task("training", total=s.episodes, completed=state.step * s.episodes_per_step, note="")
            while state.step < self.steps and not state.finished:
                steps.append(self._step(episodes))
                state.step += 1
                validate = state.step % s.validate_every == 0 or state.step == self.steps
                if validate or state.step % READ_LOSSES_EVERY == 0:
                    losses = self._mean_losses(steps)
                done = min(s.episodes, state.step * s.episodes_per_step)
                bar.update(task, completed=done, note=self._note(losses))
                if validate:
                    state.seconds = time.perf_counter() - started
                    state = self.state = self.processes.broadcast_from_main(partial(self._validate, losses))
                    steps = []
        state.finished = True
        self.processes.broadcast_from_main(self._learn_decision)
        state.seconds = time.perf_counter() - started
        self.processes.accelerator.end_training()
        outcome = {"steps": state.step, "best": state.best, "best_step": state.best_step, "seconds": state.seconds}
        self._write_metadata({**outcome, "finished": True})
        return state

    def restore(self) -> None:
        """Restore the last checkpoint; other data or encoder weights than the run began with are refused."""
        tensors, metadata = checkpoint.load_tensors(self.folder.last)
        try:
            for name in ("encoder_digest", "data_digest"):
                if metadata[name] != self.metadata[name]:
                    raise CheckpointError(
                        f"{self.folder.last}: --resume needs the data and weights the run began with, "
                        f"but the {name.replace('_', ' ')} was {metadata[name]} and is now {self.metadata[name]}."
                    )
            checkpoint.restore_model(self.model, tensors, self.folder.last)
            checkpoint.restore_optimiser(self.optimiser, tensors, metadata["learning_rates"])
            self.schedule.load_state_dict(metadata["schedule"])
            self.state = TrainingState(**metadata["state"])
        except WRONG_VALUE as error:
            raise CheckpointError(f"{self.folder.last}: expected a state to resume from, found {error!r}.") from error

    def _load(self, index: int) -> tuple[PackedStates, EpisodeTensors]:
        return self.train_set.load(self.sampler.episode(index))

    def _indices(self, step: int) -> list[int]:
        """Indices of this process's episodes of a step."""
        first = step * self.settings.train.episodes_per_step
        return [first + position for position in self.processes.own_episodes(self._size(step))]

    def _size(self, step: int) -> int:
        """Number of episodes of a step."""
        s = self.settings.train
        return min(s.episodes_per_step, s.episodes - step * s.episodes_per_step)

    def _step(self, episodes: Iterator[tuple[PackedStates, EpisodeTensors]]) -> dict[str, torch.Tensor]:
        """One optimiser step; returns this process's terms of the mean losses, on the device."""
        s, step = self.settings.train, self.state.step
        size = self._size(step)
        self.model.train()
        self.batch_norms.start_step()
        report: dict[str, torch.Tensor] = {}
        for position in self.processes.own_episodes(size):
            frozen, episode = next(episodes)
            # Dropout depends on the episode alone: resumed and data-parallel runs are equal.
            torch.manual_seed(s.seed * 1_000_003 + step + position * 15_485_863)
            _, parts = self.model(frozen, episode)
            loss = torch.stack(list(parts.values())).sum()
            weight = 1 / size if position < size else 0.0
            (loss * weight).backward()
            for name, value in {**parts, "loss": loss}.items():
                report[name] = report.get(name, 0.0) + value.detach() * weight
            self.batch_norms.add_episode(weight)
        self.batch_norms.finish_step(self.processes.all_reduce)
        self.processes.all_reduce_gradients([p for p in self.model.parameters() if p.requires_grad])
        if s.max_grad_norm:
            torch.nn.utils.clip_grad_norm_(self.model.parameters(), s.max_grad_norm)
        self.optimiser.step()
        self.schedule.step()
        self.optimiser.zero_grad()
        return report

    def _mean_losses(self, steps: list[dict[str, torch.Tensor]]) -> dict[str, float]:
        """Mean losses over the steps since the last validation; only here does training wait for a GPU."""
        table = torch.stack([torch.stack(list(step.values())) for step in steps])  # (steps, losses)
        values = dict(zip(steps[0], self.processes.all_reduce(table).double().cpu().unbind(1), strict=True))
        diverged = (~values["loss"].isfinite()).nonzero().flatten().tolist()
        if diverged:
            step = self.state.step - len(steps) + diverged[0] + 1
            raise TrainingError(
                f"the loss is {float(values['loss'][diverged[0]])} at step {step}: training diverged. Lower its rates."
            )
        return {name: float(value.mean()) for name, value in values.items()}

    def _validate(self, losses: dict[str, float]) -> TrainingState:
        """Evaluate, save checkpoints and decide whether to stop; runs on the main process only."""
        s, state = self.settings.train, self.state
        evaluated = evaluate_episodes(self.model, self.validation_set, self.validation_episodes, tune=True)
        if not all(np.isfinite(scores).all() for scores in evaluated.scores):
            raise TrainingError(f"the scores are not numbers at step {state.step}: training diverged. Lower its rates.")
        measured = evaluated.metrics()
        values = {name: mean_interval(measured[name]).to_percent().mean for name in _VALIDATED} | evaluated.diagnostics
        state.history.append({"step": state.step, **losses, **{f"validation_{n}": v for n, v in values.items()}})
        self.processes.accelerator.log({**losses, **{f"validation/{n}": v for n, v in values.items()}}, step=state.step)
        value = values[s.validation_metric]
        if value > state.best:
            state.best, state.best_step, state.stale = value, state.step, 0
            self._save_best()
        else:
            state.stale += 1
            state.finished = bool(s.patience) and state.stale >= s.patience
        self._save_last()
        if not on_terminal(self.console):
            self.console.print(
                f"step {state.step}/{self.steps}  loss {losses['loss']:.4f}  validation AUC {values['auc']:.2f}  "
                f"F1 {values['f1']:.2f}  {state.seconds:.0f} s"
            )
        return state

    def _learn_decision(self) -> None:
        """The second stage of methods that have one: only the decision is trained, on top of the best weights.

        It takes seconds and depends on these weights and the seed alone; a run that is killed here repeats it.
        """
        method, s = self.model.method, self.settings.train
        if not method.decision_episodes:
            return
        checkpoint.restore_model(self.model, checkpoint.load_tensors(self.folder.best)[0], self.folder.best)
        episodes = [self.sampler.episode(s.episodes + i) for i in range(method.decision_episodes)]  # not trained on
        evaluated = evaluate_episodes(self.model, self.train_set, episodes)
        torch.manual_seed(s.seed)
        method.learn_decision(evaluated.scores, evaluated.truth)
        evaluated = evaluate_episodes(self.model, self.validation_set, self.validation_episodes, tune=True)
        self.metadata["decision_f1"] = mean_interval(evaluated.metrics()["f1"]).to_percent().mean
        self._save_best()

    def _save_best(self) -> None:
        metadata = {**self._identity(), "step": self.state.best_step}
        checkpoint.save_tensors(self.folder.best, checkpoint.model_tensors(self.model), metadata)

    def _save_last(self) -> None:
        optimiser, schedule = self.optimiser, self.schedule
        metadata = {
            **self._identity(),
            "state": vars(self.state),
            "learning_rates": [group["lr"] for group in optimiser.param_groups],
            "schedule": {**schedule.state_dict(), "lr_lambdas": [None] * len(optimiser.param_groups)},
        }
        checkpoint.save_tensors(
            self.folder.last,
            {**checkpoint.model_tensors(self.model), **checkpoint.optimiser_tensors(optimiser)},
            metadata,
        )
        with atomic_write(self.folder.history) as file:
            file.write(to_json(self.state.history))

    def _write_metadata(self, outcome: dict[str, Any]) -> None:
        if self.processes.is_main:
            self.folder.write_metadata({**self.metadata, **outcome})

    def _identity(self) -> dict[str, str]:
        return {name: self.metadata[name] for name in ("encoder_digest", "data_digest")}

    def _rate_at(self, step: int) -> float:
        """Factor of the learning rates: linear warm-up, then linear decay to zero."""
        warmup = self.settings.train.warmup
        if step < warmup:
            return (step + 1) / (warmup + 1)
        return max(0.0, (self.steps - step) / max(1, self.steps - warmup))

    def _note(self, losses: dict[str, float]) -> str:
        note = f"loss {losses['loss']:.3f}" if losses else ""
        if self.state.history:
            last = self.state.history[-1]
            note += f"  validation AUC {last['validation_auc']:.2f} F1 {last['validation_f1']:.2f}"
        return note


_VALIDATED = ("auc", "f1", "oracle_count_f1")


def _digest(*sets: SentenceSet) -> str:
    """SHA-256 of all texts and labels."""
    content = json.dumps([[(s.text, s.aspects) for s in sentences] for sentences in sets])
    return hashlib.sha256(content.encode()).hexdigest()


def _parameter_groups(model: FewShotModel, s: TrainSettings) -> list[dict[str, Any]]:
    """Encoder and method with their own learning rates; no weight decay of biases, norms and scalars."""
    groups = []
    for part, rate in ((model.upper, s.learning_rate), (model.method, s.head_learning_rate)):
        trainable = [p for p in part.parameters() if p.requires_grad]
        matrices, rest = [p for p in trainable if p.ndim > 1], [p for p in trainable if p.ndim <= 1]
        for parameters, decay in ((matrices, s.weight_decay), (rest, 0.0)):
            if parameters:
                groups.append({"params": parameters, "lr": rate, "weight_decay": decay})
    return groups

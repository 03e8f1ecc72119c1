"""Training divided among processes that really are several, started as a user starts them."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch

from examples import run_settings
from fewaspect.core.errors import ConfigError
from fewaspect.training.checkpoint import load_tensors
from fewaspect.training.processes import ProcessGroup
from fewaspect.training.run_folder import RunSettings
from fewaspect.training.trainer import Trainer, train

DYING = """
import os, signal
from fewaspect.cli.app import main
from fewaspect.training.trainer import Trainer

step = Trainer._step

def die_at_the_third(self, episodes):
    if self.state.step == 2 and self.processes.rank == 1:
        os.kill(os.getpid(), signal.SIGKILL)
    return step(self, episodes)

Trainer._step = die_at_the_third
main()
"""


@pytest.fixture(scope="module")
def settings(encoder_folder: Callable[..., Path]) -> RunSettings:
    """Seven episodes in steps of three, three and one: in the last, one of two processes has none."""
    return run_settings(
        str(encoder_folder("bert")), episodes=7, episodes_per_step=3, validate_every=1, encoder_dropout=0.1,
        learning_rate=1e-3, warmup=0,
    )  # fmt: skip


@pytest.fixture(scope="module")
def alone(settings: RunSettings, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The run in one process."""
    out = tmp_path_factory.mktemp("alone") / "run"
    train(settings, None, out)
    return out


def in_two(settings: RunSettings, out: Path, *more: str, script: Path | None = None) -> subprocess.CompletedProcess:
    config = out.with_suffix(".json")
    config.write_text(json.dumps({"settings": settings.as_dict()}))
    program = [str(script)] if script else ["-m", "fewaspect"]
    return subprocess.run(
        [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node", "2", *program, "train",
         "--config", str(config), "--out", str(out), *more],
        capture_output=True, text=True, timeout=300,
    )  # fmt: skip


def require_equal(one: Path, other: Path) -> None:
    """Losses to 1e-5, and weights but for the keys' biases: attention does not depend on them, their gradient is
    rounding alone, and Adam makes steps of that."""
    first, second = (json.loads((folder / "history.json").read_text()) for folder in (one, other))
    assert len(first) == len(second) == 3
    for a, b in zip(first, second, strict=True):
        assert b == pytest.approx(a, abs=1e-5, rel=0)
    a, b = (load_tensors(folder / "last.safetensors")[0] for folder in (one, other))
    assert a.keys() == b.keys()
    for name in (name for name in a if "key.bias" not in name):
        torch.testing.assert_close(a[name], b[name], atol=1e-4, rtol=1e-3, msg=name)


def files(folder: Path) -> list[str]:
    return sorted(path.name.split(".out.")[0] for path in folder.rglob("*") if path.is_file())


@pytest.mark.slow
def test_two_processes_learn_what_one_does_and_one_writes(settings: RunSettings, alone: Path, tmp_path: Path) -> None:
    done = in_two(settings, tmp_path / "two")
    assert done.returncode == 0, done.stderr
    require_equal(alone, tmp_path / "two")
    assert files(tmp_path / "two") == files(alone)
    assert json.loads((tmp_path / "two" / "run.json").read_text())["processes"] == 2
    assert done.stdout.count("best validation") == 1
    assert done.stderr.count("step 1/3") == 1


@pytest.mark.slow
def test_when_one_process_dies_all_end_and_one_alone_resumes(
    settings: RunSettings, alone: Path, tmp_path: Path
) -> None:
    (tmp_path / "dying.py").write_text(DYING)
    done = in_two(settings, tmp_path / "run", script=tmp_path / "dying.py")
    assert done.returncode != 0
    assert load_tensors(tmp_path / "run" / "last.safetensors")[1]["state"]["step"] == 2
    assert not json.loads((tmp_path / "run" / "run.json").read_text())["finished"]
    train(settings, None, tmp_path / "run", resume=True)
    require_equal(alone, tmp_path / "run")


@pytest.mark.slow
def test_a_run_of_one_process_is_resumed_by_two(
    settings: RunSettings, alone: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    step = Trainer._step

    def stop_at_the_second(self: Trainer, episodes: Any) -> Any:
        if self.state.step == 1:
            raise KeyboardInterrupt
        return step(self, episodes)

    monkeypatch.setattr(Trainer, "_step", stop_at_the_second)
    with pytest.raises(KeyboardInterrupt):
        train(settings, None, tmp_path / "run")
    done = in_two(settings, tmp_path / "run", "--resume")
    assert done.returncode == 0, done.stderr
    require_equal(alone, tmp_path / "run")


@pytest.fixture
def processes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[int], list[ProcessGroup]]:
    """All ranks of so many, in this process, unable to communicate."""

    def several(count: int) -> list[ProcessGroup]:
        made = [ProcessGroup(tmp_path) for _ in range(count)]
        for rank, each in enumerate(made):
            each.size, each.rank = count, rank
        return made

    return several


@pytest.mark.parametrize(("episodes", "count"), [(1, 1), (5, 1), (4, 2), (3, 2), (1, 4), (9, 4)])
def test_every_episode_of_a_step_goes_to_one_process_and_all_take_equally_many(
    episodes: int, count: int, processes: Callable[[int], list[ProcessGroup]]
) -> None:
    shares = [each.own_episodes(episodes) for each in processes(count)]
    assert sorted(position for share in shares for position in share if position < episodes) == list(range(episodes))
    assert len(set(map(len, shares))) == 1
    assert max(map(len, shares)) == -(-episodes // count)


def test_a_parameter_that_only_another_process_used_gets_its_gradient_and_an_unused_one_none(
    processes: Callable[[int], list[ProcessGroup]], monkeypatch: pytest.MonkeyPatch
) -> None:
    here, there, nowhere = (torch.nn.Parameter(torch.zeros(2)) for _ in range(3))
    here.grad = torch.tensor([1.0, 2.0])
    process = processes(2)[0]
    other = torch.tensor([1.0, 1.0, 0.0, 10.0, 20.0, 30.0, 40.0, 0.0, 0.0])  # what it used, then its gradients
    monkeypatch.setattr(process, "all_reduce", lambda values: values + other)
    process.all_reduce_gradients([here, there, nowhere])
    assert here.grad.tolist() == [11.0, 22.0]
    assert there.grad is not None
    assert there.grad.tolist() == [30.0, 40.0]
    assert nowhere.grad is None


def test_more_processes_than_episodes_per_step_are_refused(processes: Callable[[int], list[ProcessGroup]]) -> None:
    with pytest.raises(ConfigError, match="--episodes-per-step 1 and 2 processes"):
        processes(2)[0].check_episodes_per_step(1)

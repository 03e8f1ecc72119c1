"""Training as a user starts it: runs, kills, resumes."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import Tensor
from torch.nn import Module

from examples import run_settings
from fewaspect.core.errors import CheckpointError, ConfigError, TrainingError
from fewaspect.data.benchmarks import Benchmark
from fewaspect.data.labelled import with_joined_sentences
from fewaspect.data.sample_set import load_sample
from fewaspect.methods.lpn import LPN
from fewaspect.training.checkpoint import load_tensors, save_tensors
from fewaspect.training.run import load_run
from fewaspect.training.run_folder import RunFolder
from fewaspect.training.trainer import train

SMALL = ["--way", "3", "--shot", "2", "--queries", "2", "--validation-episodes", "5", "--validate-every", "4"]


@pytest.fixture(scope="module")
def tiny(encoder_folder: Callable[..., Path]) -> str:
    return str(encoder_folder("bert"))


def command(tiny: str, out: Path, *more: str) -> list[str]:
    return [
        sys.executable, "-m", "fewaspect", "train", "--benchmark", "sample", "--encoder", tiny, "--out", str(out),
        "--encoder-dropout", "0.1", "--learning-rate", "1e-3", *SMALL, *more,
    ]  # fmt: skip


def test_a_killed_run_resumes_to_the_same_weights(tiny: str, tmp_path: Path) -> None:
    whole, broken = tmp_path / "whole", tmp_path / "broken"
    subprocess.run(command(tiny, whole, "--episodes", "40"), check=True, capture_output=True)
    process = subprocess.Popen(command(tiny, broken, "--episodes", "40"), stderr=subprocess.PIPE)
    deadline = time.monotonic() + 120
    while not (broken / "last.safetensors").exists():
        assert time.monotonic() < deadline, "no checkpoint was written"
        assert process.poll() is None, process.stderr and process.stderr.read()
        time.sleep(0.02)
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    stopped_at = load_tensors(broken / "last.safetensors")[1]["state"]["step"]
    assert stopped_at < 40, "the run was over before it could be killed"
    assert not json.loads((broken / "run.json").read_text())["finished"]
    subprocess.run(command(tiny, broken, "--episodes", "40", "--resume"), check=True, capture_output=True)

    for name in ("model.safetensors", "last.safetensors"):
        expected, found = load_tensors(whole / name)[0], load_tensors(broken / name)[0]
        assert expected.keys() == found.keys()
        assert different(expected, found) == {}, name
    without_time = [json.loads((folder / "history.json").read_text()) for folder in (whole, broken)]
    assert without_time[0] == without_time[1]


def test_the_same_seed_gives_the_same_weights_and_another_seed_others(tiny: str, tmp_path: Path) -> None:
    for name, seed in (("a", 3), ("b", 3), ("c", 4)):
        train(run_settings(tiny, seed=seed), None, tmp_path / name)
    a, b, c = (load_tensors(tmp_path / name / "last.safetensors")[0] for name in "abc")
    assert different(a, b) == {}
    assert different(a, c)


def different(one: dict[str, Tensor], other: dict[str, Tensor]) -> dict[str, float]:
    """The largest difference in each tensor that is not equal bit for bit."""
    return {
        name: float((one[name] - other[name]).abs().max()) for name in one if not torch.equal(one[name], other[name])
    }


def test_training_lowers_the_loss(tmp_path: Path) -> None:
    real = run_settings(
        "minilm", episodes=60, validate_every=20, learning_rate=1e-4, head_learning_rate=1e-4, warmup=5, joined=0.0
    )
    losses = [entry["loss"] for entry in train(real, None, tmp_path / "r").history]
    assert losses[-1] < 0.9 * losses[0]


def test_the_best_checkpoint_is_the_best_validation_and_not_the_last(tiny: str, tmp_path: Path) -> None:
    state = train(run_settings(tiny, episodes=12, learning_rate=5e-2, head_learning_rate=5e-2), None, tmp_path / "r")
    values = [entry["validation_f1"] for entry in state.history]
    assert state.best == max(values)
    assert state.best_step == state.history[values.index(max(values))]["step"]
    assert load_tensors(tmp_path / "r" / "model.safetensors")[1]["step"] == state.best_step


def test_training_stops_early_when_validation_no_longer_improves(tiny: str, tmp_path: Path) -> None:
    frozen = {"learning_rate": 0.0, "head_learning_rate": 0.0}
    state = train(run_settings(tiny, episodes=40, patience=2, **frozen), None, tmp_path / "r")
    assert state.step == 6  # one validation that is the best so far, two that are no better
    assert json.loads((tmp_path / "r" / "run.json").read_text())["finished"]


def test_several_episodes_per_step_make_one_update(tiny: str, tmp_path: Path) -> None:
    state = train(run_settings(tiny, episodes=5, episodes_per_step=2), None, tmp_path / "r")
    assert state.step == 3


def test_a_folder_in_use_is_not_overwritten(tiny: str, tmp_path: Path) -> None:
    (tmp_path / "precious.txt").write_text("mine")
    with pytest.raises(ConfigError, match="--resume"):
        train(run_settings(tiny), None, tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["precious.txt"]


def test_resuming_with_other_settings_names_them(tiny: str, tmp_path: Path) -> None:
    train(run_settings(tiny), None, tmp_path / "r")
    with pytest.raises(ConfigError, match="seed was 0, now 1"):
        train(run_settings(tiny, seed=1), None, tmp_path / "r", resume=True)


def test_resuming_with_other_data_is_refused(tiny: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    train(run_settings(tiny), None, tmp_path / "r")
    other = with_joined_sentences(load_sample()["validation"], 0.1, 0)
    changed = Benchmark("sample", load_sample()["train"], other, load_sample()["test"], "sample train split")
    monkeypatch.setattr("fewaspect.training.training_data.load_benchmark", lambda *_, **__: changed)
    with pytest.raises(CheckpointError, match="data digest"):
        train(run_settings(tiny), None, tmp_path / "r", resume=True)


def test_resuming_never_takes_over_a_folder_that_is_not_a_run(tiny: str, tmp_path: Path) -> None:
    (tmp_path / "model.safetensors").write_text("somebody's weights")
    with pytest.raises(ConfigError, match=r"no run\.json"):
        train(run_settings(tiny), None, tmp_path, resume=True)
    assert (tmp_path / "model.safetensors").read_text() == "somebody's weights"


def test_a_diverged_run_says_so(tiny: str, tmp_path: Path) -> None:
    wild = run_settings(tiny, learning_rate=1e30, head_learning_rate=1e30, warmup=1, episodes=20, validate_every=1)
    with pytest.raises(TrainingError, match="diverged"):
        train(wild, None, tmp_path / "r")
    assert not json.loads((tmp_path / "r" / "run.json").read_text())["finished"]


def test_the_step_that_diverged_is_named_though_losses_are_looked_at_later(
    tiny: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    losses = LPN.losses
    calls: list[int] = []

    def spoiled(*arguments: Any) -> dict[str, Tensor]:
        calls.append(len(calls))
        parts = losses(*arguments)
        return {**parts, "class": parts["class"] * float("nan")} if len(calls) == 3 else parts

    monkeypatch.setattr(LPN, "losses", spoiled)
    with pytest.raises(TrainingError, match="loss is nan at step 3: training diverged"):
        train(run_settings(tiny, episodes=20, validate_every=20), None, tmp_path / "r")
    assert len(calls) == 10  # the tenth step is the first look
    assert not (tmp_path / "r" / "last.safetensors").exists()


def test_half_precision_learns_much_the_same(tiny: str, tmp_path: Path) -> None:
    runs = {}
    for precision in ("float32", "bf16"):
        train(run_settings(tiny, precision=precision, validate_every=1), None, tmp_path / precision)
        history = json.loads((tmp_path / precision / "history.json").read_text())
        runs[precision] = [step["loss"] for step in history]
        assert all(
            t.dtype == torch.float32 for t in load_tensors(tmp_path / precision / "model.safetensors")[0].values()
        )
    assert runs["bf16"] == pytest.approx(runs["float32"], rel=0.02)
    assert runs["bf16"] != runs["float32"], "nothing was computed in half precision"


def test_compiled_layers_learn_the_same(tiny: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Traced and differentiated as for a GPU; only the code is not generated, which takes most of a minute."""
    traced: list[Module] = []

    def traced_only(module: Module, **options: Any) -> None:
        traced.append(module)
        module._compiled_call_impl = torch.compile(module._call_impl, backend="aot_eager", **options)

    monkeypatch.setattr(Module, "compile", traced_only)
    runs = []
    for compiled in (False, True):
        train(run_settings(tiny, compile=compiled, validate_every=1), None, tmp_path / str(compiled))
        history = json.loads((tmp_path / str(compiled) / "history.json").read_text())
        runs.append([step["loss"] for step in history])
    assert runs[0] == pytest.approx(runs[1], rel=1e-4)
    assert traced


def test_tensorboard_logs_are_written(tiny: str, tmp_path: Path) -> None:
    train(run_settings(tiny), None, tmp_path / "r")
    assert list((tmp_path / "r").rglob("events.out.tfevents*"))


def test_a_damaged_checkpoint_is_refused(tiny: str, tmp_path: Path) -> None:
    train(run_settings(tiny), None, tmp_path / "r")
    path = tmp_path / "r" / "model.safetensors"
    path.write_bytes(path.read_bytes()[:-100])
    with pytest.raises(CheckpointError, match="damaged"):
        load_run(tmp_path / "r")
    path.write_bytes(b"\x80\x04not a checkpoint")
    with pytest.raises(CheckpointError, match=r"model\.safetensors"):
        load_run(tmp_path / "r")


def test_a_foreign_safetensors_file_is_refused(tmp_path: Path) -> None:
    import torch
    from safetensors.torch import save_file

    save_file({"x": torch.zeros(2)}, tmp_path / "x.safetensors")
    with pytest.raises(CheckpointError, match="format"):
        load_tensors(tmp_path / "x.safetensors")
    save_tensors(tmp_path / "y.safetensors", {"x": torch.zeros(2)}, {"n": 1})
    assert load_tensors(tmp_path / "y.safetensors")[1] == {"n": 1}


def test_a_folder_without_a_run_is_refused(tmp_path: Path) -> None:
    with pytest.raises(CheckpointError, match=r"run\.json"):
        RunFolder(tmp_path).read_settings()


def test_the_threshold_is_kept_with_the_weights_it_was_tuned_for(tiny: str, tmp_path: Path) -> None:
    train(run_settings(tiny, method="prototypical"), None, tmp_path / "r")
    tensors, _ = load_tensors(tmp_path / "r" / "model.safetensors")
    _, _, model = load_run(tmp_path / "r")
    assert model.method.describe_decision()["threshold"] == float(tensors["model.method.threshold"])


@pytest.mark.parametrize(("name", "range_of"), [("graph", "way"), ("proto-hatt", "shot")])
def test_a_range_of_what_the_method_fixes_is_refused_before_any_training(
    name: str, range_of: str, tiny: str, tmp_path: Path
) -> None:
    with pytest.raises(ConfigError, match=f"--{range_of} 2"):
        train(run_settings(tiny, method=name, **{range_of: "2-3"}), None, tmp_path / "r")
    assert not (tmp_path / "r" / "run.json").exists()


def test_the_threshold_policy_learns_after_the_rest_and_leaves_it_alone(tiny: str, tmp_path: Path) -> None:
    with_policy = run_settings(tiny, method="proto-awatt")
    without = run_settings(tiny, method="proto-awatt", policy_episodes=0)
    train(with_policy, None, tmp_path / "with")
    train(without, None, tmp_path / "without")
    a, b = (load_tensors(tmp_path / name / "model.safetensors")[0] for name in ("with", "without"))
    changed = {key for key in a if not torch.equal(a[key], b[key])}
    assert {"model.method.policy.output.weight", "model.method.policy.learned"} <= changed
    assert all(key.startswith("model.method.policy") for key in changed)
    train(with_policy, None, tmp_path / "with", resume=True)  # a run that is killed in the second stage begins it again
    again = load_tensors(tmp_path / "with" / "model.safetensors")[0]
    assert all(torch.equal(a[key], again[key]) for key in a)

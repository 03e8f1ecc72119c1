"""`fewaspect train` and `fewaspect evaluate` as a user types them."""

from __future__ import annotations

import dataclasses
import inspect
import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from fewaspect.cli.evaluate import evaluate
from fewaspect.cli.options import method_panels
from fewaspect.cli.train import train
from fewaspect.methods import METHODS


def fewaspect(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-m", "fewaspect", *arguments], capture_output=True, text=True)


@pytest.fixture(scope="module")
def run(encoder_folder: Callable[..., Path], tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("runs") / "run"
    config = out.parent / "config.yaml"
    config.write_text("episodes: 6\nvalidate_every: 3\nvalidation_episodes: 5\nrank: 7\nway: 9\n")
    done = fewaspect(
        "train", "--benchmark", "sample", "--encoder", str(encoder_folder("bert")), "--method", "lpn", "--way", "4",
        "--shot", "3", "--seed", "5", "--config", str(config), "--out", str(out),
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert "best validation f1" in done.stdout
    return out


def test_flags_win_over_the_config_file_and_that_over_the_defaults(run: Path) -> None:
    settings = json.loads((run / "run.json").read_text())["settings"]
    assert settings["train"]["way"] == "4"
    assert settings["train"]["episodes"] == 6
    assert settings["method"]["rank"] == 7
    assert settings["method"]["pooling_heads"] == 4


def test_evaluate_prints_a_table_and_writes_strict_json(run: Path, tmp_path: Path) -> None:
    out = tmp_path / "result.json"
    done = fewaspect(
        "evaluate", str(run), "--benchmark", "sample", "--way", "5", "--shot", "5", "--episodes", "20", "--seed", "1",
        "--json", str(out),
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert "macro-F1" in done.stdout

    def refuse(name: str) -> None:
        raise AssertionError(f"{name} is not JSON")

    result = json.loads(out.read_text(), parse_constant=refuse)
    for name in ("auc", "f1", "micro_f1", "oracle_count_f1", "count_accuracy", "always_one_accuracy"):
        assert result[name]["low"] <= result[name]["mean"] <= result[name]["high"]
        assert 0 <= result[name]["mean"] <= 100
    assert result["train"] == "sample train split"
    assert (result["method"], result["protocol"], result["seed"], result["episode_seed"]) == ("lpn", "disjoint", 5, 1)
    assert result["environment"]["packages"]["torch"]


def test_a_saved_run_description_serves_as_config(run: Path, tmp_path: Path) -> None:
    done = fewaspect("train", "--config", str(run / "run.json"), "--episodes", "3", "--out", str(tmp_path / "again"))
    assert done.returncode == 0, done.stderr
    again = json.loads((tmp_path / "again" / "run.json").read_text())["settings"]
    assert again["method"]["rank"] == 7
    assert again["train"]["episodes"] == 3


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["train", "--benchmark", "fewasp-singel", "--out", "{out}"], "fewasp-single"),
        (["train", "--benchmark", "sample", "--method", "lpm", "--out", "{out}"], 'Did you mean "lpn"'),
        (["train", "--benchmark", "sample", "--way", "five", "--out", "{out}"], "five"),
        (["train", "--benchmark", "sample", "--way", "50", "--out", "{out}"], "50"),
        (["train", "--benchmark", "sample", "--learning-rate", "-1", "--out", "{out}"], "learning_rate"),
        (["train", "--benchmark", "sample", "--recipe", "papre", "--out", "{out}"], "recipe"),
        (["train", "--benchmark", "sample", "--config", "{out}.yaml", "--out", "{out}"], "cannot be read"),
        (["train", "--benchmark", "sample", "--encoder", "nobody/nothing", "--offline", "--out", "{out}"], "offline"),
        (["train", "--benchmark", "fewasp-single", "--data", "{out}", "--out", "{out}"], "fewasp"),
        (["train", "--benchmark", "sample", "--method", "imp", "--rank", "3", "--out", "{out}"], "of lpn, lpn-wo"),
        (["evaluate", "{out}", "--benchmark", "sample"], "run.json"),
        (["train", "--no-such-flag", "--out", "{out}"], "no-such-flag"),
    ],
)
def test_bad_input_is_one_clear_message_and_exit_code_2(arguments: list[str], message: str, tmp_path: Path) -> None:
    done = fewaspect(*(argument.format(out=tmp_path / "run") for argument in arguments))
    assert done.returncode == 2
    assert message in done.stderr
    assert "Traceback" not in done.stderr
    assert not (tmp_path / "run" / "run.json").exists()


def test_an_unknown_setting_in_a_config_file_is_guessed(tmp_path: Path) -> None:
    (tmp_path / "c.yaml").write_text("epsiodes: 3\n")
    done = fewaspect("train", "--config", str(tmp_path / "c.yaml"), "--out", str(tmp_path / "run"))
    assert done.returncode == 2
    assert "Did you mean episodes?" in done.stderr


@pytest.mark.parametrize("content", ["settings: 5", "method: 5", "method: [a]", "method: null", "train: {1: 2}", "- a"])
def test_values_of_the_wrong_kind_in_a_config_file_are_refused(content: str, tmp_path: Path) -> None:
    (tmp_path / "c.yaml").write_text(content)
    done = fewaspect("train", "--config", str(tmp_path / "c.yaml"), "--out", str(tmp_path / "run"))
    assert done.returncode == 2
    assert done.stderr.startswith("error: ")
    assert "Traceback" not in done.stderr


def test_a_result_file_in_a_missing_folder_is_refused_before_the_work(run: Path, tmp_path: Path) -> None:
    done = fewaspect("evaluate", str(run), "--benchmark", "sample", "--json", str(tmp_path / "no" / "r.json"))
    assert done.returncode == 2
    assert "no such folder" in done.stderr
    assert not done.stdout


def test_methods_lists_all_of_them() -> None:
    done = fewaspect("methods")
    assert done.returncode == 0
    for name in METHODS:
        assert f"{name} " in done.stdout


def test_every_setting_of_every_method_is_a_flag_in_one_panel_per_family() -> None:
    panels = method_panels()
    offered = {item.name for _, kind in panels for item in dataclasses.fields(kind)}  # type: ignore[arg-type]
    for entry in METHODS.values():
        assert {item.name for item in dataclasses.fields(entry.settings)} <= offered  # type: ignore[arg-type]
    titles = [title for title, _ in panels]
    assert titles[0] == "Every method of the paper"
    assert len(set(titles)) == len(titles)


def test_the_help_says_which_methods_have_a_default_of_their_own() -> None:
    def shown(command: Callable[..., None], name: str) -> str:
        (option,) = (p for p in inspect.signature(command).parameters.values() if p.name == name)
        return str(option.annotation.__metadata__[0].show_default)

    assert shown(train, "scale") == "10.0; LPN+: 20.0"
    assert shown(train, "way") == "5; lpn-plus: 10"
    assert shown(train, "warmup") == "50"
    assert shown(evaluate, "way") == "5"


COMMANDS = ["train", "evaluate", "methods", "data", "cache", "figures", "quickstart", "benchmark", "tables"]


@pytest.mark.parametrize("command", [[], *([name] for name in COMMANDS)])
def test_help_imports_nothing_heavy(command: list[str]) -> None:
    code = (
        "import sys; sys.argv[1:] = {!r}\n"
        "from fewaspect.cli.app import main\n"
        "try: main()\n"
        "except SystemExit as end: assert not end.code, end.code\n"
        "heavy = {{'torch', 'transformers', 'pyarrow', 'numpy', 'sklearn', 'matplotlib'}} & set(sys.modules)\n"
        "assert not heavy, heavy"
    ).format([*command, "--help"])
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr

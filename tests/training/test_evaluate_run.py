"""Runs evaluated in one setting or several."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from examples import run_settings
from fewaspect.core.errors import ConfigError
from fewaspect.core.settings import EvaluateSettings
from fewaspect.methods import METHODS
from fewaspect.training.evaluate_run import evaluate_many, evaluate_run
from fewaspect.training.run import load_run
from fewaspect.training.trainer import train


@pytest.fixture(scope="module")
def tiny(encoder_folder: Callable[..., Path]) -> str:
    return str(encoder_folder("bert"))


@pytest.mark.parametrize("name", METHODS)
def test_every_method_trains_and_evaluates_by_name(name: str, tiny: str, tmp_path: Path) -> None:
    train(run_settings(tiny, method=name, episodes=2), None, tmp_path / "r")
    result = evaluate_run(
        tmp_path / "r", EvaluateSettings(benchmark="sample", way="3", shot="2", queries=2, episodes=3), None
    )
    assert 0 <= result["f1"]["mean"] <= 100
    assert result["title"] == METHODS[name].title
    if name in ("lpn", "lpn-wo", "lpn-oo"):
        assert result["decision"] == {"rule": "count", "tuned_on": None}
    else:
        assert 0 <= result["decision"]["threshold"] <= 1.001
        assert result["decision"]["tuned_on"] == "sample (validation), 3-way 2-shot, 5 episodes"
    assert ("clusters_per_class" in result) == (name == "imp")


def test_evaluation_refuses_aspects_seen_in_training(tiny: str, tmp_path: Path) -> None:
    train(run_settings(tiny), None, tmp_path / "r")
    about = json.loads((tmp_path / "r" / "run.json").read_text())
    about["train_aspects"].append("noise")
    (tmp_path / "r" / "run.json").write_text(json.dumps(about))
    with pytest.raises(ConfigError, match="noise"):
        evaluate_run(tmp_path / "r", EvaluateSettings(benchmark="sample", episodes=2), None)


def test_a_threshold_is_tuned_again_for_another_number_of_classes(tiny: str, tmp_path: Path) -> None:
    train(run_settings(tiny, method="prototypical"), None, tmp_path / "r")
    found = {}
    for way in ("2", "5"):
        chosen = EvaluateSettings(benchmark="sample", way=way, shot="2", queries=2, episodes=3)
        found[way] = evaluate_run(tmp_path / "r", chosen, None)["decision"]
        assert f"{way}-way 2-shot" in found[way]["tuned_on"]
    assert found["2"]["threshold"] != found["5"]["threshold"]


@pytest.mark.parametrize(("name", "way", "shot", "letter"), [("graph", "4", "2", "N"), ("proto-hatt", "3", "3", "K")])
def test_an_n_or_k_that_the_model_was_not_built_for_is_refused(
    name: str, way: str, shot: str, letter: str, tiny: str, tmp_path: Path
) -> None:
    train(run_settings(tiny, method=name, episodes=2), None, tmp_path / "r")
    chosen = EvaluateSettings(benchmark="sample", way=way, shot=shot, queries=2, episodes=3)
    with pytest.raises(ConfigError, match=f"was built for {letter} = "):
        evaluate_run(tmp_path / "r", chosen, None)


@pytest.mark.parametrize("name", ["lpn", "prototypical", "proto-awatt"])
def test_settings_evaluated_together_give_what_each_gives_by_itself(name: str, tiny: str, tmp_path: Path) -> None:
    train(run_settings(tiny, method=name), None, tmp_path / "r")
    chosen = [
        EvaluateSettings(benchmark="sample", way=way, shot=shot, queries=2, episodes=4, none_rate=none_rate)
        for way, shot, none_rate in (("2", "2", 0.0), ("4", "3", 0.0), ("3", "1", 0.2))
    ]
    together = evaluate_many(tmp_path / "r", chosen, None)
    assert len({result["seconds"]["encoding"] for result in together}) == 1
    for one, result in zip(chosen, together, strict=True):
        alone = evaluate_run(tmp_path / "r", one, None)
        assert list(alone) == list(result)
        for metric in ("auc", "f1", "oracle_count_f1", "count_accuracy"):
            assert result[metric] == pytest.approx(alone[metric], rel=1e-5)
        threshold, expected = (decided["decision"].pop("threshold", 0.0) for decided in (result, alone))
        assert threshold == pytest.approx(expected, rel=1e-5)
        for entry in ("way", "shot", "none_rate", "episodes", "decision", "truncated_sentences", "settings"):
            assert result[entry] == alone[entry]


def test_a_setting_without_validation_episodes_is_decided_as_trained_whatever_came_before(
    tiny: str, tmp_path: Path
) -> None:
    train(run_settings(tiny, method="prototypical"), None, tmp_path / "r")
    _, _, model = load_run(tmp_path / "r")
    # The sample has six validation classes, and eight to be tested on.
    chosen = [EvaluateSettings(benchmark="sample", way=way, shot="2", queries=2, episodes=2) for way in ("2", "7")]
    tuned, kept = (result["decision"] for result in evaluate_many(tmp_path / "r", chosen, None))
    assert tuned["tuned_on"] == "sample (validation), 2-way 2-shot, 5 episodes"
    assert kept["tuned_on"] == "sample (validation), 3-way 2-shot, 5 episodes, in training"
    assert kept["threshold"] == model.method.describe_decision()["threshold"] != tuned["threshold"]


def test_settings_of_two_benchmarks_or_splits_are_not_evaluated_together(tmp_path: Path) -> None:
    chosen = [EvaluateSettings(benchmark="sample"), EvaluateSettings(benchmark="sample", split="validation")]
    with pytest.raises(ConfigError, match=r"sample \(test\), sample \(validation\)"):
        evaluate_many(tmp_path / "r", chosen, None)

"""Encoding once gives what encoding every episode anew gives."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import torch

from fewaspect.data.episodes import EpisodeSampler
from fewaspect.data.sample_set import load_sample
from fewaspect.encoders.frozen import FrozenStates
from fewaspect.evaluation.evaluator import evaluate_episodes
from fewaspect.methods import METHODS, build_method
from fewaspect.methods.few_shot_model import FewShotModel
from fewaspect.methods.prepared import PreparedSet


@pytest.mark.parametrize("name", METHODS)
def test_encoding_once_equals_encoding_each_episode(
    name: str, tiny_encoder: Callable[..., object], tmp_path: Path
) -> None:
    encoder = tiny_encoder()
    torch.manual_seed(0)
    method = build_method(name, encoder.width, METHODS[name].settings(), way=5, shot=3)  # type: ignore[attr-defined]
    model = FewShotModel(encoder.upper, method).eval()  # type: ignore[attr-defined]
    sentences = load_sample()["test"]
    prepared = PreparedSet.of(sentences, FrozenStates(encoder, tmp_path))  # type: ignore[arg-type]
    way = 5 if "way" in method.fixed_sizes else (3, 5)
    shot = 3 if "shot" in method.fixed_sizes else (1, 4)
    episodes = list(EpisodeSampler(sentences, way=way, shot=shot, none_rate=0.2, seed=2).episodes(6))
    evaluated = evaluate_episodes(model, prepared, episodes)
    for episode, scores, truth, predicted in zip(
        episodes, evaluated.scores, evaluated.truth, evaluated.predicted, strict=True
    ):
        with torch.inference_mode():
            anew, _ = model(*prepared.load(episode))
        np.testing.assert_allclose(scores, method.probabilities(anew).numpy(), atol=1e-5)
        assert np.array_equal(predicted, method.decide(anew).numpy())
        assert truth is episode.query_labels


def test_evaluation_leaves_the_model_in_the_mode_it_had(tiny_encoder: Callable[..., object], tmp_path: Path) -> None:
    encoder = tiny_encoder()
    method = build_method("lpn", encoder.width, METHODS["lpn"].settings(), way=3)  # type: ignore[attr-defined]
    model = FewShotModel(encoder.upper, method).train()  # type: ignore[attr-defined]
    sentences = load_sample()["test"]
    prepared = PreparedSet.of(sentences, FrozenStates(encoder, tmp_path))  # type: ignore[arg-type]
    evaluate_episodes(model, prepared, list(EpisodeSampler(sentences, way=3, shot=2).episodes(2)))
    assert model.training


@pytest.mark.parametrize("name", ["prototypical", "relation"])
def test_tuning_fits_the_threshold_to_the_episodes_and_decides_by_it(
    name: str, tiny_encoder: Callable[..., object], tmp_path: Path
) -> None:
    encoder = tiny_encoder()
    torch.manual_seed(0)
    method = build_method(name, encoder.width, METHODS[name].settings(), way=4)  # type: ignore[attr-defined]
    model = FewShotModel(encoder.upper, method).eval()  # type: ignore[attr-defined]
    sentences = load_sample()["test"]
    prepared = PreparedSet.of(sentences, FrozenStates(encoder, tmp_path))  # type: ignore[arg-type]
    episodes = list(EpisodeSampler(sentences, way=4, shot=2, seed=2).episodes(8))
    before = evaluate_episodes(model, prepared, episodes)
    assert method.describe_decision()["threshold"] == pytest.approx(0.3)
    tuned = evaluate_episodes(model, prepared, episodes, tune=True)
    threshold = method.describe_decision()["threshold"]
    assert tuned.metrics()["f1"].mean() >= before.metrics()["f1"].mean()
    for scores, predicted in zip(tuned.scores, tuned.predicted, strict=True):
        best = scores == scores.max(axis=1, keepdims=True)
        assert np.array_equal(predicted, (scores >= np.float32(threshold)) | best)


def test_remarks_are_means_over_the_episodes(tiny_encoder: Callable[..., object], tmp_path: Path) -> None:
    encoder = tiny_encoder()
    method = build_method("imp", encoder.width, METHODS["imp"].settings(), way=3)  # type: ignore[attr-defined]
    model = FewShotModel(encoder.upper, method).eval()  # type: ignore[attr-defined]
    sentences = load_sample()["test"]
    prepared = PreparedSet.of(sentences, FrozenStates(encoder, tmp_path))  # type: ignore[arg-type]
    episodes = list(EpisodeSampler(sentences, way=3, shot=4).episodes(5))
    with torch.inference_mode():
        each = [model(*prepared.load(episode))[0].diagnostics["clusters_per_class"] for episode in episodes]
    diagnostics = evaluate_episodes(model, prepared, episodes).diagnostics
    assert diagnostics == {"clusters_per_class": pytest.approx(np.mean(each))}

"""Weights, probabilities, and how much may be known at once."""

from __future__ import annotations

import resource
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import torch

from detector_texts import EXAMPLES
from examples import run_settings
from fewaspect import AspectDetector
from fewaspect.core.errors import CheckpointError, ConfigError
from fewaspect.detector.encoding import CachedEncoding, FittedState
from fewaspect.detector.model import load_model
from fewaspect.detector.support import Examples
from fewaspect.inference.encoded import unit
from fewaspect.training.product_weights import SHIPPED
from fewaspect.training.trainer import train


def test_loading_the_weights_leaves_the_random_numbers_alone() -> None:
    from fewaspect.detector import model as scorer

    torch.manual_seed(5)
    expected = torch.rand(3)
    torch.manual_seed(5)
    scorer._load.__wrapped__(str(SHIPPED), "torch", None, 0)
    assert torch.equal(torch.rand(3), expected)


def test_the_weights_are_loaded_once() -> None:
    assert load_model(None) is load_model(None)


@pytest.fixture
def run(encoder_folder: Callable[..., Path], tmp_path: Path) -> Callable[[str], Path]:
    def make(method: str) -> Path:
        settings = run_settings(str(encoder_folder("bert")), method=method, episodes=2, validate_every=2)
        train(settings, None, tmp_path / method)
        return tmp_path / method

    return make


def test_a_run_of_ours_serves_and_travels_with_the_saved_detector(run: Callable[[str], Path], tmp_path: Path) -> None:
    detector = AspectDetector(model=run("lpn-plus")).fit(EXAMPLES)
    expected = detector.predict_proba(["good food", "slow staff"])
    folder = detector.save(tmp_path / "saved").rename(tmp_path / "moved")
    (tmp_path / "lpn-plus").rename(tmp_path / "gone")
    loaded = AspectDetector.load(folder)
    np.testing.assert_array_equal(loaded.predict_proba(["good food", "slow staff"]), expected)
    assert loaded.save(folder) == folder  # over itself
    np.testing.assert_array_equal(AspectDetector.load(folder).predict_proba(["good food", "slow staff"]), expected)


def test_a_run_of_another_method_is_refused(run: Callable[[str], Path], tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="expected a run of the method lpn-plus, found prototypical"):
        AspectDetector(model=run("prototypical")).fit(EXAMPLES)
    with pytest.raises(CheckpointError, match="expected a run folder"):
        AspectDetector(model=tmp_path / "nowhere").fit(EXAMPLES)


def test_two_hundred_aspects_are_learned_in_seconds_and_bounded_memory() -> None:
    scorer = load_model(None)
    rng = np.random.default_rng(0)
    kept, sentences = {}, {}
    for n in range(200):
        for k in range(5):
            tokens = rng.normal(size=(20, 384)).astype(np.float32)
            vector, key = unit(tokens.sum(axis=0, keepdims=True)), np.array([len(kept)])
            kept[f"{n} {k}"] = CachedEncoding(vector, tokens.astype(np.float16), np.array([20]), key)
            sentences[f"{n} {k}"] = frozenset({str(n)})
    names = tuple(map(str, range(200)))
    examples = Examples(names, sentences, {}, nameless=frozenset(names))
    before, start = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, time.process_time()
    known = FittedState(examples, kept, {}, scorer.looking, scorer.presence, 384)
    assert known.aspects.ridge_directions.shape == (200, 384)
    assert time.process_time() - start < 20
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 500_000  # kB
    assert known.aspects.ridge_directions.shape == (200, 384)
    assert np.isfinite(known.aspects.ridge_directions).all()


def test_few_sentences_are_divided_among_the_workers(monkeypatch: pytest.MonkeyPatch) -> None:
    texts = ["the soup was cold", "we found no place to park", "a quiet street", "they charged us twice"]
    scorer = load_model(None, "onnx")
    alone = [scorer.each([text], None, lambda read: read.vectors) for text in texts]
    expected = np.concatenate([vectors for one in alone for _, vectors in one])
    for workers in (1, 2, 4):
        monkeypatch.setattr(scorer.encoder, "workers", workers)
        found = list(scorer.each(texts, None, lambda read: read.vectors))
        assert len(found) >= workers
        assert sorted(i for batch, _ in found for i in batch) == [0, 1, 2, 3]
        for batch, vectors in found:
            assert np.allclose(vectors, expected[batch], atol=1e-5)
    assert len(list(scorer.each(texts, 512, lambda read: read.vectors))) == 1, "unless the size of batches is told"

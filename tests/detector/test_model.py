"""Exported models: loaded once, refused where there is none, and how much may be known at once."""

from __future__ import annotations

import resource
import time
from pathlib import Path

import numpy as np
import pytest

from detector_texts import EXAMPLES
from fewaspect import AspectDetector
from fewaspect.core.errors import CheckpointError, ConfigError
from fewaspect.detector.fitting import CachedEncoding, FittedState, fit_aspects
from fewaspect.detector.model import load_model
from fewaspect.detector.support import Examples
from fewaspect.inference.encoded import unit

TEXTS = ["The soup was cold. Nobody could park.", "rude waiter", "see you on Monday", "", "🍕 was great!", "x " * 900]


def test_the_model_is_loaded_once() -> None:
    assert load_model() is load_model(None)
    assert load_model(load_model()) is load_model()
    assert load_model().shipped


def test_what_is_no_exported_model_is_refused_with_what_to_do(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="expected an exported model, found none"):
        AspectDetector(model=tmp_path / "nowhere").fit(EXAMPLES)
    (tmp_path / "run.json").write_text("{}")
    with pytest.raises(ConfigError, match=r"found a training run\.\nExport a training run first: fewaspect export"):
        AspectDetector(model=tmp_path).fit(EXAMPLES)
    saved = AspectDetector().fit(EXAMPLES).save(tmp_path / "saved")
    with pytest.raises(ConfigError, match="found a saved detector, which has examples of its own"):
        AspectDetector(model=saved).fit(EXAMPLES)


@pytest.mark.parametrize("content", ["", "[]", '{"format": "fewaspect-model", "version": 99}', '{"format": "x"}'])
def test_damaged_metadata_are_refused(tmp_path: Path, content: str) -> None:
    (tmp_path / "model.json").write_text(content)
    with pytest.raises(CheckpointError, match='expected a model of format "fewaspect-model", version 2'):
        load_model(tmp_path)


def test_results_do_not_depend_on_what_is_encoded_beside() -> None:
    detector = AspectDetector().fit(EXAMPLES)
    together = detector.predict_proba(TEXTS * 30)
    np.testing.assert_allclose(
        together[: len(TEXTS)], np.concatenate([detector.predict_proba([t]) for t in TEXTS]), atol=1e-4
    )
    np.testing.assert_allclose(together[-len(TEXTS) :], together[: len(TEXTS)], atol=0)


def test_two_hundred_aspects_are_fitted_in_seconds_and_bounded_memory() -> None:
    rng = np.random.default_rng(0)
    encodings, sentences = {}, {}
    for n in range(200):
        for k in range(5):
            tokens = rng.normal(size=(20, 384)).astype(np.float32)
            vector, key = unit(tokens.sum(axis=0, keepdims=True)), np.array([len(encodings)])
            encodings[f"{n} {k}"] = CachedEncoding(vector, tokens.astype(np.float16), np.array([20]), key)
            sentences[f"{n} {k}"] = frozenset({str(n)})
    names = tuple(map(str, range(200)))
    examples = Examples(names, sentences, {}, unnamed=frozenset(names))
    before, start = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, time.process_time()
    aspects = fit_aspects(load_model(), FittedState(examples, encodings, {}, 384)).fitted
    assert time.process_time() - start < 20
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 500_000  # kB
    assert aspects.ridge_directions.shape == (200, 384)
    assert np.isfinite(aspects.ridge_directions).all()


def test_few_sentences_are_divided_among_the_workers(monkeypatch: pytest.MonkeyPatch) -> None:
    texts = ["the soup was cold", "we found no place to park", "a quiet street", "they charged us twice"]
    model = load_model()
    alone = [model.map_batches([text], None, lambda read: read.vectors) for text in texts]
    expected = np.concatenate([vectors for one in alone for _, vectors in one])
    for workers in (1, 2, 4):
        monkeypatch.setattr(model.encoder, "workers", workers)
        found = list(model.map_batches(texts, None, lambda read: read.vectors))
        assert len(found) >= workers
        assert sorted(i for batch, _ in found for i in batch) == [0, 1, 2, 3]
        for batch, vectors in found:
            assert np.allclose(vectors, expected[batch], atol=1e-5)
    assert len(list(model.map_batches(texts, 512, lambda read: read.vectors))) == 1, "unless the batch size is given"

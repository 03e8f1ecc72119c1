"""A saved detector, or a training run, as ONNX: compared with torch first, and written only if they agree."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from fewaspect.core.errors import CheckpointError, ConfigError
from fewaspect.core.files import atomic_folder
from fewaspect.detector.detector import Detector
from fewaspect.detector.model import SAVED, InferenceModel, load_model
from fewaspect.inference.model_folder import ABOUT as EXPORTED
from fewaspect.inference.model_folder import Runtime
from fewaspect.training.backends import choose_backend, graph_of, identity_of, precision_of, ranges_of, tokeniser_of
from fewaspect.training.product_weights import SHIPPED, load_weights
from fewaspect.training.run_folder import RunFolder

COMPARED = 300  # sentences
LARGEST = 1e-4  # difference of any probability in single precision
MEAN, COSINE = 0.02, 0.99  # mean difference of probabilities and mean cosine of token states in whole numbers


def export(model: Path, out: Path, backend: str = "onnx-int8") -> dict[str, Any]:
    """Write the ONNX form of `model` to the new folder `out`; returns how near it is to torch."""
    if backend not in ("onnx", "onnx-int8"):
        raise ConfigError(f"backend: expected onnx or onnx-int8 to export for, found {backend!r}.")
    if out.exists() and (not out.is_dir() or any(out.iterdir())):
        raise ConfigError(f"{out}: expected a new or an empty folder to write to, found something in its place.")
    detector = Detector.load(model) if (model / SAVED).is_file() else None
    run = model if detector is None else Path(detector._model or SHIPPED)
    if (run / EXPORTED).is_file():
        raise ConfigError(f"{model}: expected a model to export, found one that is exported already.")
    if not RunFolder(run).metadata.is_file():
        raise ConfigError(f"{model}: expected a saved detector or a training run, found neither.")
    if detector is None:
        with atomic_folder(out, replace=True) as new:
            return _write(run, new, backend, None)
    with tempfile.TemporaryDirectory() as scratch:
        parity = _write(run, Path(scratch), backend, detector)
        detector._serve(Path(scratch))
        detector.save(out)
    return parity


def _write(run: Path, folder: Path, backend: str, detector: Detector | None) -> dict[str, Any]:
    from fewaspect.encoders.onnx_weights import padding_token, read_architecture

    weights = load_weights(run)
    name = choose_backend(backend, weights)
    tokeniser, ranges = tokeniser_of(weights.source), ranges_of(name, weights)
    width, padding = read_architecture(weights.source).width, padding_token(weights.source)
    runtime = Runtime(
        name, width, padding, tokeniser.max_length, identity_of(weights, ranges), weights.looking, weights.presence, {}
    )
    runtime.write(folder, graph_of(weights, ranges), tokeniser)
    parity = compared(load_model(run, "torch"), load_model(folder), detector)
    refuse_unlike(parity, name)
    replace(runtime, parity=parity).write_about(folder)
    return parity


def compared(expected: InferenceModel, found: InferenceModel, detector: Detector | None) -> dict[str, Any]:
    """How far the token states of sentences of the sample and their probabilities are apart."""
    from fewaspect.data.sample_set import load_sample, load_showcase
    from fewaspect.detector.encoding import learn
    from fewaspect.detector.predictions import read
    from fewaspect.detector.support import read_examples

    texts = [text for part in load_sample().values() for text in part.texts][:COMPARED]
    examples = detector._examples if detector else read_examples(load_showcase().examples)[0]
    one, other = (_states(scorer, texts) for scorer in (expected, found))
    cosines = (one * other).sum(axis=1) / (np.linalg.norm(one, axis=1) * np.linalg.norm(other, axis=1))
    first, second = (read(scorer, learn(scorer, examples), texts, None).of_texts for scorer in (expected, found))
    apart = np.abs(first - second)
    return {
        "backend": found.backend,
        "sentences": len(texts),
        "mean_cosine_of_token_states": float(cosines.mean()),
        "largest_difference_of_token_states": float(np.abs(one - other).max()),
        "mean_difference_of_probabilities": float(apart.mean()),
        "largest_difference_of_probabilities": float(apart.max()),
    }


def refuse_unlike(parity: dict[str, Any], backend: str) -> None:
    """Nothing is written that answers otherwise than what it was made from."""
    if precision_of(backend) == "float32":
        good = parity["largest_difference_of_probabilities"] <= LARGEST
        wanted = f"probabilities at most {LARGEST:g} apart"
    else:
        good = parity["mean_cosine_of_token_states"] >= COSINE and parity["mean_difference_of_probabilities"] <= MEAN
        wanted = f"token states with a mean cosine of at least {COSINE} and probabilities {MEAN} apart on average"
    if not good:
        raise CheckpointError(f"the {backend} model is not like torch's: expected {wanted}, found {parity}.")


def _states(scorer: InferenceModel, texts: Sequence[str]) -> np.ndarray:
    """(tokens, d) of all texts in order."""
    found: dict[int, np.ndarray] = {}
    for batch, read in scorer.each(texts, None, lambda sentences: sentences):
        found.update(zip(batch.tolist(), np.split(read.tokens, np.cumsum(read.lengths)[:-1]), strict=True))
    return np.concatenate([found[index] for index in sorted(found)])

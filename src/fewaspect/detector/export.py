"""A saved detector, or a training run, as ONNX: compared with torch first, and written only if they agree."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from fewaspect.detector.backends import choose_backend, graph_of, precision_of, tokens_of
from fewaspect.detector.detector import AspectDetector
from fewaspect.detector.runtime import Runtime
from fewaspect.detector.scorer import SAVED, Scorer, load_scorer
from fewaspect.detector.weights import SHIPPED, load_weights
from fewaspect.errors import CheckpointError
from fewaspect.files import atomic_folder

LARGEST = 1e-4  # difference of any probability in single precision
MEAN, COSINE = 0.02, 0.99  # mean difference of probabilities and mean cosine of token states in whole numbers


def export(model: Path, out: Path, backend: str = "auto") -> dict[str, Any]:
    """Write the ONNX form of `model` to the new folder `out`; returns how near it is to torch."""
    if (model / SAVED).is_file():
        detector = AspectDetector.load(model)
        with tempfile.TemporaryDirectory() as scratch:
            runtime = Path(scratch) / "model"
            runtime.mkdir()
            parity = _write(Path(detector._model or SHIPPED), runtime, backend, detector)
            detector._serve(runtime)
            detector.save(out)
        return parity
    with atomic_folder(out) as new:
        return _write(model, new, backend, None)


def _write(run: Path, folder: Path, backend: str, detector: AspectDetector | None) -> dict[str, Any]:
    from fewaspect.encoders.onnx_text import padding_of, shape_of

    weights = load_weights(run)
    name = choose_backend("onnx-int8" if backend == "auto" else backend, weights)
    if name == "torch":
        raise CheckpointError(f"{run}: expected a backend of ONNX to export for, found torch.")
    tokens = tokens_of(weights.source)
    runtime = Runtime(
        name, shape_of(weights.source).width, padding_of(weights.source), tokens.max_length, weights.identity,
        weights.looking, weights.presence, {},
    )  # fmt: skip
    runtime.write(folder, graph_of(weights, tokens, rounded=name == "onnx-int8"), tokens)
    parity = compared(load_scorer(run, "torch"), load_scorer(folder), detector)
    refuse_unlike(parity, name)
    replace(runtime, parity=parity).write_about(folder)
    return parity


def compared(expected: Scorer, found: Scorer, detector: AspectDetector | None) -> dict[str, Any]:
    """How far the token states of sentences of the sample and their probabilities are apart."""
    from fewaspect.data.sampleset import load_sample, load_showcase
    from fewaspect.detector.examples import read_examples
    from fewaspect.detector.knowledge import learn
    from fewaspect.detector.reading import read

    texts = list(load_sample()["test"].texts)[:300]
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


def _states(scorer: Scorer, texts: Sequence[str]) -> np.ndarray:
    """(tokens, d) of all texts in order."""
    found: dict[int, np.ndarray] = {}
    for batch, read in scorer.each(texts, None, lambda sentences: sentences):
        found.update(zip(batch.tolist(), np.split(read.tokens, np.cumsum(read.lengths)[:-1]), strict=True))
    return np.concatenate([found[index] for index in sorted(found)])

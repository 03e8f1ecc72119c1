"""A training run, or a detector saved on one, as an exported model: compared with torch, written only if they agree.

This is where the two wings meet: what is written here is all that the detector reads.
"""

from __future__ import annotations

import hashlib
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import numpy as np

from fewaspect.core.errors import CheckpointError, ConfigError
from fewaspect.core.files import atomic_folder
from fewaspect.data.sample_set import load_sample, load_showcase
from fewaspect.detector.calibration import ProbabilityModel
from fewaspect.detector.fitting import encode_examples, fit_aspects
from fewaspect.detector.model import SAVED, InferenceModel, ModelReference, load_model, model_metadata
from fewaspect.detector.persistence import MODEL, SavedDetector, read_description, write_detector
from fewaspect.detector.support import Examples, read_examples
from fewaspect.encoders.onnx_graph import ActivationRanges, bert_graph
from fewaspect.encoders.onnx_weights import (
    is_exportable,
    max_tokens,
    measure_activation_ranges,
    padding_token,
    read_architecture,
)
from fewaspect.encoders.sources import DEFAULT_ENCODER, EncoderSource
from fewaspect.inference.encoder import SHARED_OUTPUT, is_model, read_metadata, write_metadata, write_model
from fewaspect.text.tokenization import SentenceTokeniser
from fewaspect.training.run_folder import RunFolder
from fewaspect.training.run_weights import RunWeights, load_run_weights

PRECISIONS = ("int8", "fp32")
COMPARED = 300  # sentences
CALIBRATION_SENTENCES = 500  # on which activation ranges are measured
MAX_DIFFERENCE = 1e-4  # of any probability in fp32
MEAN_DIFFERENCE, MEAN_COSINE = 0.02, 0.99  # of probabilities and of token states in int8


def export(source: Path, out: Path, precision: str = "int8") -> dict[str, Any]:
    """Write the exported form of a run or a saved detector to the new folder `out`; returns how near it is to torch."""
    if precision not in PRECISIONS:
        raise ConfigError(f"precision: expected {' or '.join(PRECISIONS)}, found {precision!r}.")
    if out.exists() and (not out.is_dir() or any(out.iterdir())):
        raise ConfigError(f"{out}: expected a new or an empty folder to write to, found something in its place.")
    saved = read_description(source / SAVED) if (source / SAVED).is_file() else None
    run = source if saved is None else source / MODEL
    if is_model(run) or (saved is not None and not run.is_dir()):
        raise ConfigError(f"{source}: expected a training run to export, found a model that is exported already.")
    if not RunFolder(run).metadata.is_file():
        raise ConfigError(f"{source}: expected a saved detector or a training run, found neither.")
    if saved is None:
        with atomic_folder(out, replace=True) as new:
            return _export_run(run, new, precision, read_examples(load_showcase().examples)[0])
    with tempfile.TemporaryDirectory() as scratch:
        parity = _export_run(run, Path(scratch), precision, saved.examples)
        _save_again(saved, load_model(scratch), out)
    return parity


def add_lower_head(folder: Path, probability_model: ProbabilityModel | None = None) -> None:
    """Switch it on in the model of this folder, whose graph gives the states of the lower layer already; with
    probabilities that were learned with it, if there are any yet.

    The encodings of examples have one vector more then: the identity of the model says so.
    """
    outputs = [output.name for output in load_model(folder).encoder.session.get_outputs()]  # type: ignore[attr-defined]
    if SHARED_OUTPUT not in outputs:
        raise CheckpointError(f"{folder}: expected a graph that gives {SHARED_OUTPUT}, found {', '.join(outputs)}.")
    metadata = read_metadata(folder)
    metadata["scorer"]["settings"]["lower_head"] = True
    metadata["identity"]["lower_head"] = "linear"
    if probability_model is not None:
        metadata["probability_model"] = asdict(probability_model)
    write_metadata(folder, {k: value for k, value in metadata.items() if k not in ("format", "version", "files")})


def load_torch_model(run: Path) -> InferenceModel:
    """A run as torch computes it, on a GPU where there is one: what exports are compared with. It cannot be saved."""
    import torch

    from fewaspect.encoders.transformer import TorchTextEncoder
    from fewaspect.training.run import load_run

    weights = load_run_weights(run)
    with torch.random.fork_rng():  # a fresh method draws its start; the user's random numbers are not touched
        _, encoder, trained = load_run(run)
    served = TorchTextEncoder(encoder, trained.requires_grad_(False).upper)
    identity = {**weights.identity, "precision": "fp32"}
    return InferenceModel(served, weights.scorer, weights.probability_model, identity)


def _export_run(run: Path, folder: Path, precision: str, examples: Examples) -> dict[str, Any]:
    weights = load_run_weights(run)
    if not is_exportable(weights.source):
        raise ConfigError(f"{run}: the encoder {weights.source.name} cannot be exported, only those like BERT.")
    expected, tokeniser = load_torch_model(run), tokeniser_of(weights.source)
    ranges = measure_ranges(weights, tokeniser) if precision == "int8" else None
    graph = bert_graph(weights.encoder_arrays(), read_architecture(weights.source), ranges)
    metadata = model_metadata(expected, padding_token(weights.source))
    metadata |= {"precision": precision, "identity": {**weights.identity, **_ranges_identity(ranges)}}
    write_model(folder, graph, tokeniser, metadata)
    parity = compare(expected, load_model(folder), examples)
    _refuse_unlike(parity, precision)
    write_metadata(folder, {**metadata, "parity": parity})
    return parity


def _save_again(saved: SavedDetector, model: InferenceModel, out: Path) -> None:
    state = replace(encode_examples(model, saved.examples), reference=ModelReference(model), matrix=saved.matrix)
    write_detector(out, replace(state, tuned=saved.tuned), saved.parameters)


def measure_ranges(weights: RunWeights, tokeniser: SentenceTokeniser) -> dict[str, ActivationRanges]:
    """On sentences of the sample that ships with the package."""
    texts = [text for part in load_sample().values() for text in part.texts]
    some = texts[:: max(1, len(texts) // CALIBRATION_SENTENCES)]
    source = weights.source
    return measure_activation_ranges(
        weights.encoder_arrays(), read_architecture(source), tokeniser, padding_token(source), some
    )


def tokeniser_of(source: EncoderSource) -> SentenceTokeniser:
    """The tokenizer as transformers makes it; the embedded encoder's is that of its file."""
    if source.name == DEFAULT_ENCODER:
        from tokenizers import Tokenizer

        return SentenceTokeniser(Tokenizer.from_file(str(source.folder / "tokenizer.json")), max_tokens(source))
    from transformers import AutoTokenizer

    tokeniser = AutoTokenizer.from_pretrained(source.folder, local_files_only=True, use_fast=True)
    return SentenceTokeniser(tokeniser.backend_tokenizer, min(max_tokens(source), int(tokeniser.model_max_length)))


def compare(expected: InferenceModel, found: InferenceModel, examples: Examples) -> dict[str, Any]:
    """How far the token states of sentences of the sample, and their probabilities, are apart."""
    texts = [text for part in load_sample().values() for text in part.texts][:COMPARED]
    one, other = (_states(model, texts) for model in (expected, found))
    cosines = (one * other).sum(axis=1) / (np.linalg.norm(one, axis=1) * np.linalg.norm(other, axis=1))
    first, second = (_probabilities(model, examples, texts) for model in (expected, found))
    apart = np.abs(first - second)
    return {
        "sentences": len(texts),
        "mean_cosine_of_token_states": float(cosines.mean()),
        "largest_difference_of_token_states": float(np.abs(one - other).max()),
        "mean_difference_of_probabilities": float(apart.mean()),
        "largest_difference_of_probabilities": float(apart.max()),
    }


def _refuse_unlike(parity: Mapping[str, Any], precision: str) -> None:
    """Nothing is written that answers otherwise than what it was made from."""
    if precision == "fp32":
        good = parity["largest_difference_of_probabilities"] <= MAX_DIFFERENCE
        wanted = f"probabilities at most {MAX_DIFFERENCE:g} apart"
    else:
        good = (
            parity["mean_cosine_of_token_states"] >= MEAN_COSINE
            and parity["mean_difference_of_probabilities"] <= MEAN_DIFFERENCE
        )
        wanted = f"a mean cosine of token states of {MEAN_COSINE}, probabilities {MEAN_DIFFERENCE} apart on average"
    if not good:
        raise CheckpointError(f"the {precision} model is not like torch's: expected {wanted}, found {dict(parity)}.")


def _probabilities(model: InferenceModel, examples: Examples, texts: Sequence[str]) -> np.ndarray:
    """(texts, N)."""
    return model.predict_sentences(fit_aspects(model, encode_examples(model, examples)).fitted, texts).of_texts


def _states(model: InferenceModel, texts: Sequence[str]) -> np.ndarray:
    """(tokens, d) of all texts in order."""
    found: dict[int, np.ndarray] = {}
    for batch, read in model.map_batches(texts, None, lambda sentences: sentences):
        found.update(zip(batch.tolist(), np.split(read.tokens, np.cumsum(read.lengths)[:-1]), strict=True))
    return np.concatenate([found[index] for index in sorted(found)])


def _ranges_identity(ranges: Mapping[str, ActivationRanges] | None) -> dict[str, str]:
    if ranges is None:
        return {}
    digest = hashlib.sha256()
    for name, own in sorted(ranges.items()):
        digest.update(name.encode() + own.low.tobytes() + own.high.tobytes())
    return {"ranges": digest.hexdigest()}

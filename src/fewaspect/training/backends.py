"""What computes token states, by name: torch, or ONNX Runtime in single precision or in whole numbers of eight bits."""

from __future__ import annotations

import hashlib
import shutil
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from fewaspect.core.arrays import load_arrays, save_arrays
from fewaspect.core.errors import ConfigError
from fewaspect.encoders.sources import DEFAULT_ENCODER, EncoderSource
from fewaspect.inference.encoder import TextEncoder
from fewaspect.text.tokenization import SentenceTokeniser
from fewaspect.training.product_weights import Weights

if TYPE_CHECKING:
    from fewaspect.encoders.onnx_graph import ActivationRanges

BACKENDS = ("auto", "torch", "onnx", "onnx-int8")
INSTALLED = all(find_spec(package) for package in ("onnx", "onnxruntime"))
RANGES = "ranges.safetensors"
WATCHED = 500  # sentences on which the ranges of a run without a file of them are measured


def choose_backend(name: str, weights: Weights, precision: str | None = None) -> str:
    """What "auto" comes to: torch where there is a GPU or nothing else, else the fastest that this model was made for.

    Where representations are there already, their `precision` is kept.
    """
    from fewaspect.encoders.onnx_weights import is_exportable

    if name == "auto" and precision != "int8":
        if not INSTALLED or shutil.which("nvidia-smi") or not is_exportable(weights.source):
            return "torch"
        return "onnx-int8" if precision is None and (weights.folder / RANGES).is_file() else "onnx"
    chosen = "onnx-int8" if name == "auto" else name
    if chosen != "torch" and not INSTALLED:
        saved = ', or load it with backend="torch", encode_again=True' if precision else ""
        raise ConfigError(
            f'backend: "{chosen}" needs ONNX Runtime, found none. Run: pip install "fewaspect[onnx]"{saved}'
        )
    if chosen != "torch" and not is_exportable(weights.source):
        raise ConfigError(f'backend: "{chosen}" cannot run the encoder {weights.source.name}. Use "torch".')
    return chosen


def precision_of(backend: str) -> str:
    """Representations of the same precision are the same whatever computed them."""
    return "int8" if backend == "onnx-int8" else "float32"


def make_encoder(name: str, weights: Weights, ranges: dict[str, ActivationRanges] | None) -> TextEncoder:
    """The encoder of these weights, ready to serve."""
    return _with_torch(weights) if name == "torch" else _with_onnx(weights, ranges)


def _with_torch(weights: Weights) -> TextEncoder:
    import torch

    from fewaspect.encoders.torch_text import TorchTextEncoder
    from fewaspect.training.run import load_run

    with torch.random.fork_rng():  # a fresh method draws its start; the user's random numbers are not touched
        _, encoder, trained = load_run(weights.folder)
    return TorchTextEncoder(encoder, trained.requires_grad_(False).upper)


def _with_onnx(weights: Weights, ranges: dict[str, ActivationRanges] | None) -> TextEncoder:
    from fewaspect.encoders.onnx_weights import padding_token, read_architecture
    from fewaspect.inference.onnx_runtime import OnnxTextEncoder

    width, padding = read_architecture(weights.source).width, padding_token(weights.source)
    return OnnxTextEncoder(graph_of(weights, ranges), tokeniser_of(weights.source), width, padding)


def graph_of(weights: Weights, ranges: dict[str, ActivationRanges] | None) -> bytes:
    """The whole encoder as an ONNX model; with ranges, in whole numbers."""
    from fewaspect.encoders.onnx_graph import bert_graph
    from fewaspect.encoders.onnx_weights import read_architecture

    return bert_graph(_all_arrays(weights), read_architecture(weights.source), ranges)


def ranges_of(name: str, weights: Weights) -> dict[str, ActivationRanges] | None:
    """What the backend rounds by: the file in the model's folder, else measured now; None if it does not round."""
    if precision_of(name) != "int8":
        return None
    path = weights.folder / RANGES
    return load_ranges(path) if path.is_file() else measure_ranges(weights)


def measure_ranges(weights: Weights) -> dict[str, ActivationRanges]:
    """On sentences of the sample that ships with the package."""
    from fewaspect.data.sample_set import load_sample
    from fewaspect.encoders.onnx_weights import measure_activation_ranges, padding_token, read_architecture

    texts = [text for part in load_sample().values() for text in part.texts]
    some = texts[:: max(1, len(texts) // WATCHED)]
    shape, padding = read_architecture(weights.source), padding_token(weights.source)
    return measure_activation_ranges(_all_arrays(weights), shape, tokeniser_of(weights.source), padding, some)


def identity_of(weights: Weights, ranges: dict[str, ActivationRanges] | None) -> dict[str, str]:
    """What representations depend on besides the text: encoder, weights, and what is rounded by."""
    if ranges is None:
        return weights.identity
    digest = hashlib.sha256()
    for name, own in sorted(ranges.items()):
        digest.update(name.encode() + own.low.tobytes() + own.high.tobytes())
    return {**weights.identity, "ranges": digest.hexdigest()}


def _all_arrays(weights: Weights) -> dict[str, np.ndarray]:
    from fewaspect.encoders.onnx_weights import read_architecture, read_weights

    half = read_architecture(weights.source).layers // 2
    frozen = weights.train.freeze_layers
    return read_weights(weights.source, weights.arrays, half if frozen < 0 else frozen)


def tokeniser_of(source: EncoderSource) -> SentenceTokeniser:
    """The tokeniser as transformers makes it; the embedded encoder's is that of its file."""
    from fewaspect.encoders.onnx_weights import max_tokens

    if source.name == DEFAULT_ENCODER:
        from tokenizers import Tokenizer

        return SentenceTokeniser(Tokenizer.from_file(str(source.folder / "tokenizer.json")), max_tokens(source))
    from transformers import AutoTokenizer

    tokeniser = AutoTokenizer.from_pretrained(source.folder, local_files_only=True, use_fast=True)
    return SentenceTokeniser(tokeniser.backend_tokenizer, min(max_tokens(source), int(tokeniser.model_max_length)))


def save_ranges(path: Path, ranges: dict[str, ActivationRanges]) -> None:
    ends = {f"{name}.{end}": getattr(own, end) for name, own in ranges.items() for end in ("low", "high")}
    save_arrays(path, {name: value.astype(np.float32) for name, value in ends.items()}, {})


def load_ranges(path: Path) -> dict[str, ActivationRanges]:
    from fewaspect.encoders.onnx_graph import ActivationRanges

    arrays, _ = load_arrays(path)
    names = dict.fromkeys(name.rpartition(".")[0] for name in arrays)
    return {name: ActivationRanges(arrays[f"{name}.low"], arrays[f"{name}.high"]) for name in names}

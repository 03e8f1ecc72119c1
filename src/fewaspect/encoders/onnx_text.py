"""Token states by ONNX Runtime: nothing of torch is needed, and on a processor it is faster."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from fewaspect.core.errors import EncoderError
from fewaspect.encoders.onnx_graph import OUTPUT, PRODUCTS, ActivationRanges, Shape, bert_graph
from fewaspect.encoders.sources import EncoderSource
from fewaspect.text.tokenization import Tokens, padded_ids

TYPES = ("bert", "camembert", "electra", "roberta", "xlm-roberta")  # built alike; they differ in where positions start
_PREFIXES = ("bert.", "roberta.", "electra.")
_RENAMED = {"LayerNorm.gamma": "LayerNorm.weight", "LayerNorm.beta": "LayerNorm.bias"}  # as the first BERT called them


class OnnxTextEncoder:
    """A session with one thread, which several workers call at once: small batches stay in their core's own cache."""

    batch_tokens = 512

    def __init__(self, model: bytes | Path, tokens: Tokens, width: int, padding: int = 0, threads: int | None = None):
        self.session = open_session(model)
        self.tokens, self.width, self.padding = tokens, width, padding
        self.workers = threads or available_threads()

    def states(self, ids: Sequence[Sequence[int]]) -> list[np.ndarray]:
        rows, mask = padded_ids(ids, self.padding)
        (states,) = self.session.run([OUTPUT], {"input_ids": rows, "mask": mask})
        return [own[: len(row)] for own, row in zip(states, ids, strict=True)]


def open_session(model: bytes | Path) -> Any:
    """The one place that imports ONNX Runtime, which else counts its use in files of its own and reports it."""
    os.environ.setdefault("ORT_DISABLE_TELEMETRY", "1")  # is read at the import; switching it off later is too late
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.log_severity_level = 3
    given = model if isinstance(model, bytes) else str(model)
    return onnxruntime.InferenceSession(given, options, providers=["CPUExecutionProvider"])


def available_threads() -> int:
    """As many as OMP_NUM_THREADS says, or cores that this process may use."""
    said = os.environ.get("OMP_NUM_THREADS", "")
    if said.isdecimal() and int(said) > 0:
        return int(said)
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def supported(source: EncoderSource) -> bool:
    """Whether a graph can be made of this encoder."""
    config = _config(source)
    whole = config.get("embedding_size", config.get("hidden_size")) == config.get("hidden_size")
    plain = config.get("hidden_act") == "gelu" and config.get("position_embedding_type", "absolute") == "absolute"
    return config.get("model_type") in TYPES and whole and plain and (source.folder / "model.safetensors").is_file()


def shape_of(source: EncoderSource) -> Shape:
    config = _config(source)
    bert_like = config["model_type"] in ("bert", "electra")
    first = 0 if bert_like else int(config["pad_token_id"]) + 1
    return Shape(
        int(config["num_hidden_layers"]), int(config["num_attention_heads"]), int(config["hidden_size"]),
        float(config["layer_norm_eps"]), first,
    )  # fmt: skip


def read_weights(source: EncoderSource, trained: Mapping[str, np.ndarray], freeze_layers: int) -> dict[str, np.ndarray]:
    """The pretrained encoder's arrays, with the upper layers of a run ("upper.layers.0...") in their places."""
    from safetensors.numpy import load_file

    weights = {}
    for name, value in load_file(source.folder / "model.safetensors").items():
        for prefix in _PREFIXES:
            name = name.removeprefix(prefix)
        for old, new in _RENAMED.items():
            name = name.replace(old, new)
        weights[name] = value.astype(np.float32, copy=False)
    for name, value in trained.items():
        if name.startswith("upper.layers."):
            layer, _, rest = name.removeprefix("upper.layers.").partition(".")
            weights[f"encoder.layer.{freeze_layers + int(layer)}.{rest}"] = value
    return weights


def measured_ranges(
    weights: Mapping[str, np.ndarray], shape: Shape, tokens: Tokens, padding: int, texts: Iterable[str]
) -> dict[str, ActivationRanges]:
    """What the inputs of all products are on these texts."""
    session = open_session(bert_graph(weights, shape, watched=True))
    watched = [f"{layer}.{product}" for layer in range(shape.layers) for product in PRODUCTS]
    found: dict[str, ActivationRanges] = {}
    for text in texts:
        rows, mask = padded_ids(tokens.ids([text]), padding)
        outputs = session.run(None, {"input_ids": rows, "mask": mask})[1:]
        for name, values in zip(watched, outputs, strict=True):
            low, high = values[0].min(axis=0), values[0].max(axis=0)
            before = found.get(name, ActivationRanges(low, high))
            found[name] = ActivationRanges(np.minimum(before.low, low), np.maximum(before.high, high))
    return found


def positions_of(source: EncoderSource) -> int:
    """How many tokens the encoder can read."""
    return int(_config(source)["max_position_embeddings"]) - shape_of(source).first_position


def padding_of(source: EncoderSource) -> int:
    return int(_config(source).get("pad_token_id") or 0)


def _config(source: EncoderSource) -> dict[str, Any]:
    path = source.folder / "config.json"
    try:
        return dict(json.loads(path.read_text(encoding="utf-8")))
    except (OSError, ValueError, TypeError) as error:
        raise EncoderError(f"{path}: expected the encoder's configuration as JSON, found: {error}.") from error

"""What an exported encoder is made of: the weights and architecture of a BERT on disk, and its activation ranges."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from fewaspect.core.errors import WRONG_VALUE, EncoderError
from fewaspect.encoders.onnx_graph import MATMULS, ActivationRanges, Architecture, bert_graph
from fewaspect.encoders.sources import EncoderSource
from fewaspect.inference.encoder import open_session
from fewaspect.text.tokenization import SentenceTokeniser, padded_ids

MODEL_TYPES = ("bert", "camembert", "electra", "roberta", "xlm-roberta")  # alike but for their first position
_PREFIXES = ("bert.", "roberta.", "electra.")
_RENAMED = {"LayerNorm.gamma": "LayerNorm.weight", "LayerNorm.beta": "LayerNorm.bias"}  # names of the first BERT


def is_exportable(source: EncoderSource) -> bool:
    """Whether `bert_graph` can build this encoder."""
    config = _config(source)
    same_width = config.get("embedding_size", config.get("hidden_size")) == config.get("hidden_size")
    standard = config.get("hidden_act") == "gelu" and config.get("position_embedding_type", "absolute") == "absolute"
    one_file = (source.folder / "model.safetensors").is_file()
    return config.get("model_type") in MODEL_TYPES and same_width and standard and one_file


def read_architecture(source: EncoderSource) -> Architecture:
    config = _config(source)
    first_position = 0 if config["model_type"] in ("bert", "electra") else int(config["pad_token_id"]) + 1
    return Architecture(
        int(config["num_hidden_layers"]), int(config["num_attention_heads"]), int(config["hidden_size"]),
        float(config["layer_norm_eps"]), first_position,
    )  # fmt: skip


def read_weights(source: EncoderSource, trained: Mapping[str, np.ndarray], freeze_layers: int) -> dict[str, np.ndarray]:
    """The pretrained weights in fp32, with the trained upper layers of a run ("upper.layers.0...") in their places."""
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


def measure_activation_ranges(
    weights: Mapping[str, np.ndarray], architecture: Architecture, tokeniser: SentenceTokeniser, padding_id: int,
    texts: Iterable[str],
) -> dict[str, ActivationRanges]:  # fmt: skip
    """Ranges of the input of every matrix product on these texts, by "<layer>.<matmul>"."""
    session = open_session(bert_graph(weights, architecture, expose_activations=True))
    names = [f"{layer}.{matmul}" for layer in range(architecture.layers) for matmul in MATMULS]
    ranges: dict[str, ActivationRanges] = {}
    for text in texts:
        rows, mask = padded_ids(tokeniser.ids([text]), padding_id)
        activations = session.run(None, {"input_ids": rows, "mask": mask})[1:]
        for name, values in zip(names, activations, strict=True):  # values: (1, T, d)
            low, high = values[0].min(axis=0), values[0].max(axis=0)
            before = ranges.get(name, ActivationRanges(low, high))
            ranges[name] = ActivationRanges(np.minimum(before.low, low), np.maximum(before.high, high))
    return ranges


def max_tokens(source: EncoderSource) -> int:
    """The longest sentence the encoder can read."""
    return int(_config(source)["max_position_embeddings"]) - read_architecture(source).first_position


def padding_token(source: EncoderSource) -> int:
    """The id of the padding token."""
    return int(_config(source).get("pad_token_id") or 0)


def _config(source: EncoderSource) -> dict[str, Any]:
    path = source.folder / "config.json"
    try:
        return dict(json.loads(path.read_text(encoding="utf-8")))
    except (OSError, *WRONG_VALUE) as error:
        raise EncoderError(f"{path}: expected the encoder's configuration as JSON, found: {error}.") from error

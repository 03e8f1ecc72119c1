"""The graph for ONNX Runtime computes what torch computes, in single precision and nearly so in whole numbers."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from fewaspect.core.errors import EncoderError
from fewaspect.encoders.onnx_graph import WEIGHT_TOP, ActivationRanges, bert_graph, rounded_product
from fewaspect.encoders.onnx_text import (
    OnnxTextEncoder,
    measured_ranges,
    padding_of,
    positions_of,
    read_weights,
    shape_of,
    supported,
)
from fewaspect.encoders.sources import EncoderSource, resolve_encoder
from fewaspect.encoders.torch_text import TorchTextEncoder
from fewaspect.encoders.transformer import TokenEncoder
from fewaspect.text.tokenization import Tokens

TEXTS = ["good food", "slow staff and bad food", "food", "the staff was good but the food was slow and bad"]


def both(source: EncoderSource) -> tuple[TorchTextEncoder, dict[str, np.ndarray], Tokens]:
    whole = TokenEncoder(source)
    torch_encoder = TorchTextEncoder(whole, whole.upper)
    return torch_encoder, read_weights(source, {}, 0), torch_encoder.tokens


@pytest.mark.parametrize("kind", ["bert", "camembert", "roberta", "xlm-roberta"])
def test_single_precision_is_equal_to_torch(kind: str, encoder_folder: Callable[..., Path]) -> None:
    source = resolve_encoder(str(encoder_folder(kind)))
    assert supported(source)
    expected, weights, tokens = both(source)
    shape = shape_of(source)
    found = OnnxTextEncoder(bert_graph(weights, shape), tokens, shape.width, padding_of(source))
    assert positions_of(source) >= tokens.max_length
    ids = tokens.ids(TEXTS)
    for one, other, row in zip(expected.states(ids), found.states(ids), ids, strict=True):
        assert one.shape == other.shape == (len(row), shape.width)
        np.testing.assert_allclose(other, one, atol=2e-5)


def test_the_names_of_the_first_bert_are_known_and_missing_weights_are_told(
    encoder_folder: Callable[..., Path], tmp_path: Path
) -> None:
    from safetensors.numpy import load_file, save_file

    folder = tmp_path / "old"
    shutil.copytree(encoder_folder("bert"), folder)
    weights = load_file(folder / "model.safetensors")
    old = {"LayerNorm.weight": "LayerNorm.gamma", "LayerNorm.bias": "LayerNorm.beta"}
    named = {name.replace(".weight", ".gamma").replace(".bias", ".beta") if any(o in name for o in old) else name: value
             for name, value in weights.items()}  # fmt: skip
    save_file(named, folder / "model.safetensors")
    source = resolve_encoder(str(folder))
    found = read_weights(source, {}, 0)
    assert bert_graph(found, shape_of(source))
    del found["encoder.layer.0.output.dense.bias"]
    with pytest.raises(EncoderError, match=r"found none called 'encoder\.layer\.0\.output\.dense\.bias'"):
        bert_graph(found, shape_of(source))


@pytest.mark.parametrize("kind", ["distilbert", "electra", "mpnet"])
def test_what_is_built_otherwise_is_not_supported(kind: str, encoder_folder: Callable[..., Path]) -> None:
    assert not supported(resolve_encoder(str(encoder_folder(kind))))


def test_in_whole_numbers_a_sentence_is_near_torch_and_the_same_in_any_company() -> None:
    source = resolve_encoder()
    expected, weights, tokens = both(source)
    shape = shape_of(source)
    texts = ["The soup was cold.", "Nobody could park here, and the garage was full.", "Great!", "thin walls " * 40]
    ranges = measured_ranges(weights, shape, tokens, 0, texts[:3])
    assert len(ranges) == 24
    found = OnnxTextEncoder(bert_graph(weights, shape, ranges), tokens, shape.width)
    ids = tokens.ids(texts)
    together = found.states(ids)
    for n, (one, other) in enumerate(zip(expected.states(ids), together, strict=True)):
        cosines = (one * other).sum(axis=1) / (np.linalg.norm(one, axis=1) * np.linalg.norm(other, axis=1))
        assert cosines.mean() > (0.98 if n < 3 else 0.7), "beyond what was measured, values are cut"
        (alone,) = found.states([ids[n]])
        np.testing.assert_allclose(alone, other, atol=1e-4)


def test_rounded_weights_and_inputs_are_within_half_a_step() -> None:
    rng = np.random.default_rng(0)
    weights, inputs = rng.normal(size=(20, 7)).astype(np.float32), rng.normal(size=(50, 20)).astype(np.float32)
    inputs[:, 3] *= 50
    rounded = rounded_product(weights, ActivationRanges(inputs.min(axis=0), inputs.max(axis=0)))
    assert np.abs(rounded.weights).max() == WEIGHT_TOP
    restored = rounded.weights * rounded.weight_scales * rounded.divide[:, None]
    np.testing.assert_allclose(
        restored, weights, atol=float((rounded.weight_scales.max() * rounded.divide).max() / 2) + 1e-6
    )
    whole = np.clip(np.round(inputs * rounded.divide / rounded.scale) + rounded.zero, 0, 255)
    back = (whole - rounded.zero) * rounded.scale / rounded.divide
    assert (np.abs(back - inputs) <= rounded.scale / rounded.divide / 2 + 1e-5).all()
    assert np.abs(back @ restored - inputs @ weights).max() < 0.05 * np.abs(inputs @ weights).max()

"""The graph for ONNX Runtime computes what torch computes, exactly in fp32 and nearly so in int8."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from fewaspect.core.errors import EncoderError
from fewaspect.encoders.onnx_graph import MAX_WEIGHT, ActivationRanges, bert_graph, quantize_matmul
from fewaspect.encoders.onnx_weights import (
    is_exportable,
    max_tokens,
    measure_activation_ranges,
    padding_token,
    read_architecture,
    read_weights,
)
from fewaspect.encoders.sources import EncoderSource, resolve_encoder
from fewaspect.encoders.transformer import TokenEncoder, TorchTextEncoder
from fewaspect.inference.encoder import OnnxTextEncoder
from fewaspect.text.tokenization import SentenceTokeniser

TEXTS = ["good food", "slow staff and bad food", "food", "the staff was good but the food was slow and bad"]


def both(source: EncoderSource) -> tuple[TorchTextEncoder, dict[str, np.ndarray], SentenceTokeniser]:
    whole = TokenEncoder(source)
    torch_encoder = TorchTextEncoder(whole, whole.upper)
    return torch_encoder, read_weights(source, {}, 0), torch_encoder.tokeniser


@pytest.mark.parametrize("kind", ["bert", "camembert", "roberta", "xlm-roberta"])
def test_fp32_is_equal_to_torch(kind: str, encoder_folder: Callable[..., Path]) -> None:
    source = resolve_encoder(str(encoder_folder(kind)))
    assert is_exportable(source)
    expected, weights, tokeniser = both(source)
    architecture = read_architecture(source)
    found = OnnxTextEncoder(bert_graph(weights, architecture), tokeniser, architecture.width, padding_token(source))
    assert max_tokens(source) >= tokeniser.max_length
    ids = tokeniser.ids(TEXTS)
    for one, other, row in zip(expected.states(ids), found.states(ids), ids, strict=True):
        assert one.shape == other.shape == (len(row), architecture.width)
        np.testing.assert_allclose(other, one, atol=2e-5)


def test_the_names_of_the_first_bert_are_known_and_missing_weights_are_reported(
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
    assert bert_graph(found, read_architecture(source))
    del found["encoder.layer.0.output.dense.bias"]
    with pytest.raises(EncoderError, match=r"found none called 'encoder\.layer\.0\.output\.dense\.bias'"):
        bert_graph(found, read_architecture(source))


@pytest.mark.parametrize("kind", ["distilbert", "electra", "mpnet"])
def test_what_is_built_otherwise_is_not_supported(kind: str, encoder_folder: Callable[..., Path]) -> None:
    assert not is_exportable(resolve_encoder(str(encoder_folder(kind))))


def test_in_int8_a_sentence_is_near_torch_and_the_same_in_any_batch() -> None:
    source = resolve_encoder()
    expected, weights, tokeniser = both(source)
    architecture = read_architecture(source)
    texts = ["The soup was cold.", "Nobody could park here, and the garage was full.", "Great!", "thin walls " * 40]
    ranges = measure_activation_ranges(weights, architecture, tokeniser, 0, texts[:3])
    assert len(ranges) == 24
    found = OnnxTextEncoder(bert_graph(weights, architecture, ranges), tokeniser, architecture.width)
    ids = tokeniser.ids(texts)
    together = found.states(ids)
    for n, (one, other) in enumerate(zip(expected.states(ids), together, strict=True)):
        cosines = (one * other).sum(axis=1) / (np.linalg.norm(one, axis=1) * np.linalg.norm(other, axis=1))
        assert cosines.mean() > (0.98 if n < 3 else 0.7), "beyond what was measured, values are cut"
        (alone,) = found.states([ids[n]])
        np.testing.assert_allclose(alone, other, atol=1e-4)


def test_quantized_weights_and_inputs_are_within_half_a_step() -> None:
    rng = np.random.default_rng(0)
    weights, inputs = rng.normal(size=(20, 7)).astype(np.float32), rng.normal(size=(50, 20)).astype(np.float32)
    inputs[:, 3] *= 50
    quantized = quantize_matmul(weights, ActivationRanges(inputs.min(axis=0), inputs.max(axis=0)))
    assert np.abs(quantized.weights).max() == MAX_WEIGHT
    restored = quantized.weights * quantized.weight_scales * quantized.input_factor[:, None]
    np.testing.assert_allclose(
        restored, weights, atol=float((quantized.weight_scales.max() * quantized.input_factor).max() / 2) + 1e-6
    )
    codes = np.clip(
        np.round(inputs * quantized.input_factor / quantized.input_scale) + quantized.input_zero_point, 0, 255
    )
    back = (codes - quantized.input_zero_point) * quantized.input_scale / quantized.input_factor
    assert (np.abs(back - inputs) <= quantized.input_scale / quantized.input_factor / 2 + 1e-5).all()
    assert np.abs(back @ restored - inputs @ weights).max() < 0.05 * np.abs(inputs @ weights).max()

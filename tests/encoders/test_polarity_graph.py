"""The graph of the polarity branch computes what torch computes; sharing lower layers leaves the encoder as it was."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import torch
from transformers import AutoModel

from fewaspect.encoders.onnx_graph import bert_graph
from fewaspect.encoders.onnx_weights import measure_activation_ranges, read_architecture, read_weights
from fewaspect.encoders.polarity_graph import branch_graph
from fewaspect.encoders.sources import resolve_encoder
from fewaspect.encoders.transformer import TokenEncoder, TorchTextEncoder
from fewaspect.inference.encoder import OnnxTextEncoder
from fewaspect.inference.sentiment_branch import SentimentBranch, padded_states
from fewaspect.modules.polarity_branch import PolarityBranch
from fewaspect.training.sentiment_export import build_branch

TEXTS = ["good food", "slow staff and bad food", "food", "the staff was good but the food was slow and bad"]


def made(folder: Path, answer_layers: int) -> tuple[PolarityBranch, dict[str, np.ndarray]]:
    model = AutoModel.from_pretrained(folder)
    torch.manual_seed(0)
    branch = PolarityBranch(model.encoder.layer[2:], model.config.num_attention_heads, answer_layers).eval()
    torch.nn.init.normal_(branch.kind, std=0.1)
    return branch, {name: value.numpy() for name, value in branch.state_dict().items()}


def pairs(width: int) -> tuple[list[np.ndarray], list[np.ndarray]]:
    random = np.random.default_rng(0)
    return tuple(  # type: ignore[return-value]
        [random.normal(size=(length, width)).astype(np.float32) for length in lengths]
        for lengths in ((1, 3, 2, 1), (9, 14, 3, 20))
    )


@pytest.mark.parametrize("answer_layers", [1, 2])
def test_fp32_is_equal_to_torch_and_int8_is_near(answer_layers: int, encoder_folder: Callable[..., Path]) -> None:
    folder = encoder_folder("bert")
    branch, weights = made(folder, answer_layers)
    architecture = read_architecture(resolve_encoder(str(folder)))._replace(layers=2)
    labels, sentences = pairs(architecture.width)
    (label, label_mask), (sentence, sentence_mask) = padded_states(labels), padded_states(sentences)
    with torch.no_grad():
        inputs = (torch.from_numpy(part).float() for part in (label, label_mask, sentence, sentence_mask))
        expected = branch(*inputs).numpy()
    exact = SentimentBranch(branch_graph(weights, architecture, answer_layers=answer_layers))
    np.testing.assert_allclose(exact.logits(labels, sentences), expected, atol=1e-4)
    graph, parity = build_branch(weights, architecture, list(zip(labels, sentences, strict=True)), answer_layers)
    found = SentimentBranch(graph).probabilities(labels, sentences)
    assert parity["mean_difference"] < 0.02
    np.testing.assert_allclose(found, exact.probabilities(labels, sentences), atol=0.1)
    np.testing.assert_allclose(found.sum(axis=1), 1, atol=1e-12)


def test_a_second_output_leaves_the_first_as_it_was(encoder_folder: Callable[..., Path]) -> None:
    source = resolve_encoder(str(encoder_folder("bert")))
    whole = TokenEncoder(source)
    tokeniser = TorchTextEncoder(whole, whole.upper).tokeniser
    weights, architecture = read_weights(source, {}, 0), read_architecture(source)
    ranges = measure_activation_ranges(weights, architecture, tokeniser, 0, TEXTS)
    plain, shared = (
        OnnxTextEncoder(bert_graph(weights, architecture, ranges, shared_layers=layers), tokeniser, architecture.width)
        for layers in (None, 2)
    )
    ids = tokeniser.ids(TEXTS)
    states, lower = shared.shared_states(ids)
    for one, other, both, low in zip(plain.states(ids), shared.states(ids), states, lower, strict=True):
        assert np.array_equal(one, other)
        assert np.array_equal(one, both)
        assert low.shape == one.shape
        assert not np.allclose(low, one)

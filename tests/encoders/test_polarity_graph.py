"""The graph of the polarity branch computes what torch computes; sharing lower layers leaves the encoder as it was."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import torch
from transformers import AutoModel

from fewaspect.core.errors import CheckpointError
from fewaspect.encoders.onnx_graph import bert_graph
from fewaspect.encoders.onnx_weights import measure_activation_ranges, read_architecture, read_weights
from fewaspect.encoders.polarity_graph import branch_graph
from fewaspect.encoders.sources import resolve_encoder
from fewaspect.encoders.transformer import TokenEncoder, TorchTextEncoder
from fewaspect.inference import sentiment_branch
from fewaspect.inference.encoder import GRAPH, load_encoder, read_metadata, write_model
from fewaspect.inference.sentiment_branch import SentimentBranch, States, branch_inputs
from fewaspect.modules.polarity_branch import PolarityBranch
from fewaspect.training.sentiment_export import Pairs, build_branch, share_lower_layers

TEXTS = ["good food", "slow staff and bad food", "food", "the staff was good but the food was slow and bad"]


def made(folder: Path, answer_layers: int) -> tuple[PolarityBranch, dict[str, np.ndarray]]:
    model = AutoModel.from_pretrained(folder)
    torch.manual_seed(0)
    branch = PolarityBranch(model.encoder.layer[2:], model.config.num_attention_heads, answer_layers).eval()
    for weights in (branch.kind, branch.upper.weight):
        torch.nn.init.normal_(weights, std=0.1)
    return branch, {name: value.numpy() for name, value in branch.state_dict().items()}


def pairs(width: int) -> Pairs:
    random = np.random.default_rng(0)

    def states(*shape: int) -> States:
        lower, last = random.normal(size=(2, *shape)).astype(np.float32)
        return lower, last

    return [states(length, width) for length in (9, 14, 3, 20)], [states(width) for _ in range(5)], [0, 1, 1, 2, 3]


@pytest.mark.parametrize("answer_layers", [1, 2])
def test_fp32_is_equal_to_torch_and_int8_is_near(answer_layers: int, encoder_folder: Callable[..., Path]) -> None:
    folder = encoder_folder("bert")
    branch, weights = made(folder, answer_layers)
    architecture = read_architecture(resolve_encoder(str(folder)))._replace(layers=2)
    some = pairs(architecture.width)
    lower, last, mask, *labels, rows = (torch.from_numpy(part) for part in branch_inputs(*some).values())
    with torch.no_grad():
        expected = branch(torch.cat([lower, last], dim=2), mask, torch.cat(labels, dim=1), rows.long()).numpy()
    exact = SentimentBranch(branch_graph(weights, architecture, answer_layers))
    np.testing.assert_allclose(exact.logits(*some), expected, atol=1e-4)
    graph, parity = build_branch(weights, architecture, answer_layers, [some])
    found = SentimentBranch(graph).probabilities(*some)
    assert parity["mean_difference"] < 0.02
    np.testing.assert_allclose(found, exact.probabilities(*some), atol=0.1)
    np.testing.assert_allclose(found.sum(axis=1), 1, atol=1e-12)


def test_many_sentences_are_read_in_parts(encoder_folder: Callable[..., Path], monkeypatch: pytest.MonkeyPatch) -> None:
    folder = encoder_folder("bert")
    architecture = read_architecture(resolve_encoder(str(folder)))._replace(layers=2)
    branch = SentimentBranch(branch_graph(made(folder, 1)[1], architecture, 1))
    some = pairs(architecture.width)
    whole = branch.probabilities(*some)
    monkeypatch.setattr(sentiment_branch, "MOST_PLACES", 20)  # one sentence at a time
    np.testing.assert_allclose(branch.probabilities(*some), whole, atol=1e-6)


def test_a_branch_of_an_earlier_version_is_refused(encoder_folder: Callable[..., Path]) -> None:
    source = resolve_encoder(str(encoder_folder("bert")))
    other = bert_graph(read_weights(source, {}, 0), read_architecture(source))
    with pytest.raises(CheckpointError, match="expected a branch with the inputs lower, last"):
        SentimentBranch(other).session  # noqa: B018


def test_sharing_lower_layers_leaves_what_the_encoder_gave_as_it_was(
    encoder_folder: Callable[..., Path], tmp_path: Path
) -> None:
    source = resolve_encoder(str(encoder_folder("bert")))
    whole = TokenEncoder(source)
    tokeniser = TorchTextEncoder(whole, whole.upper).tokeniser
    weights, architecture = read_weights(source, {}, 0), read_architecture(source)
    ranges = measure_activation_ranges(weights, architecture, tokeniser, 0, TEXTS)
    about = {"width": architecture.width, "max_length": 64, "padding": 0, "identity": {}}
    write_model(tmp_path, bert_graph(weights, architecture, ranges), tokeniser, about)
    plain, digest = load_encoder(tmp_path, about), read_metadata(tmp_path)["files"][GRAPH]
    for _ in range(2):  # the second time there is nothing to do
        share_lower_layers(tmp_path, 2)
    shared, metadata = load_encoder(tmp_path, about), read_metadata(tmp_path)
    assert metadata["identity"]["graph"] == digest != metadata["files"][GRAPH]
    ids = tokeniser.ids(TEXTS)
    states, lower = shared.shared_states(ids)
    for one, other, both, low in zip(plain.states(ids), shared.states(ids), states, lower, strict=True):
        assert np.array_equal(one, other)
        assert np.array_equal(one, both)
        assert low.shape == one.shape
        assert not np.allclose(low, one)

"""The layers that tell polarity: padding is not read, and the label decides what is told."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
import torch
from transformers import AutoModel

from fewaspect.modules.polarity_branch import PolarityBranch


@pytest.fixture(scope="module")
def branch(encoder_folder: Callable[..., Path]) -> PolarityBranch:
    model = AutoModel.from_pretrained(encoder_folder("bert"))
    torch.manual_seed(0)
    branch = PolarityBranch(model.encoder.layer[2:], model.config.num_attention_heads, answer_layers=1).eval()
    torch.nn.init.normal_(branch.upper.weight, std=0.1)
    return branch


def test_padding_gets_no_weight(branch: PolarityBranch) -> None:
    width = 2 * branch.kind.shape[0]
    label, sentence, row = torch.randn(1, width), torch.randn(1, 5, width), torch.tensor([0])
    alone = branch(sentence, torch.ones(1, 5), label, row)
    longer = torch.cat([sentence, torch.randn(1, 3, width)], dim=1)
    padded = branch(longer, torch.tensor([[1] * 5 + [0] * 3]), label, row)
    torch.testing.assert_close(padded, alone, atol=1e-5, rtol=1e-5)


def test_it_begins_as_a_copy_that_learns_apart_from_the_encoder(encoder_folder: Callable[..., Path]) -> None:
    model = AutoModel.from_pretrained(encoder_folder("bert"))
    branch = PolarityBranch(model.encoder.layer[3:], model.config.num_attention_heads, answer_layers=1)
    before = model.encoder.layer[3].output.dense.weight.clone()
    with torch.no_grad():
        branch.layers[0].output.dense.weight.add_(1.0)
    assert torch.equal(model.encoder.layer[3].output.dense.weight, before)


def test_two_labels_of_one_sentence_are_told_apart_as_if_each_were_asked_alone(branch: PolarityBranch) -> None:
    width = 2 * branch.kind.shape[0]
    sentences, mask, labels = torch.randn(2, 5, width), torch.ones(2, 5), torch.randn(3, width)
    together = branch(sentences, mask, labels, torch.tensor([0, 0, 1]))
    assert not torch.allclose(together[0], together[1])
    for pair, sentence in enumerate((0, 0, 1)):
        alone = branch(sentences[[sentence]], mask[:1], labels[[pair]], torch.tensor([0]))
        torch.testing.assert_close(together[[pair]], alone, atol=1e-5, rtol=1e-5)

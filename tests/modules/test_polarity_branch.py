"""The layers that tell polarity: padding is not read, and only the label's tokens are answered for."""

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
    return PolarityBranch(model.encoder.layer[2:], model.config.num_attention_heads).eval()


def test_padding_gets_no_weight(branch: PolarityBranch) -> None:
    width = branch.kind.shape[1]
    label, sentence = torch.randn(1, 2, width), torch.randn(1, 5, width)
    alone = branch(label, torch.ones(1, 2), sentence, torch.ones(1, 5))
    label, sentence = (torch.cat([part, torch.randn(1, 3, width)], dim=1) for part in (label, sentence))
    masks = (torch.tensor([[1.0] * 2 + [0.0] * 3]), torch.tensor([[1.0] * 5 + [0.0] * 3]))
    torch.testing.assert_close(branch(label, masks[0], sentence, masks[1]), alone, atol=1e-5, rtol=1e-5)


def test_it_begins_as_a_copy_that_learns_apart_from_the_encoder(encoder_folder: Callable[..., Path]) -> None:
    model = AutoModel.from_pretrained(encoder_folder("bert"))
    branch = PolarityBranch(model.encoder.layer[3:], model.config.num_attention_heads)
    before = model.encoder.layer[3].output.dense.weight.clone()
    with torch.no_grad():
        branch.layers[0].output.dense.weight.add_(1.0)
    assert torch.equal(model.encoder.layer[3].output.dense.weight, before)


def test_the_label_decides_what_is_told_of_a_sentence(branch: PolarityBranch) -> None:
    width = branch.kind.shape[1]
    sentence, mask = torch.randn(1, 5, width).expand(2, -1, -1), torch.ones(2, 5)
    one, other = branch(torch.randn(2, 2, width), torch.ones(2, 2), sentence, mask)
    assert not torch.allclose(one, other)

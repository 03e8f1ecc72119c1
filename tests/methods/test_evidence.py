"""What each word adds to a decision."""

from __future__ import annotations

import pytest
import torch

from fewaspect.core.settings import LPNSettings
from fewaspect.encoders.packed import PackedStates
from fewaspect.methods.base import Task
from fewaspect.methods.lpn import LPN


def made(settings: LPNSettings) -> tuple[LPN, Task]:
    torch.manual_seed(0)
    method = LPN(8, settings, way=3).double().eval()
    for parameter in method.parameters():
        torch.nn.init.normal_(parameter, std=0.3)
    lengths = torch.tensor([3, 5, 2, 4, 6, 1, 2, 2, 2])
    represented = method.represent(PackedStates(torch.randn(int(lengths.sum()), 8, dtype=torch.float64), lengths))
    where = torch.arange(len(lengths))
    membership = torch.eye(3, dtype=torch.float64)
    task = Task(
        represented.take(where[:3]),
        membership,
        represented.take(where[6:]),
        represented.take(torch.tensor([4, 3, 5, 4])),
    )
    return method, task


@pytest.mark.parametrize("unit", [False, True])
def test_the_shares_of_the_words_add_up_to_the_differences_of_the_scores(unit: bool) -> None:
    method, task = made(LPNSettings(unit_vectors=unit, pooling_start="random"))
    scores = method.score(task)
    shares = method.evidence(task, scores).sum(dim=-1)  # (Q, N)
    assert scores.prototypes is not None
    if unit:
        norms = task.queries.vectors.norm(dim=-1, keepdim=True)
        expected = scores.logits / method.log_scale.exp() * norms
    else:
        expected = scores.logits + scores.prototypes.square().sum(dim=-1)
    expected = expected - expected.mean(dim=-1, keepdim=True)
    torch.testing.assert_close(shares, expected)


def test_padding_has_no_share() -> None:
    method, task = made(LPNSettings(pooling_start="random"))
    evidence = method.evidence(task, method.score(task))
    assert evidence.shape == (4, 3, 6)
    assert torch.equal(evidence[2, :, 1:], torch.zeros(3, 5, dtype=torch.float64))
    assert evidence[2, :, 0].abs().min() > 0


def test_a_relu_in_the_pooling_has_no_such_shares() -> None:
    method, task = made(LPNSettings(pooling_relu=True))
    with pytest.raises(ValueError, match="ReLU"):
        method.evidence(task, method.score(task))

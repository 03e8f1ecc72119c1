"""The low-rank bilinear form is equation 5 of the paper for every pair of sentence and label."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from torch.func import functional_call

import equations
from fewaspect.modules.bilinear import LowRankBilinear


@pytest.fixture
def bilinear() -> LowRankBilinear:
    torch.manual_seed(0)
    return LowRankBilinear(6, rank=3).double()


@pytest.fixture
def vectors() -> tuple[torch.Tensor, torch.Tensor]:
    torch.manual_seed(1)
    return torch.randn(5, 6).double(), torch.randn(4, 6).double()


def test_importance_is_the_papers_equation_5(
    bilinear: LowRankBilinear, vectors: tuple[torch.Tensor, torch.Tensor]
) -> None:
    sentences, labels = vectors
    U, V = bilinear.U.weight.detach().numpy().T, bilinear.V.weight.detach().numpy().T  # d x k, as in the paper
    assert U.shape == V.shape == (6, 3)
    found = bilinear(sentences, labels).detach().numpy()
    assert found.shape == (5, 4)
    for j in range(5):
        for i in range(4):
            assert found[j, i] == pytest.approx(
                equations.importance(sentences[j].numpy(), U, V, labels[i].numpy()), abs=1e-12
            )
            hadamard = np.ones(3) @ ((U.T @ sentences[j].numpy()) * (V.T @ labels[i].numpy()))
            assert found[j, i] == pytest.approx(hadamard, abs=1e-12)


def test_gradients_of_the_bilinear_form_are_right(
    bilinear: LowRankBilinear, vectors: tuple[torch.Tensor, torch.Tensor]
) -> None:
    parameters = {name: p.detach().requires_grad_(True) for name, p in bilinear.named_parameters()}

    def run(sentences: torch.Tensor, labels: torch.Tensor, *values: torch.Tensor) -> torch.Tensor:
        return functional_call(bilinear, dict(zip(parameters, values, strict=True)), (sentences, labels))

    inputs = (*(v.requires_grad_(True) for v in vectors), *parameters.values())
    assert torch.autograd.gradcheck(run, inputs)


def test_dropout_acts_in_training_only(vectors: tuple[torch.Tensor, torch.Tensor]) -> None:
    torch.manual_seed(0)
    bilinear = LowRankBilinear(6, rank=50, dropout=0.5).double()
    assert not torch.equal(bilinear(*vectors), bilinear(*vectors))
    bilinear.eval()
    assert torch.equal(bilinear(*vectors), bilinear(*vectors))


@torch.no_grad()
def test_dropout_acts_on_the_sentence_and_on_each_product_before_the_sum() -> None:
    torch.manual_seed(0)
    bilinear = LowRankBilinear(6, rank=1, dropout=0.5).double()
    bilinear.U.weight.fill_(1.0)
    bilinear.V.weight[:] = torch.tensor([0.5, 0.5, 0, 0, 0, 0])  # sums that every processor gives exactly
    found = bilinear(torch.ones(400, 6).double(), torch.ones(3, 6).double())  # 6 without dropout
    largest = found.max(dim=1, keepdim=True).values
    assert ((found == 0) | (found == largest)).all(), "a sentence's dropout is one for all its labels"
    assert ((found == 0).any(dim=1) & (largest[:, 0] > 0)).any(), "that of the products is each pair's own"
    assert set(largest.flatten().tolist()) == {4.0 * kept for kept in range(7)}, "of six entries, none to all are kept"

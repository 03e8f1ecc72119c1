"""Self-attentive pooling is equations 1 to 3 of the paper, sentence by sentence."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from torch.func import functional_call

import equations
from fewaspect.modules.pooling import SelfAttentivePooling, masked_softmax, mean_pooled

LENGTHS = (5, 1, 3)
WIDTH = 6


def random_pooling(start: str = "random", relu: bool = False) -> SelfAttentivePooling:
    torch.manual_seed(0)
    return SelfAttentivePooling(WIDTH, hidden=4, heads=3, start=start, relu=relu).double()


def random_sentences(extra: int = 0) -> tuple[torch.Tensor, torch.Tensor]:
    """Padded states with rubbish where the mask is false."""
    torch.manual_seed(1)
    T = max(LENGTHS) + extra
    return torch.randn(len(LENGTHS), T, WIDTH).double(), torch.arange(T) < torch.tensor(LENGTHS)[:, None]


def test_pooling_is_the_papers_equations_1_to_3() -> None:
    pooling, (H, mask) = random_pooling(), random_sentences()
    F1, F2, F3 = (layer.weight.detach().numpy() for layer in (pooling.F1, pooling.F2, pooling.F3))
    found = pooling(H, mask).detach().numpy()
    for sentence, length in enumerate(LENGTHS):
        expected = equations.pooled(H[sentence, :length].numpy().T, F1, F2, F3)
        np.testing.assert_allclose(found[sentence], expected, rtol=1e-12, atol=1e-12)


def test_padding_gets_no_weight_and_tokens_get_all_of_it() -> None:
    pooling, (H, mask) = random_pooling(), random_sentences(extra=4)
    weights = pooling.attention(H, mask)
    assert weights.shape == (3, 3, 9)
    assert (weights.transpose(1, 2)[~mask] == 0).all()
    assert (weights.transpose(1, 2)[mask] > 0).all()
    torch.testing.assert_close(weights.sum(-1), torch.ones(3, 3).double())


def test_what_stands_in_the_padding_and_how_much_there_is_changes_nothing() -> None:
    pooling, (H, mask) = random_pooling(), random_sentences(extra=4)
    other = H.masked_fill(~mask[..., None], 1e6)
    torch.testing.assert_close(pooling(other, mask), pooling(H, mask), rtol=0, atol=0)
    shorter = pooling(H[:, :5], mask[:, :5])
    torch.testing.assert_close(shorter, pooling(H, mask), rtol=1e-12, atol=1e-12)


def test_padding_gets_no_gradient() -> None:
    pooling, (H, mask) = random_pooling(), random_sentences(extra=2)
    H.requires_grad_(True)
    (gradient,) = torch.autograd.grad(pooling(H, mask).square().sum(), H)
    assert (gradient[~mask] == 0).all()
    assert (gradient[mask] != 0).any()


def test_pooling_started_at_mean_is_the_mean_of_the_tokens() -> None:
    pooling, (H, mask) = random_pooling(start="mean"), random_sentences()
    for sentence, length in enumerate(LENGTHS):
        torch.testing.assert_close(pooling(H, mask)[sentence], H[sentence, :length].mean(0))


def test_pooling_started_at_normal_draws_f2_from_a_unit_normal() -> None:
    torch.manual_seed(0)
    F2 = SelfAttentivePooling(8, hidden=256, heads=40, start="normal").F2.weight
    assert float(F2.detach().std()) == pytest.approx(1.0, abs=0.05)
    assert float(random_pooling().F2.weight.detach().abs().max()) <= 1 / 2  # one over the root of the hidden width


def test_pooling_started_at_random_is_not_the_mean() -> None:
    pooling, (H, mask) = random_pooling(), random_sentences()
    assert not torch.allclose(pooling(H, mask)[0], H[0].mean(0), atol=1e-2)


def test_the_relu_stands_between_the_heads_and_f3() -> None:
    pooling, (H, mask) = random_pooling(relu=True), random_sentences()
    heads = (pooling.attention(H, mask) @ H).flatten(1)
    assert (heads < 0).any()
    torch.testing.assert_close(pooling(H, mask), heads.clamp_min(0) @ pooling.F3.weight.T)


def test_gradients_of_pooling_are_right() -> None:
    pooling, (H, mask) = random_pooling(), random_sentences()
    parameters = {name: p.detach().requires_grad_(True) for name, p in pooling.named_parameters()}

    def run(H: torch.Tensor, *values: torch.Tensor) -> torch.Tensor:
        return functional_call(pooling, dict(zip(parameters, values, strict=True)), (H, mask))

    assert torch.autograd.gradcheck(run, (H.requires_grad_(True), *parameters.values()))


@pytest.mark.filterwarnings("ignore:Anomaly Detection")
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.bfloat16])
def test_a_row_without_any_place_gets_zeros_and_spoils_no_gradient(dtype: torch.dtype) -> None:
    logits = torch.tensor([[1.0, 2.0], [3.0, 4.0]], dtype=dtype, requires_grad=True)
    mask = torch.tensor([[False, False], [True, True]])
    with torch.autograd.detect_anomaly():  # no NaN on the way either
        weights = masked_softmax(logits, mask)
        (gradient,) = torch.autograd.grad((weights * torch.tensor([1.0, 5.0], dtype=dtype)).sum(), logits)
    assert weights[0].tolist() == [0.0, 0.0]
    assert float(weights[1].sum().detach()) == pytest.approx(1.0, abs=1e-2)
    assert gradient[0].tolist() == [0.0, 0.0]
    assert gradient[1].isfinite().all()
    assert (gradient[1] != 0).all()


def test_the_mean_of_each_sentence_is_that_of_its_own_tokens() -> None:
    values, lengths = torch.randn(9, 4).double(), torch.tensor([2, 1, 6])
    expected = torch.stack([part.mean(0) for part in values.split(lengths.tolist())])
    torch.testing.assert_close(mean_pooled(values, lengths), expected)
    assert torch.autograd.gradcheck(lambda v: mean_pooled(v, lengths), values.requires_grad_(True))

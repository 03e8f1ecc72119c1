"""Label-specific embeddings are equations 10 and 11 of the paper for every sentence and class."""

from __future__ import annotations

import math

import numpy as np
import torch
from torch.func import functional_call

import equations
from fewaspect.modules.label_attention import LabelAttention

LENGTHS = (4, 1, 3)
WIDTH = 5
Inputs = tuple[torch.Tensor, torch.Tensor, torch.Tensor, torch.Tensor]


def random_inputs(extra: int = 0) -> Inputs:
    """Prototypes, labels, padded states with rubbish in the padding, and the mask."""
    torch.manual_seed(1)
    T = max(LENGTHS) + extra
    mask = torch.arange(T) < torch.tensor(LENGTHS)[:, None]
    prototypes, labels, H = torch.randn(2, WIDTH), torch.randn(2, WIDTH), torch.randn(len(LENGTHS), T, WIDTH)
    return prototypes.double(), labels.double(), H.double(), mask


def random_attention(**options: object) -> LabelAttention:
    torch.manual_seed(0)
    return LabelAttention(WIDTH, **options).double()  # type: ignore[arg-type]


def test_label_attention_is_the_papers_equations_10_and_11() -> None:
    attention, (prototypes, labels, H, mask) = random_attention(), random_inputs()
    Wa, ba = attention.Wa.weight.detach().numpy(), attention.Wa.bias.detach().numpy()
    assert Wa.shape == (WIDTH, 2 * WIDTH)
    z = attention(prototypes, labels, H, mask).detach().numpy()
    assert z.shape == (3, 2, WIDTH)
    for sentence, length in enumerate(LENGTHS):
        for i in range(2):
            expected = equations.label_specific(
                H[sentence, :length].numpy().T, prototypes[i].numpy(), labels[i].numpy(), Wa, ba
            )
            np.testing.assert_allclose(z[sentence, i], expected, rtol=1e-12, atol=1e-12)


def test_padding_gets_no_weight() -> None:
    attention, (prototypes, labels, H, mask) = random_attention(), random_inputs(extra=3)
    weights = attention.attention(prototypes, labels, H, mask)
    assert (weights.transpose(1, 2)[~mask] == 0).all()
    torch.testing.assert_close(weights.sum(-1), torch.ones(3, 2).double())
    filled = H.masked_fill(~mask[..., None], 1e6)
    expected = attention(prototypes, labels, H[:, :4], mask[:, :4])
    torch.testing.assert_close(attention(prototypes, labels, filled, mask), expected, rtol=1e-12, atol=1e-12)


def test_scaled_attention_is_divided_by_the_root_of_the_width() -> None:
    prototypes, labels, H, mask = random_inputs()
    plain, scaled = random_attention(), random_attention(scaled=True)
    logits = plain.Wa(torch.cat([prototypes, labels], -1)) @ H[0].T / math.sqrt(WIDTH)
    torch.testing.assert_close(scaled.attention(prototypes, labels, H, mask)[0], torch.softmax(logits, -1))


def test_attention_started_at_a_blend_asks_for_a_mix_of_prototype_and_label() -> None:
    prototypes, labels, H, mask = random_inputs()
    attention = random_attention(start="blend", blend=0.6)
    logits = (0.6 * prototypes + 0.4 * labels) @ H[0].T
    torch.testing.assert_close(attention.attention(prototypes, labels, H, mask)[0], torch.softmax(logits, -1))


def test_dropout_acts_in_training_only() -> None:
    attention, inputs = random_attention(dropout=0.5), random_inputs()
    assert not torch.equal(attention(*inputs), attention(*inputs))
    attention.eval()
    torch.testing.assert_close(attention(*inputs), random_attention()(*inputs))


def test_dropout_takes_entries_of_the_embedding_and_scales_the_rest() -> None:
    attention, inputs = random_attention(dropout=0.5), random_inputs()
    z, whole = attention(*inputs), random_attention()(*inputs)
    assert (z == 0).any()
    torch.testing.assert_close(z[z != 0], 2 * whole[z != 0])


def test_gradients_of_label_attention_are_right() -> None:
    attention, (*tensors, mask) = random_attention(), random_inputs(extra=1)
    parameters = {name: p.detach().requires_grad_(True) for name, p in attention.named_parameters()}

    def run(p: torch.Tensor, e: torch.Tensor, H: torch.Tensor, *values: torch.Tensor) -> torch.Tensor:
        return functional_call(attention, dict(zip(parameters, values, strict=True)), (p, e, H, mask))

    inputs = (*(t.requires_grad_(True) for t in tensors), *parameters.values())
    assert torch.autograd.gradcheck(run, inputs)

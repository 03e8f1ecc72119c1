"""The three losses are equations 9, 12-13 and 16 of the paper, and are never NaN."""

from __future__ import annotations

import math

import numpy as np
import pytest
import torch

import equations
from fewaspect.modules.count_head import CountHead
from fewaspect.modules.losses import class_cross_entropy, count_cross_entropy, supervised_contrastive

LABELS = torch.tensor([[1, 0, 0, 0], [0, 1, 1, 0], [1, 1, 0, 1]]).bool()


def random_tensor(*shape: int, seed: int = 0) -> torch.Tensor:
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed)).double()


def test_the_class_loss_is_the_papers_equation_9() -> None:
    logits = random_tensor(3, 4)
    expected = equations.class_loss([equations.softmax(row) for row in logits.numpy()], LABELS.numpy())
    assert float(class_cross_entropy(logits, LABELS)) == pytest.approx(expected, rel=1e-12)
    assert float(class_cross_entropy(logits, LABELS, mean_over_classes=True)) == pytest.approx(expected / 4, rel=1e-12)


def test_the_class_loss_stays_finite_where_a_probability_vanishes() -> None:
    logits = torch.tensor([[-1e6, 0.0]], requires_grad=True)
    loss = class_cross_entropy(logits, torch.tensor([[True, False]]))
    (gradient,) = torch.autograd.grad(loss, logits)
    assert float(loss.detach()) == pytest.approx(1e6)
    assert gradient.tolist() == [[-1.0, 1.0]]


def test_the_class_loss_of_no_queries_is_zero() -> None:
    logits = torch.zeros(0, 4, requires_grad=True)
    loss = class_cross_entropy(logits, torch.zeros(0, 4).bool())
    loss.backward()
    assert float(loss.detach()) == 0.0


@pytest.mark.parametrize("tau", [0.1, 1.0])
def test_the_contrastive_loss_is_the_papers_equations_12_and_13(tau: float) -> None:
    z, classes = random_tensor(7, 5), [0, 1, 0, 2, 1, 0, 3]
    expected = equations.contrastive_loss(list(z.numpy()), classes, tau)
    found = supervised_contrastive(z, torch.tensor(classes), tau)
    assert float(found) == pytest.approx(expected, rel=1e-12)


def test_unit_vectors_in_the_contrastive_loss_are_the_equations_on_unit_vectors() -> None:
    z, classes = random_tensor(5, 4), [0, 1, 0, 1, 0]
    unit = [row / np.linalg.norm(row) for row in z.numpy()]
    found = supervised_contrastive(z, torch.tensor(classes), 0.1, normalise=True)
    assert float(found) == pytest.approx(equations.contrastive_loss(unit, classes, 0.1), rel=1e-12)


def test_positives_plus_one_divides_by_one_more() -> None:
    z = random_tensor(4, 3)
    three_positives = torch.zeros(4).long()
    plain = supervised_contrastive(z, three_positives)
    more = supervised_contrastive(z, three_positives, positives_plus_one=True)
    assert float(more) == pytest.approx(float(plain) * 3 / 4, rel=1e-12)


def test_an_anchor_without_positives_contributes_nothing_but_is_counted() -> None:
    z = random_tensor(4, 3)
    similar = (z @ z.T / 0.1).numpy()
    total = 0.0
    for anchor in (0, 1, 2):  # the fourth is alone in its class: a negative of the others, an anchor of nothing
        others = [i for i in range(4) if i != anchor]
        positives = [i for i in (0, 1, 2) if i != anchor]
        log_sum = np.logaddexp.reduce(similar[anchor, others])
        total += np.mean([log_sum - similar[anchor, i] for i in positives])
    found = supervised_contrastive(z, torch.tensor([0, 0, 0, 9]))
    assert float(found) == pytest.approx(total / 4, rel=1e-12)


@pytest.mark.parametrize("normalise", [False, True])
@pytest.mark.parametrize("classes", [[], [0], [0, 1], [0, 1, 2, 3]])
def test_a_contrastive_loss_without_any_positive_is_zero_with_zero_gradient(
    classes: list[int], normalise: bool
) -> None:
    z = random_tensor(len(classes), 3).requires_grad_(True)
    loss = supervised_contrastive(z, torch.tensor(classes, dtype=torch.long), normalise=normalise)
    (gradient,) = torch.autograd.grad(loss, z)
    assert float(loss.detach()) == 0.0
    assert (gradient == 0).all()


@pytest.mark.parametrize("size", [1.0, 1e4])
def test_gradients_of_an_episode_with_a_lonely_anchor_are_finite(size: float) -> None:
    z = (size * random_tensor(4, 3).float()).requires_grad_(True)
    loss = supervised_contrastive(z, torch.tensor([0, 0, 1, 0]))
    (gradient,) = torch.autograd.grad(loss, z)
    assert loss.detach().isfinite()
    assert gradient.isfinite().all()
    assert (gradient != 0).any()


def test_the_count_loss_is_the_papers_equation_16() -> None:
    torch.manual_seed(0)
    head, vectors, counts = CountHead(5, 3).double(), random_tensor(4, 5), [1, 3, 2, 1]
    Wl, bl = head.Wl.weight.detach().numpy(), head.Wl.bias.detach().numpy()
    expected = equations.count_loss(list(vectors.numpy()), counts, Wl, bl)
    found = count_cross_entropy(head(vectors), torch.tensor(counts))
    assert float(found.detach()) == pytest.approx(expected, rel=1e-12)


def test_a_count_above_the_last_is_taken_as_the_last() -> None:
    logits = random_tensor(2, 3)
    assert count_cross_entropy(logits, torch.tensor([7, 1])) == count_cross_entropy(logits, torch.tensor([3, 1]))


def test_sentences_with_none_of_the_classes_are_left_out_of_the_count_loss() -> None:
    logits = random_tensor(3, 4)
    found = count_cross_entropy(logits, torch.tensor([0, 2, 0]))
    assert float(found) == pytest.approx(-math.log(equations.softmax(logits[1].numpy())[1]), rel=1e-12)


def test_a_count_loss_of_nothing_but_none_is_zero_with_zero_gradient() -> None:
    logits = random_tensor(3, 4).requires_grad_(True)
    loss = count_cross_entropy(logits, torch.tensor([0, 0, 0]))
    (gradient,) = torch.autograd.grad(loss, logits)
    assert float(loss.detach()) == 0.0
    assert (gradient == 0).all()


def test_gradients_of_the_losses_are_right() -> None:
    logits, z = random_tensor(3, 4).requires_grad_(True), random_tensor(6, 3, seed=1).requires_grad_(True)
    classes, counts = torch.tensor([0, 1, 0, 2, 1, 0]), torch.tensor([2, 0, 9])
    check = torch.autograd.gradcheck
    for options in ({}, {"normalise": True}, {"positives_plus_one": True}):
        assert check(lambda z, options=options: supervised_contrastive(z, classes, 0.5, **options), (z,))
    for over_classes in (False, True):
        assert check(lambda x, o=over_classes: class_cross_entropy(x, LABELS, mean_over_classes=o), (logits,))
    assert check(lambda x: count_cross_entropy(x, counts), (logits,))

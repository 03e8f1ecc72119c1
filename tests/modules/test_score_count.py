"""The count that sees the scores."""

from __future__ import annotations

import math

import pytest
import torch

from fewaspect.modules.score_count import ScoreCount


def scores(Q: int = 6, N: int = 5, seed: int = 0) -> torch.Tensor:
    return torch.rand(Q, N, generator=torch.Generator().manual_seed(seed), dtype=torch.float64) * 0.6


def moved(most: int = 4) -> ScoreCount:
    """A count that has left its start."""
    torch.manual_seed(0)
    count = ScoreCount(most, 7).double()
    with torch.no_grad():
        for parameter in count.parameters():
            parameter.add_(torch.randn_like(parameter))
    return count


@pytest.mark.parametrize("N", [1, 2, 4, 5, 30])
def test_the_probabilities_of_all_counts_add_up_to_one_and_none_is_above_the_number_of_classes(N: int) -> None:
    p = moved()(scores(N=N), torch.full((N,), 3.0)).exp()
    assert p.shape == (6, 5)
    torch.testing.assert_close(p.sum(dim=1), torch.ones(6, dtype=torch.float64))
    assert (p[:, N + 1 :] < 1e-9).all()


def test_a_count_is_a_chain_of_one_more_and_then_no_more() -> None:
    count, cosines, shots = moved(most=3), scores(Q=2, N=4), torch.tensor([1.0, 5.0, 2.0, 3.0])
    steps = count.step(count.features(cosines, shots)).squeeze(-1).detach() + count.base.detach()
    for x in range(2):
        q = [1 / (1 + math.exp(-float(step))) for step in steps[x]]
        expected = [1 - q[0], q[0] * (1 - q[1]), q[0] * q[1] * (1 - q[2]), q[0] * q[1] * q[2]]
        assert count(cosines, shots)[x].exp().tolist() == pytest.approx(expected)


def test_the_order_of_the_classes_changes_nothing() -> None:
    count, cosines, shots, order = moved(), scores(), torch.arange(1.0, 6.0), torch.tensor([3, 1, 4, 0, 2])
    torch.testing.assert_close(count(cosines[:, order], shots[order]), count(cosines, shots))


def test_it_sees_the_scores_the_shots_and_the_number_of_classes() -> None:
    count, cosines, shots = moved(), scores(), torch.full((5,), 3.0)
    before = count(cosines, shots)
    assert not torch.allclose(count(cosines * 1.1, shots), before)
    assert not torch.allclose(count(cosines, shots + 5), before)
    low = torch.cat([cosines, cosines.mean(dim=1, keepdim=True)], dim=1).sort(dim=1).values
    assert not torch.allclose(count(low, torch.full((6,), 3.0)), before)


def test_before_it_has_learned_it_answers_one() -> None:
    assert (ScoreCount(4, 7)(scores().float(), torch.full((5,), 3.0)).argmax(dim=1) == 1).all()


def test_counting_does_not_bend_the_ranking() -> None:
    cosines = scores().requires_grad_()
    assert not moved()(cosines.detach(), torch.full((5,), 3.0)).sum().detach().isnan()
    assert torch.autograd.grad(moved()(cosines, torch.full((5,), 3.0)).sum(), cosines, allow_unused=True)[0] is None


def test_it_learns_none_and_two_from_the_scores() -> None:
    """Queries with no score above 0.3 carry nothing, those with two close best ones carry two."""
    torch.manual_seed(0)
    kinds = torch.arange(60) % 3
    cosines = 0.05 + 0.1 * torch.rand(60, 5)
    cosines[kinds > 0, 0] = 0.6
    cosines[kinds == 2, 1] = 0.57
    count = ScoreCount(4, 16)
    optimiser = torch.optim.Adam(count.parameters(), lr=0.03)
    shots = torch.full((5,), 5.0)
    for _ in range(120):
        loss = torch.nn.functional.nll_loss(count(cosines, shots), kinds)
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
    assert torch.equal(count(cosines, shots).argmax(dim=1), kinds)

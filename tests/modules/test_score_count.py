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
def test_more_aspects_are_never_likelier_than_fewer_and_none_is_above_the_number_of_classes(N: int) -> None:
    p = moved()(scores(N=N), torch.full((N,), 3.0))
    assert p.shape == (6, min(N, 4))
    assert ((p > 0) & (p < 1)).all()
    assert (p.diff(dim=1) < 0).all()


def test_a_count_is_a_chain_of_one_more() -> None:
    count, cosines, shots = moved(most=3), scores(Q=2, N=4), torch.tensor([1.0, 5.0, 2.0, 3.0])
    steps = count.step(count.features(cosines, shots)).squeeze(-1) + count.base
    for x in range(2):
        q = [1 / (1 + math.exp(-float(step))) for step in steps[x]]
        assert count(cosines, shots)[x].tolist() == pytest.approx([q[0], q[0] * q[1], q[0] * q[1] * q[2]])


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
    assert ((ScoreCount(4, 7)(scores().float(), torch.full((5,), 3.0)) > 0.5).sum(dim=1) == 1).all()


def test_counting_does_not_bend_the_ranking() -> None:
    cosines = scores().requires_grad_()
    assert not moved()(cosines, torch.full((5,), 3.0)).requires_grad
    assert not any(parameter.requires_grad for parameter in moved().parameters())


def none_one_or_two(N: int = 5) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """Queries with no score above 0.3 carry nothing, those with two close best ones carry two."""
    kinds = torch.arange(60) % 3
    cosines = 0.05 + 0.1 * torch.rand(60, N, generator=torch.Generator().manual_seed(N))
    cosines[kinds > 0, 0] = 0.6
    cosines[kinds == 2, 1] = 0.57
    return cosines, torch.full((N,), 5.0), kinds


def test_it_learns_none_and_two_from_episodes_of_different_size() -> None:
    torch.manual_seed(0)
    count = ScoreCount(4, 16)
    with torch.inference_mode():  # as scores are made
        count.fit([none_one_or_two(3), none_one_or_two(8)])
    cosines, shots, kinds = none_one_or_two(5)
    assert torch.equal((count(cosines, shots) > 0.5).sum(dim=1), kinds)
    assert not any(parameter.requires_grad for parameter in count.parameters())


def test_fitting_maximises_the_likelihood_of_the_counts() -> None:
    """Where the scores say nothing, the probabilities become the shares among the queries, up to the weight decay."""
    count = ScoreCount(2, 4)
    cosines, counts = torch.zeros(40, 2), torch.tensor([0] * 8 + [1] * 24 + [2] * 8)
    count.fit([(cosines, torch.ones(2), counts)], steps=3000)
    assert count(cosines[:1], torch.ones(2))[0].tolist() == pytest.approx([0.8, 0.2], abs=0.02)


def test_a_count_above_the_largest_is_at_least_the_largest() -> None:
    torch.manual_seed(0)
    count = ScoreCount(2, 4)
    cosines = torch.full((20, 5), 0.5)
    count.fit([(cosines, torch.ones(5), torch.full((20,), 4))])
    assert (count(cosines, torch.ones(5)) > 0.8).all()

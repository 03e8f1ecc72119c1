"""The threshold policy: where it starts, what it is rewarded for."""

from __future__ import annotations

import pytest
import torch

from fewaspect.modules.threshold_policy import ThresholdPolicy, instance_f1, learn_policy


@pytest.mark.parametrize("way", [2, 5, 10])
def test_the_policy_starts_at_the_static_threshold_for_any_number_of_classes(way: int) -> None:
    scores = torch.softmax(torch.randn(7, way), dim=1)
    torch.testing.assert_close(ThresholdPolicy()(scores, torch.tensor(0.2)).mean, torch.full((7,), 0.2))


def test_the_policy_does_not_see_the_order_of_the_classes() -> None:
    torch.manual_seed(0)
    policy = ThresholdPolicy()
    torch.nn.init.normal_(policy.output.weight)
    scores = torch.softmax(torch.randn(7, 6), dim=1)
    one, other = (policy(scores[:, order], torch.tensor(0.2)).mean for order in (range(6), [3, 1, 5, 0, 2, 4]))
    torch.testing.assert_close(one, other)
    assert one.std() > 0.001


def test_instance_f1_is_that_of_each_query() -> None:
    predicted = torch.tensor([[1, 1, 0], [1, 0, 0], [1, 1, 1], [0, 1, 0]]).bool()
    truth = torch.tensor([[1, 0, 0], [1, 0, 0], [0, 1, 1], [1, 0, 0]]).bool()
    torch.testing.assert_close(instance_f1(predicted, truth), torch.tensor([2 / 3, 1.0, 0.8, 0.0]))


@pytest.mark.parametrize(("second", "moves"), [(True, -1), (False, 1)])
def test_a_threshold_moves_to_where_the_reward_is(second: bool, moves: int) -> None:
    torch.manual_seed(0)
    scores = torch.tensor([[0.5, 0.3, 0.2]]).repeat(20, 1)  # the second class is just reached, or just missed
    truth = torch.tensor([[True, second, False]]).repeat(20, 1)
    policy, static = ThresholdPolicy(), torch.tensor(0.3)
    learn_policy(policy, static, [scores.numpy()] * 40, [truth.numpy()] * 40, passes=5, learning_rate=1e-2)
    assert moves * float(policy(scores, static).mean[0].detach() - 0.3) > 0.03
    assert bool(policy.learned)
    assert not any(parameter.requires_grad for parameter in policy.parameters())

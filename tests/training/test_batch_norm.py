"""Batch norms in steps of several episodes."""

from __future__ import annotations

import torch
from torch import nn

from fewaspect.training.batch_norm import BatchNormStatistics


def test_a_step_moves_running_means_to_the_mean_of_what_its_episodes_would() -> None:
    torch.manual_seed(0)
    episodes = [torch.randn(6, 2) + shift for shift in (0.0, 1.0, 5.0)]
    separate = []
    for episode in episodes:
        alone = nn.BatchNorm1d(2)
        alone(episode)
        separate.append((alone.running_mean, alone.running_var))
    for order in ([0, 1, 2], [2, 0, 1]):
        norm = nn.BatchNorm1d(2)
        statistics = BatchNormStatistics(nn.Sequential(norm))
        statistics.start_step()
        for index in order:
            norm(episodes[index])
            statistics.add_episode(1 / 3)
        statistics.finish_step(lambda mean: mean)
        for found, expected in zip((norm.running_mean, norm.running_var), zip(*separate, strict=True), strict=True):
            torch.testing.assert_close(found, torch.stack(expected).mean(dim=0))

"""A threshold policy for each query, learned by REINFORCE (Williams, 1992)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import torch
from torch import Tensor, nn
from torch.distributions import Beta

from fewaspect.modules.count_head import threshold_decision

HIGHEST = 5  # best scores of a query that the policy sees, for any number of classes
CONCENTRATION = 50.0  # of the Beta distribution: a standard deviation of about 0.06 around 0.2
DRAWS = 8  # thresholds tried per query and step


class ThresholdPolicy(nn.Module):
    """A Beta distribution of each query's threshold, from its sorted scores.

    Our reconstruction of Hu et al. (ACL 2021), who say that a policy network sees the scores and draws from a Beta
    distribution. Ours sees them relative to the static threshold, is initialised to it and learns an offset.
    """

    learned: Tensor

    def __init__(self, hidden: int = 32) -> None:
        super().__init__()
        self.hidden = nn.Linear(HIGHEST + 1, hidden)
        self.output = nn.Linear(hidden, 1)
        self.register_buffer("learned", torch.tensor(False))
        self.reset()

    def reset(self) -> None:
        """Back to the static threshold."""
        self.hidden.reset_parameters()
        nn.init.zeros_(self.output.weight)
        nn.init.zeros_(self.output.bias)

    def forward(self, probabilities: Tensor, threshold: Tensor) -> Beta:
        """Q distributions from (Q, N) scores and the static threshold."""
        Q, N = probabilities.shape
        highest = probabilities.new_zeros(Q, HIGHEST)
        highest[:, : min(N, HIGHEST)] = probabilities.sort(dim=1, descending=True).values[:, :HIGHEST]
        state = torch.cat([highest / threshold.clamp_min(1e-3), highest.new_full((Q, 1), 1 / N)], dim=1)
        shift = self.output(torch.tanh(self.hidden(state))).squeeze(1)  # (Q,)
        mean = torch.sigmoid(torch.logit(threshold, eps=1e-3) + shift)
        return Beta((mean * CONCENTRATION).clamp_min(1e-3), ((1 - mean) * CONCENTRATION).clamp_min(1e-3))


def learn_policy(
    policy: ThresholdPolicy, threshold: Tensor, probabilities: Sequence[np.ndarray], truth: Sequence[np.ndarray],
    passes: int, learning_rate: float,
) -> None:  # fmt: skip
    """Train a reset policy; the reward of a drawn threshold is the query's F1 minus that at the static threshold.

    The baseline is the mean reward of a query's draws. `probabilities` and `truth`: (Q, N) of each episode.
    """
    policy.reset()
    optimiser = torch.optim.Adam(policy.parameters(), lr=learning_rate)
    policy.requires_grad_(True)
    for _ in range(passes):
        for scores, labels in zip(probabilities, truth, strict=True):
            p, y = (torch.from_numpy(part).to(threshold.device) for part in (scores, labels))
            drawn_from = policy(p, threshold)
            drawn = drawn_from.sample((DRAWS,)).clamp(1e-4, 1 - 1e-4)  # (draws, Q): at 0 the density may be infinite
            static = instance_f1(threshold_decision(p, threshold), y)
            reward = torch.stack([instance_f1(threshold_decision(p, t[:, None]), y) - static for t in drawn])
            optimiser.zero_grad()
            (-(reward - reward.mean(dim=0)) * drawn_from.log_prob(drawn)).mean().backward()
            optimiser.step()
    policy.requires_grad_(False)
    policy.learned.fill_(True)


def instance_f1(predicted: Tensor, truth: Tensor) -> Tensor:
    """(Q,) F1 between the predicted and the true classes of each query."""
    both = (predicted & truth).sum(dim=1)
    return 2 * both / (predicted.sum(dim=1) + truth.sum(dim=1))

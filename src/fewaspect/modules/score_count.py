"""How many of the episode's classes a sentence carries, read off the scores themselves."""

from __future__ import annotations

from collections.abc import Sequence

import torch
import torch.nn.functional as F
from torch import Tensor, nn

FEATURES = 8
FIT_STEPS, FIT_RATE, FIT_DECAY = 400, 0.01, 1e-3
MARGIN = 20.0  # cosines differ by hundredths; times this they differ by about one


class ScoreCount(nn.Module):
    """The count 0, 1, .. from the sorted scores of a sentence, as a chain: is there one more, given those before?

    q_r is the probability that the class of rank r is carried if the r - 1 better ones are; it sees how that class
    stands to the best one, to its neighbours and to the rest, and how large the episode is. Whatever N, the same
    network serves. The scores are taken as given: counting does not bend the ranking. It is not trained along with an
    encoder but fitted, in a moment, to scores of aspects that the encoder has not seen.
    """

    def __init__(self, most: int, hidden: int) -> None:
        super().__init__()
        self.most = most
        last = nn.Linear(hidden, 1)
        nn.init.zeros_(last.weight)
        nn.init.zeros_(last.bias)
        self.step = nn.Sequential(nn.Linear(FEATURES + most, hidden), nn.Tanh(), last)
        self.base = nn.Parameter(torch.tensor([4.0] + [-2.0] * (most - 1)))  # answers one until it has learned better
        self.requires_grad_(False)

    def forward(self, cosines: Tensor, shots: Tensor) -> Tensor:
        """(Q, N) scores on the scale of cosines and (N,) shots to P(at least 1), P(at least 2), .., (Q, R)."""
        return self.one_more(self.features(cosines, shots)).sigmoid().cumprod(dim=-1)

    def one_more(self, features: Tensor) -> Tensor:
        """(Q, R) logits of q_r."""
        return self.step(features).squeeze(-1) + self.base[: features.shape[1]]

    def fit(self, episodes: Sequence[tuple[Tensor, Tensor, Tensor]], steps: int = FIT_STEPS) -> None:
        """Maximum likelihood for episodes of scores, shots and the queries' counts, (Q, N), (N,) and (Q,).

        The likelihood of a chain falls apart into its steps: at each rank that is reached, was there one more?
        """
        rows, ranks, targets = [], [], []
        for cosines, shots, counts in episodes:
            features = self.features(cosines, shots)
            rank = torch.arange(features.shape[1], device=counts.device).expand(len(counts), -1)
            reached = rank <= counts[:, None]
            rows.append(features[reached])
            ranks.append(rank[reached])
            targets.append((rank < counts[:, None])[reached])
        with torch.inference_mode(False), torch.enable_grad():
            self.requires_grad_(True)
            x, rank, y = (torch.cat(parts).clone() for parts in (rows, ranks, targets))
            optimiser = torch.optim.Adam(self.parameters(), lr=FIT_RATE, weight_decay=FIT_DECAY)
            for _ in range(steps):
                optimiser.zero_grad()
                logits = self.step(x).squeeze(-1) + self.base[rank]
                F.binary_cross_entropy_with_logits(logits, y.to(logits)).backward()
                optimiser.step()
            self.requires_grad_(False).zero_grad()

    def features(self, cosines: Tensor, shots: Tensor) -> Tensor:
        """(Q, R, features) of the R = min(N, most) best classes of each sentence."""
        Q, N = cosines.shape
        R = min(N, self.most)
        ranked, order = cosines.detach().sort(dim=-1, descending=True)
        best, top = ranked[:, :1], ranked[:, :R]
        before = torch.cat([best, top], dim=1)[:, :R]
        after = F.pad(ranked, (0, 1), value=-1.0)[:, 1 : R + 1]
        worse = torch.arange(N - 1, N - 1 - R, -1, device=cosines.device)
        rest = (cosines.detach().sum(dim=-1, keepdim=True) - ranked.cumsum(dim=-1)[:, :R]) / worse.clamp(min=1)
        share = (MARGIN * ranked).softmax(dim=-1)[:, :R]
        known = shots.to(cosines).log1p()[order[:, :R]]
        parts = [
            top, MARGIN * (top - best) / 4, MARGIN * (before - top) / 4, (MARGIN * (top - after) / 4).clamp(max=4.0),
            MARGIN * (top - rest) / 4, share, known, torch.full_like(top, N).log(),
        ]  # fmt: skip
        ranks = torch.eye(self.most, device=cosines.device, dtype=cosines.dtype)[:R].expand(Q, R, self.most)
        return torch.cat([torch.stack(parts, dim=-1), ranks], dim=-1)

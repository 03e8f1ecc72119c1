"""The number of classes of a sentence, predicted from its scores."""

from __future__ import annotations

from collections.abc import Sequence

import torch
import torch.nn.functional as F
from torch import Tensor, nn

FEATURES = 8
FIT_STEPS, FIT_RATE, FIT_DECAY = 400, 0.01, 1e-3
MARGIN = 20.0  # scale of differences between cosines, which are hundredths, to the order of one


class ScoreCount(nn.Module):
    """Distribution of the count 0, 1, .. as a chain of q_r = P(class of rank r is present | the better ones are).

    One small network computes q_r for any N, from the score of rank r relative to the best, its neighbours and the
    rest, and from N and K. It is not trained with the encoder but fitted to scores of unseen aspects; its inputs are
    detached.
    """

    def __init__(self, most: int, hidden: int) -> None:
        super().__init__()
        self.most = most
        last = nn.Linear(hidden, 1)
        nn.init.zeros_(last.weight)
        nn.init.zeros_(last.bias)
        self.step = nn.Sequential(nn.Linear(FEATURES + most, hidden), nn.Tanh(), last)
        self.base = nn.Parameter(torch.tensor([4.0] + [-2.0] * (most - 1)))  # predicts 1 until it is fitted
        self.requires_grad_(False)

    def forward(self, cosines: Tensor, shots: Tensor) -> Tensor:
        """P(count >= 1), P(count >= 2), .., (Q, R), from (Q, N) scores on the scale of cosines and (N,) shots."""
        return self.one_more(self.features(cosines, shots)).sigmoid().cumprod(dim=-1)

    def one_more(self, features: Tensor) -> Tensor:
        """(Q, R) logits of q_r from (Q, R, features)."""
        return self.step(features).squeeze(-1) + self.base[: features.shape[1]]

    def fit(self, episodes: Sequence[tuple[Tensor, Tensor, Tensor]], steps: int = FIT_STEPS) -> None:
        """Maximum likelihood on episodes of scores, shots and the queries' counts, (Q, N), (N,) and (Q,).

        The likelihood of the chain is a product over the ranks reached: binary cross-entropy of "is there one more".
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
        """(Q, R, features) of the R = min(N, most) best classes of each sentence, from (Q, N) and (N,)."""
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

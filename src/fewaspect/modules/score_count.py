"""How many of the episode's classes a sentence carries, read off the scores themselves."""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor, nn

FEATURES = 8
MARGIN = 20.0  # cosines differ by hundredths; times this they differ by about one


class ScoreCount(nn.Module):
    """The count 0, 1, .. from the sorted scores of a sentence, as a chain: is there one more, given those before?

    q_r is the probability that the class of rank r is carried if the r - 1 better ones are; it sees how that class
    stands to the best one, to its neighbours and to the rest, and how large the episode is. Whatever N, the same
    network serves. The scores are taken as given: counting does not bend the ranking.
    """

    def __init__(self, most: int, hidden: int) -> None:
        super().__init__()
        self.most = most
        last = nn.Linear(hidden, 1)
        nn.init.zeros_(last.weight)
        nn.init.zeros_(last.bias)
        self.step = nn.Sequential(nn.Linear(FEATURES + most, hidden), nn.Tanh(), last)
        self.base = nn.Parameter(torch.tensor([4.0] + [-2.0] * (most - 1)))  # answers one until it has learned better

    def forward(self, cosines: Tensor, shots: Tensor) -> Tensor:
        """(Q, N) scores on the scale of cosines and (N,) shots to log-probabilities of 0 .. most, (Q, most + 1)."""
        more = self.step(self.features(cosines.detach(), shots)).squeeze(-1)  # (Q, R)
        more = more + self.base[: more.shape[1]]  # logits of q_r
        more = F.pad(more, (0, self.most - more.shape[1]), value=-30.0)  # there are no more than N
        reached = F.pad(F.logsigmoid(more).cumsum(dim=-1), (1, 0))  # (Q, most + 1) at least 0, 1, ..
        ended = F.pad(F.logsigmoid(-more), (0, 1))
        return reached + ended

    def features(self, cosines: Tensor, shots: Tensor) -> Tensor:
        """(Q, R, features) of the R = min(N, most) best classes of each sentence."""
        Q, N = cosines.shape
        R = min(N, self.most)
        ranked, order = cosines.sort(dim=-1, descending=True)
        best, top = ranked[:, :1], ranked[:, :R]
        before = torch.cat([best, top], dim=1)[:, :R]
        after = F.pad(ranked, (0, 1), value=-1.0)[:, 1 : R + 1]
        worse = torch.arange(N - 1, N - 1 - R, -1, device=cosines.device)
        rest = (cosines.sum(dim=-1, keepdim=True) - ranked.cumsum(dim=-1)[:, :R]) / worse.clamp(min=1)
        share = (MARGIN * ranked).softmax(dim=-1)[:, :R]
        known = shots.to(cosines).log1p()[order[:, :R]]
        parts = [
            top, MARGIN * (top - best) / 4, MARGIN * (before - top) / 4, (MARGIN * (top - after) / 4).clamp(max=4.0),
            MARGIN * (top - rest) / 4, share, known, torch.full_like(top, N).log(),
        ]  # fmt: skip
        ranks = torch.eye(self.most, device=cosines.device, dtype=cosines.dtype)[:R].expand(Q, R, self.most)
        return torch.cat([torch.stack(parts, dim=-1), ranks], dim=-1)

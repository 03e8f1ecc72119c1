"""Matching Network (Vinyals et al., NeurIPS 2016), with full context embeddings as an option."""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from fewaspect.core.settings import MatchingSettings
from fewaspect.methods.base import Scores, Task
from fewaspect.methods.threshold import ThresholdMethod


class MatchingNetwork(ThresholdMethod):
    """a_i = softmax over all shots of scale * cos(f(q), g(x_i)); the score of a class is the attention to its shots.

    The scale is learned. A sentence that supports two classes is a shot of each.
    """

    settings: MatchingSettings

    def __init__(self, width: int, settings: MatchingSettings, way: int, shot: int = 5) -> None:
        super().__init__(width, settings, way, shot)
        self.log_scale = nn.Parameter(torch.tensor(settings.scale).log())
        if settings.full_context:
            self.context = FullContext(width, settings.context_steps)

    def score(self, task: Task) -> Scores:
        support, queries = self.unit(task.support.vectors), self.unit(task.queries.vectors)
        if self.settings.full_context:
            support, queries = self.context(support, queries)
        cosines = F.normalize(queries, dim=-1) @ F.normalize(support, dim=-1).T  # (Q, S)
        membership = task.membership.clamp_min(torch.finfo(cosines.dtype).tiny).log()  # (S, N)
        # The softmax over classes of a log-sum over shots is the sum over shots of the softmax over all shots.
        return Scores(torch.logsumexp(self.log_scale.exp() * cosines[:, :, None] + membership, dim=1))  # (Q, N)


class FullContext(nn.Module):
    """Support through a bidirectional LSTM, queries through an LSTM with attention to the support (sec. 2.1.2).

    Gates are initialised to zero, so that training starts at the sentence vectors. The order of the shots matters.
    """

    def __init__(self, width: int, steps: int) -> None:
        super().__init__()
        self.steps = steps
        self.support_lstm = nn.LSTM(width, width, bidirectional=True)
        # The attended support joins the input, which equals the original's concatenation with the hidden state.
        self.query_lstm = nn.LSTMCell(2 * width, width)
        self.gates = nn.Parameter(torch.zeros(2))

    def forward(self, support: Tensor, queries: Tensor) -> tuple[Tensor, Tensor]:
        """(S, d) and (Q, d) to the same shapes, in context."""
        context, _ = self.support_lstm(support)  # (S, 2 d)
        support = support + self.gates[0] * sum(context.chunk(2, dim=-1))
        hidden = cell = state = torch.zeros_like(queries)
        for _ in range(self.steps):
            attended = torch.softmax(hidden @ support.T, dim=-1) @ support  # (Q, d)
            state, cell = self.query_lstm(torch.cat([queries, attended], dim=-1), (hidden, cell))
            hidden = queries + state
        return support, queries + self.gates[1] * state

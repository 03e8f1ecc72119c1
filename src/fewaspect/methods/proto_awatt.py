"""Proto-AWATT: aspect-wise attention on both sides and a dynamic threshold (Hu et al., ACL 2021)."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from fewaspect.core.settings import AWATTSettings
from fewaspect.methods.base import Episodes, Representations, Scores, Task, shared_tokens
from fewaspect.methods.threshold import ScaledMethod
from fewaspect.modules.class_prototypes import class_means
from fewaspect.modules.count_head import threshold_decision
from fewaspect.modules.pooling import masked_softmax
from fewaspect.modules.threshold_policy import ThresholdPolicy, learn_policy


class ProtoAWATT(ScaledMethod):
    """Classes attend to the tokens of shots and queries; mean squared error of softmax_n(-||q_n - p_n||) to y.

    The class's attention matrix is a map of its vector v repeated d times, W_n = W (v_n .. v_n) + B: one column,
    repeated, and a bias, which needs no d^3 parameters; with the initial W = 0, B = I, the attention is tanh(h) . v.
    The dynamic threshold is our reconstruction, see `ThresholdPolicy`; it is used if better on validation classes.
    """

    scores_with_tokens = True
    settings: AWATTSettings
    policy_on: Tensor

    def __init__(self, width: int, settings: AWATTSettings, way: int, shot: int = 5) -> None:
        super().__init__(width, settings, way, shot)
        self.W = nn.Parameter(torch.zeros(width, width))
        self.B = nn.Parameter(torch.eye(width))
        if settings.unit_vectors:
            self.log_attention_scale = nn.Parameter(torch.tensor(settings.attention_scale).log())
        self.policy = ThresholdPolicy().requires_grad_(False)  # trained in `learn_decision`
        self.register_buffer("policy_on", torch.tensor(False))

    def score(self, task: Task) -> Scores:
        p = self.prototypes(task)  # (N, d)
        H, mask = self._states(task.queries)  # (Q, T, d), (Q, T)
        rho = self._attention(torch.tanh(H) @ p.T, mask[:, :, None], dim=1)  # (Q, T, N)
        q = self.unit(rho.transpose(1, 2) @ H)  # (Q, N, d)
        squares = (q - self.unit(p)).square().sum(dim=-1)
        # Clamped: the root has no gradient at zero.
        return Scores(-self.scaled(squares.clamp_min(1e-12).sqrt()), prototypes=p)

    def prototypes(self, task: Task) -> Tensor:
        """p, (N, d): mean over the shots of their attended tokens."""
        H, mask = self._states(task.support)
        sentences, classes = task.membership.nonzero(as_tuple=True)  # P pairs of sentence and class
        means = (H * mask[..., None]).sum(1) / mask.sum(1).clamp_min(1)[:, None]  # (S, d)
        v = class_means(means, task.membership * mask.sum(1)[:, None])  # (N, d), of all tokens of all shots
        a = v @ self.W.T  # (N, d)
        H, mask, v_n = H[sentences], mask[sentences], v[classes]  # (P, T, d), (P, T), (P, d)
        mapped = torch.tanh(H @ self.B + (H * a[classes][:, None]).sum(-1, keepdim=True))  # tanh(h W_n)
        beta = self._attention((mapped * v_n[:, None]).sum(-1), mask, dim=1)  # (P, T)
        r = (beta[:, None] @ H)[:, 0]  # (P, d)
        pairs = F.one_hot(classes, len(v)).to(r.dtype) * task.membership[sentences, classes][:, None]  # (P, N)
        return class_means(r, pairs)

    def losses(self, task: Task, scores: Scores, support_labels: Tensor, query_labels: Tensor) -> dict[str, Tensor]:
        return {"class": (self.probabilities(scores) - query_labels.to(scores.logits.dtype)).square().mean()}

    def decide(self, scores: Scores) -> Tensor:
        probabilities = self.probabilities(scores)
        if not self.policy_on:
            return threshold_decision(probabilities, self.threshold)
        return threshold_decision(probabilities, self.policy(probabilities, self.threshold).mean[:, None])

    def tune(self, results: Sequence[Scores], truth: Episodes, value: Callable[[Episodes], float]) -> None:
        """Tune the static threshold; then use the policy, which moves it for each query, if that is better."""
        super().tune(results, truth, value)
        if self.policy.learned:
            values = []
            for on in (False, True):
                self.policy_on.fill_(on)
                values.append(value([self.decide(result).cpu().numpy() for result in results]))
            self.policy_on.fill_(values[1] > values[0])

    @property
    def decision_episodes(self) -> int:
        return self.settings.policy_episodes

    def learn_decision(self, probabilities: Episodes, truth: Episodes) -> None:
        s = self.settings
        learn_policy(self.policy, self.threshold, probabilities, truth, s.policy_passes, s.policy_learning_rate)

    def describe_decision(self) -> dict[str, Any]:
        return {**super().describe_decision(), "dynamic": bool(self.policy_on)}

    def _states(self, side: Representations) -> tuple[Tensor, Tensor]:
        """(B, T, d) token states, with unit vectors all of norm sqrt(d), and (B, T) mask."""
        tokens, rows = shared_tokens(side)
        packed = tokens.take(rows)
        if self.settings.unit_vectors:
            packed = packed.with_values(math.sqrt(self.width) * F.normalize(packed.values, dim=-1))
        return packed.padded, packed.mask

    def _attention(self, logits: Tensor, mask: Tensor, dim: int) -> Tensor:
        if self.settings.unit_vectors:
            logits = logits * self.log_attention_scale.exp() / self.width
        return masked_softmax(logits.transpose(dim, -1), mask.transpose(dim, -1)).transpose(dim, -1)

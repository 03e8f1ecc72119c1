"""Proto-AWATT: aspect-wise attention on both sides and a dynamic threshold (Hu et al., ACL 2021)."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from fewaspect.core.settings import AWATTSettings
from fewaspect.methods.base import Episodes, Represented, Scores, Task
from fewaspect.methods.threshold import ScaledMethod
from fewaspect.modules.class_prototypes import class_means
from fewaspect.modules.count_head import reaching
from fewaspect.modules.pooling import masked_softmax
from fewaspect.modules.threshold_policy import ThresholdPolicy, learn_policy


class ProtoAWATT(ScaledMethod):
    """Each shot is read by its class, each query once per class; mean squared error of softmax_n(-||q_n - p_n||) to y.

    The class's matrix is a map of its vector v repeated d times, W_n = W (v_n .. v_n) + B: one column, repeated, and a
    bias. It therefore needs no d^3 parameters; started at W = 0, B = identity, the attention is tanh(h) . v.
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
        self.policy = ThresholdPolicy().requires_grad_(False)  # learns after all else, see `learn_decision`
        self.register_buffer("policy_on", torch.tensor(False))

    def score(self, task: Task) -> Scores:
        p = self.prototypes(task)  # (N, d)
        H, mask = self._states(task.queries)  # (Q, T, d), (Q, T)
        rho = self._attention(torch.tanh(H) @ p.T, mask[:, :, None], dim=1)  # (Q, T, N)
        q = self.unit(rho.transpose(1, 2) @ H)  # (Q, N, d)
        squares = (q - self.unit(p)).square().sum(dim=-1)
        # Away from zero, where the root has no gradient.
        return Scores(-self.scaled(squares.clamp_min(1e-12).sqrt()), prototypes=p)

    def prototypes(self, task: Task) -> Tensor:
        """p_n: the mean of the shots as the class reads them, (N, d)."""
        H, mask = self._states(task.support)
        sentences, classes = task.membership.nonzero(as_tuple=True)  # P pairs of sentence and class
        means = (H * mask[..., None]).sum(1) / mask.sum(1).clamp_min(1)[:, None]  # (S, d)
        v = class_means(means, task.membership * mask.sum(1)[:, None])  # (N, d), of all tokens of all shots
        a = v @ self.W.T  # (N, d)
        H, mask, v_n = H[sentences], mask[sentences], v[classes]  # (P, T, d), (P, T), (P, d)
        seen = torch.tanh(H @ self.B + (H * a[classes][:, None]).sum(-1, keepdim=True))  # tanh(h W_n)
        beta = self._attention((seen * v_n[:, None]).sum(-1), mask, dim=1)  # (P, T)
        r = (beta[:, None] @ H)[:, 0]  # (P, d)
        pairs = F.one_hot(classes, len(v)).to(r.dtype) * task.membership[sentences, classes][:, None]  # (P, N)
        return class_means(r, pairs)

    def losses(self, task: Task, scores: Scores, support_labels: Tensor, query_labels: Tensor) -> dict[str, Tensor]:
        return {"class": (self.probabilities(scores) - query_labels.to(scores.logits.dtype)).square().mean()}

    def decide(self, scores: Scores) -> Tensor:
        return self._decided(self.probabilities(scores))

    def tune(self, results: Sequence[Scores], truth: Episodes, value: Callable[[Episodes], float]) -> None:
        """The static threshold first; then the policy, which moves it query by query, if that is better."""
        super().tune(results, truth, value)
        if self.policy.learned:
            worth = []
            for on in (False, True):
                self.policy_on.fill_(on)
                worth.append(value([self.decide(result).cpu().numpy() for result in results]))
            self.policy_on.fill_(worth[1] > worth[0])

    @property
    def decision_episodes(self) -> int:
        return self.settings.policy_episodes

    def learn_decision(self, probabilities: Episodes, truth: Episodes) -> None:
        s = self.settings
        learn_policy(self.policy, self.threshold, probabilities, truth, s.policy_passes, s.policy_learning_rate)

    def describe_decision(self) -> dict[str, Any]:
        return {**super().describe_decision(), "dynamic": bool(self.policy_on)}

    def _decided(self, probabilities: Tensor) -> Tensor:
        if not self.policy_on:
            return reaching(probabilities, self.threshold)
        return reaching(probabilities, self.policy(probabilities, self.threshold).mean[:, None])

    def _states(self, side: Represented) -> tuple[Tensor, Tensor]:
        """Padded token states and mask; with unit vectors, states of one norm whose entries are of the order of one."""
        if side.tokens is None:
            raise ValueError("token states are needed here, but were not kept")
        packed = side.tokens.take(side.token_rows)
        if self.settings.unit_vectors:
            packed = packed.with_values(math.sqrt(self.width) * F.normalize(packed.values, dim=-1))
        return packed.padded, packed.mask

    def _attention(self, logits: Tensor, mask: Tensor, dim: int) -> Tensor:
        if self.settings.unit_vectors:
            logits = logits * self.log_attention_scale.exp() / self.width
        return masked_softmax(logits.transpose(dim, -1), mask.transpose(dim, -1)).transpose(dim, -1)

"""LPN: label-enhanced prototypical network with contrastive learning (Liu et al., KDD 2022), in its three variants."""

from __future__ import annotations

from typing import ClassVar

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from fewaspect.core.settings import LPNSettings
from fewaspect.encoders.packed import PackedStates
from fewaspect.methods.base import Method, Representations, Scores, Task, shared_tokens
from fewaspect.modules.bilinear import LowRankBilinear
from fewaspect.modules.class_prototypes import class_means, label_enhanced_prototypes, squared_distances
from fewaspect.modules.count_head import CountHead
from fewaspect.modules.label_attention import LabelAttention
from fewaspect.modules.losses import class_cross_entropy, count_cross_entropy, supervised_contrastive
from fewaspect.modules.pooling import SelfAttentivePooling

ATTENTION_SCALE = 15.0  # norm of the token states in the label attention, if vectors are unit vectors


class LPN(Method):
    """LPN (w, w): label-enhanced prototypes and contrastive learning."""

    label_enhanced: ClassVar[bool] = True
    contrastive: ClassVar[bool] = True
    settings: LPNSettings

    def __init__(self, width: int, settings: LPNSettings, way: int, shot: int = 5) -> None:
        super().__init__(width, settings, way, shot)
        s = settings
        self.pooling = SelfAttentivePooling(
            width, s.pooling_hidden, s.pooling_heads, start=s.pooling_start, relu=s.pooling_relu, bias=s.layer_biases
        )
        self.count_head = CountHead(width, s.count_outputs or way, start=s.count_start)
        if s.unit_vectors:
            self.log_scale = nn.Parameter(torch.tensor(s.scale).log())
        if self.label_enhanced:
            self.bilinear = LowRankBilinear(width, s.rank, s.method_dropout, bias=s.layer_biases)
            if s.label_share > 0:
                self.label_logit = nn.Parameter(torch.logit(torch.tensor(s.label_share)))
        if self.contrastive:
            self.label_attention = LabelAttention(
                width, start=s.attention_start, scaled=s.attention_scaled, dropout=s.method_dropout
            )

    def represent(self, tokens: PackedStates) -> Representations:
        return Representations(torch.cat([self.pooling(*self._padded(run)) for run in tokens.runs]), tokens)

    def score(self, task: Task) -> Scores:
        prototypes = self.prototypes(task)
        queries = self._unit(task.queries.vectors)
        logits = -squared_distances(queries, prototypes)  # (Q, N)
        if self.settings.unit_vectors:
            logits = logits * self.log_scale.exp()
        return Scores(logits, self.count_head(task.queries.vectors), prototypes)

    def prototypes(self, task: Task) -> Tensor:
        """(N, d); with `label_share`, mixed with the label text at a learned weight."""
        support, labels = self._unit(task.support.vectors), self._unit(task.labels.vectors)
        if not self.label_enhanced:
            return self._unit(class_means(support, task.membership))
        prototypes = label_enhanced_prototypes(support, self.bilinear(support, labels), task.membership)
        if self.settings.label_share > 0:
            share = torch.sigmoid(self.label_logit)
            prototypes = (1 - share) * prototypes + share * labels
        return self._unit(prototypes)

    def losses(self, task: Task, scores: Scores, support_labels: Tensor, query_labels: Tensor) -> dict[str, Tensor]:
        s = self.settings
        some = query_labels.any(dim=1)  # queries with none of the classes have no target
        parts = {
            "class": class_cross_entropy(scores.logits[some], query_labels[some], mean_over_classes=s.mean_over_classes)
        }
        if self.contrastive:
            tokens, rows = shared_tokens(task.support, task.queries)
            z = self._label_specific(task, scores, tokens)  # (B, N, d)
            sentence, label = torch.cat([support_labels, query_labels]).nonzero(as_tuple=True)
            parts["contrastive"] = s.contrastive_weight * supervised_contrastive(
                z[rows[sentence], label], label, s.contrastive_temperature,
                normalise=s.contrastive_normalise, positives_plus_one=s.positives_plus_one,
            )  # fmt: skip
        support_counts = self.count_head(task.support.vectors)
        assert scores.count_logits is not None
        parts["count"] = s.count_weight * count_cross_entropy(
            torch.cat([support_counts, scores.count_logits]), torch.cat([support_labels, query_labels]).sum(dim=1)
        )
        return parts

    def evidence(self, task: Task, scores: Scores) -> Tensor:
        """(Q, N, T) contribution of each token of each query to the logit of each class, relative to all classes' mean.

        Exact but for the norm: given its attention, the pooling is linear in the token states, and so are the
        differences of squared distances.
        """
        if self.settings.pooling_relu:
            raise ValueError("a ReLU in the pooling makes the share of a single token undefined")
        assert scores.prototypes is not None
        tokens, rows = shared_tokens(task.queries)
        H, mask = self._padded(tokens.take(rows))
        directions = scores.prototypes - scores.prototypes.mean(dim=0)  # (N, d)
        return self.pooling.token_shares(H, mask, 2 * directions)

    def _label_specific(self, task: Task, scores: Scores, tokens: PackedStates) -> Tensor:
        """(B, N, d) label-specific embeddings (paper, eqs. 10-11)."""
        assert scores.prototypes is not None
        if self.settings.unit_vectors:
            tokens = tokens.with_values(ATTENTION_SCALE * F.normalize(tokens.values, dim=-1))
        labels = self._unit(task.labels.vectors)
        parts = [self.label_attention(scores.prototypes, labels, *self._padded(run)) for run in tokens.runs]
        return torch.cat(parts)

    def _padded(self, tokens: PackedStates) -> tuple[Tensor, Tensor]:
        """(B, T, d) token states and (B, T) mask, extended to `unmasked_length`."""
        H, mask = tokens.padded, tokens.mask
        extra = self.settings.unmasked_length - H.shape[1]
        if extra > 0:
            H, mask = F.pad(H, (0, 0, 0, extra)), F.pad(mask, (0, extra))
        if self.settings.unmasked_length:
            mask = mask | (torch.arange(mask.shape[1], device=mask.device) < self.settings.unmasked_length)
        return H, mask

    def _unit(self, vectors: Tensor) -> Tensor:
        return F.normalize(vectors, dim=-1) if self.settings.unit_vectors else vectors


class LPNWithoutContrast(LPN):
    """LPN (w, o): label-enhanced prototypes, no contrastive learning."""

    contrastive = False


class LPNPlain(LPN):
    """LPN (o, o): mean prototypes, no contrastive learning."""

    label_enhanced = False
    contrastive = False

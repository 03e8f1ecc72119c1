"""LPN+, our own: a sentence is compared with an aspect as a whole, and as the aspect sees it.

LPN (Liu et al., KDD 2022) computes label-specific embeddings for its contrastive loss only, and counts aspects without
knowing which ones the episode has. Here the label-specific embeddings score, against the aspect's own sentences and
against those of the others, and the count sees the scores.
"""

from __future__ import annotations

from typing import NamedTuple

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from fewaspect.encoders.packed import PackedStates
from fewaspect.methods.base import Method, Represented, Scores, Task, shared_tokens
from fewaspect.modules.count_head import top_classes
from fewaspect.modules.pooling import masked_softmax
from fewaspect.modules.ridge import ridge_directions
from fewaspect.modules.score_count import ScoreCount
from fewaspect.settings import LPNPlusSettings


class _Look(NamedTuple):
    """What the classes see: each query (Q, N, d), their own shots and label text (N, d), and what sets these apart."""

    queries: Tensor
    seen: Tensor
    directions: Tensor


class LPNPlus(Method):
    """Prototypes blended with the label text, label-specific embeddings that score, a count that sees the scores."""

    settings: LPNPlusSettings
    scores_with_tokens = True

    def __init__(self, width: int, settings: LPNPlusSettings, way: int, shot: int = 5) -> None:
        super().__init__(width, settings, way, shot)
        s = settings
        self.log_scale = nn.Parameter(torch.tensor(s.scale).log())
        self.log_attention = nn.Parameter(torch.tensor(s.attention_scale).log())
        self.seen_logit = nn.Parameter(torch.logit(torch.tensor(s.seen_share)))
        one, five = torch.logit(torch.tensor(s.label_share_one)), torch.logit(torch.tensor(s.label_share_five))
        self.label_logit = nn.Parameter(one)
        self.label_slope = nn.Parameter((five - one) / torch.tensor(5.0).log())
        self.count = ScoreCount(s.most_aspects, s.count_hidden)

    def represent(self, tokens: PackedStates) -> Represented:
        return Represented(F.normalize(tokens.padded.sum(dim=1), dim=-1), tokens)

    def score(self, task: Task) -> Scores:
        """Each class looks twice: with its prototype, then with what its shots' own words turned out to be.

        The encoder learns from the first look's cosines alone: a loss that the second look and its directions have
        already made small teaches less.
        """
        shots = task.membership.sum(dim=0)  # (N,)
        weights = task.membership / shots.clamp(min=1e-9)  # (S, N)
        prototypes = self._blend(weights.T @ task.support.vectors, task.labels.vectors, shots)  # (N, d)
        first = self._look(prototypes, task, weights)
        with torch.no_grad():
            again = F.normalize(first.seen + F.normalize(first.directions, dim=-1), dim=-1)
            second = self._look(again, task, weights)
        share = torch.sigmoid(self.seen_logit)
        whole = (1 - share) * task.queries.vectors @ prototypes.T  # (Q, N)
        learned = whole + share * _each(first.queries, first.seen)
        towards = share * second.seen + self.settings.ridge_weight * second.directions
        scores = (whole + _each(second.queries, towards)).detach()
        scale = self.log_scale.exp()
        return Scores(scale * scores, self.count(scores, shots), prototypes, learned_logits=scale * learned)

    def _look(self, looking: Tensor, task: Task, weights: Tensor) -> _Look:
        """What each class sees of all sentences, looking for words near its vector (N, d)."""
        z = self.seen(looking, task.support, task.queries)  # (S + Q, N, d)
        supports, queries = z[: len(task.support)], z[len(task.support) :]
        means = torch.einsum("sn,snd->nd", weights, supports)
        seen = self._blend(means, task.labels.vectors, task.membership.sum(dim=0))
        with torch.no_grad():
            directions = self.directions(supports, task)
        return _Look(queries, seen, directions)

    def directions(self, supports: Tensor, task: Task) -> Tensor:
        """(N, d) what tells each class's shots from the others' as the class sees them; label texts are shots too."""
        labels, N = task.labels.vectors, len(task.labels)
        texts = torch.eye(N, dtype=labels.dtype, device=labels.device)
        own = task.membership.to(labels)  # (S, N)
        sentence = task.support.vectors.unique(dim=0, return_inverse=True)[1]  # a shot of two classes may have two rows
        shared = (sentence[:, None] == sentence).to(labels) @ own > 0
        others = torch.where(shared, 0.0, own.sum(dim=1, keepdim=True))
        return ridge_directions(
            torch.cat([supports.transpose(0, 1), labels.expand(N, N, -1)], dim=1),  # (N, S + N, d)
            torch.cat([own.T, texts], dim=1), torch.cat([others.T, 1 - texts], dim=1), self.settings.ridge_strength,
        )  # fmt: skip

    def seen(self, looking: Tensor, *sides: Represented) -> Tensor:
        """z, each sentence as each class sees it that looks for words near its vector: (B, N, d) unit vectors."""
        tokens, rows = shared_tokens(*sides)
        distinct, places = rows.unique(return_inverse=True)
        own = tokens.take(distinct)
        similar = looking @ F.normalize(own.padded, dim=-1).transpose(1, 2)  # (B, N, T)
        attention = masked_softmax(self.log_attention.exp() * similar, own.mask[:, None, :])
        return F.normalize(attention @ own.padded, dim=-1)[places]

    def losses(self, task: Task, scores: Scores, support_labels: Tensor, query_labels: Tensor) -> dict[str, Tensor]:
        assert scores.count_logits is not None
        assert scores.learned_logits is not None
        counts = query_labels.sum(dim=1).clamp(max=self.settings.most_aspects)
        return {
            "class": carried_against_others(scores.learned_logits, query_labels),
            "count": self.settings.count_weight * F.nll_loss(scores.count_logits, counts),
        }

    def decide(self, scores: Scores) -> Tensor:
        """The likeliest count, which may be 0, of best classes."""
        assert scores.count_logits is not None
        return top_classes(scores.logits, scores.count_logits.argmax(dim=-1))

    def _blend(self, means: Tensor, labels: Tensor, shots: Tensor) -> Tensor:
        """Unit vectors between the shots' mean and the label text, which counts the less the more shots there are."""
        share = torch.sigmoid(self.label_logit + self.label_slope * shots.clamp(min=1).log())[:, None]
        share = torch.where(shots[:, None] > 0, share, torch.ones_like(share))
        return F.normalize((1 - share) * F.normalize(means, dim=-1) + share * labels, dim=-1)


def _each(sentences: Tensor, classes: Tensor) -> Tensor:
    """(Q, N) product of what each class sees of each sentence, (Q, N, d), with the class's own vector, (N, d)."""
    return torch.einsum("qnd,nd->qn", sentences, classes)


def carried_against_others(logits: Tensor, carried: Tensor) -> Tensor:
    """Mean over queries of the sum of -log p over their classes, each class against those the query does not carry."""
    others = logits.masked_fill(carried, -torch.inf).logsumexp(dim=-1, keepdim=True)  # (Q, 1)
    each = torch.logaddexp(logits, others) - logits  # 0 where a query carries everything
    some = carried.any(dim=1)
    return (each * carried).sum() / some.sum().clamp(min=1)

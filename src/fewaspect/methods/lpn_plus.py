"""LPN+, our own: a sentence is compared with an aspect as a whole, and as the aspect sees it.

LPN (Liu et al., KDD 2022) computes label-specific embeddings for its contrastive loss only, and counts aspects without
knowing which ones the episode has. Here the label-specific embeddings score, against the aspect's own sentences and
against those of the others, and the count sees the scores.
"""

from __future__ import annotations

import dataclasses
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


class Aspects(NamedTuple):
    """What the support sentences and label texts of N classes come to; queries need nothing else of them."""

    prototypes: Tensor  # (N, d) shots blended with the label text
    first: Tensor  # (N, d) its shots as the class sees them when it looks with its prototype, blended likewise
    looking: Tensor  # (N, d) what it looks with the second time
    seen: Tensor  # (N, d) its shots as it sees them then
    directions: Tensor  # (N, d) what sets them apart from those of the other classes
    shots: Tensor  # (N,)


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

    def learn(
        self, support: Represented, membership: Tensor, labels: Represented, *, none: Tensor | None = None,
        prototypes: Tensor | None = None, most_others: int | None = None,
    ) -> Aspects:  # fmt: skip
        """Each class looks twice: with its prototype, then with what its shots' own words turned out to be.

        `none`, (S,): how much each row counts against all classes. With more than `most_others` rows in all, each class
        is told apart from the nearest `most_others` only: memory grows with the classes, not with their square.
        """
        shots = membership.sum(dim=0)  # (N,)
        weights = membership / shots.clamp(min=1e-9)  # (S, N)
        if prototypes is None:
            prototypes = self.prototypes(support, membership, labels)  # (N, d)
        own = membership.to(labels.vectors)
        others = against(support, own, none)
        near: list[tuple[Tensor, Tensor]] | None = None
        if most_others is not None and len(support) + len(labels) > most_others:
            near = nearest_rows(prototypes, support, own, others, labels, most_others)

        def look(looking: Tensor) -> tuple[Tensor, Tensor]:
            if near is not None:
                means, directions = self._look_at(near, looking, support, own, others, labels)
                return self._blend(means, labels.vectors, shots), directions
            z = self.seen(looking, support)  # (S, N, d)
            with torch.no_grad():
                directions = self.directions(z, own, others, labels.vectors)
            return self._blend(torch.einsum("sn,snd->nd", weights, z), labels.vectors, shots), directions

        first, directions = look(prototypes)
        with torch.no_grad():
            looking = F.normalize(first + F.normalize(directions, dim=-1), dim=-1)
            seen, directions = look(looking)
        return Aspects(prototypes, first, looking, seen, directions, shots)

    def prototypes(self, support: Represented, membership: Tensor, labels: Represented) -> Tensor:
        """(N, d) shots blended with the label text; each class's depends on nothing of the others."""
        shots = membership.sum(dim=0)
        weights = membership / shots.clamp(min=1e-9)  # (S, N)
        return self._blend(weights.T @ support.vectors, labels.vectors, shots)

    def compare(self, aspects: Aspects, queries: Represented) -> Scores:
        """Queries against classes learned before."""
        with torch.no_grad():
            z = self.seen(aspects.looking, queries)  # (Q, N, d)
            together = self._together(queries.vectors @ aspects.prototypes.T, _each(z, aspects.seen))
            scores = together + self.settings.ridge_weight * _each(z, aspects.directions)
        return Scores(self.log_scale.exp() * scores, self.count(scores, aspects.shots), aspects.prototypes)

    def score(self, task: Task) -> Scores:
        """The encoder learns from the first look: a loss that the second one has already made small teaches less."""
        aspects = self.learn(task.support, task.membership, task.labels)
        scores = self.compare(aspects, task.queries)
        seen = _each(self.seen(aspects.prototypes, task.queries), aspects.first)  # (Q, N)
        learned = self._together(task.queries.vectors @ aspects.prototypes.T, seen)
        return dataclasses.replace(scores, learned_logits=self.log_scale.exp() * learned)

    def directions(self, z: Tensor, own: Tensor, others: Tensor, labels: Tensor) -> Tensor:
        """(N, d) what tells each class's shots from the others' as the class sees them; label texts are shots too."""
        N = len(labels)
        texts = torch.eye(N, dtype=labels.dtype, device=labels.device)
        return ridge_directions(
            torch.cat([z.transpose(0, 1), labels.expand(N, N, -1)], dim=1),  # (N, S + N, d)
            torch.cat([own.T, texts], dim=1), torch.cat([others.T, 1 - texts], dim=1), self.settings.ridge_strength,
        )  # fmt: skip

    def _look_at(
        self, near: list[tuple[Tensor, Tensor]], looking: Tensor, support: Represented, own: Tensor, others: Tensor,
        labels: Represented,
    ) -> tuple[Tensor, Tensor]:  # fmt: skip
        """The shots' means and the directions, class by class from the rows near it, nothing of size (S, N, d)."""
        means, directions = [], []
        for n, (rows, texts) in enumerate(near):
            z = self.seen(looking[n : n + 1], support.take(rows)).squeeze(1)  # (rows, d)
            weight, mine = own[rows, n], (texts == n).to(own)
            means.append(weight @ z / weight.sum().clamp(min=1e-9))
            directions.append(ridge_directions(
                torch.cat([z, labels.vectors[texts]])[None], torch.cat([weight, mine])[None],
                torch.cat([others[rows, n], 1 - mine])[None], self.settings.ridge_strength,
            ))  # fmt: skip
        return torch.stack(means), torch.cat(directions)

    def evidence(self, aspects: Aspects, queries: Represented) -> Tensor:
        """(Q, N, T) what each token adds to each logit: given the attention and the norms, they are sums over tokens."""
        tokens, rows = shared_tokens(queries)
        own = tokens.take(rows)
        H, mask = own.padded, own.mask[:, None, :]
        attention = self.attention(aspects.looking, own)  # (Q, N, T)
        share = torch.sigmoid(self.seen_logit)
        whole = H @ aspects.prototypes.T / H.sum(dim=1).norm(dim=-1).clamp(min=1e-12)[:, None, None]  # (Q, T, N)
        towards = share * aspects.seen + self.settings.ridge_weight * aspects.directions  # (N, d)
        norms = (attention @ H).norm(dim=-1, keepdim=True).clamp(min=1e-12)  # (Q, N, 1)
        seen = attention * (towards @ H.transpose(1, 2)) / norms
        return self.log_scale.exp() * ((1 - share) * whole.transpose(1, 2) + seen) * mask

    def seen(self, looking: Tensor, sentences: Represented) -> Tensor:
        """z, each sentence as each class sees it that looks for words near its vector: (B, N, d) unit vectors."""
        tokens, rows = shared_tokens(sentences)
        distinct, places = rows.unique(return_inverse=True)
        own = tokens.take(distinct)
        return F.normalize(self.attention(looking, own) @ own.padded, dim=-1)[places]

    def attention(self, looking: Tensor, tokens: PackedStates) -> Tensor:
        """(B, N, T) how much each class attends to each token."""
        similar = looking @ F.normalize(tokens.padded, dim=-1).transpose(1, 2)
        return masked_softmax(self.log_attention.exp() * similar, tokens.mask[:, None, :])

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

    def _together(self, whole: Tensor, seen: Tensor) -> Tensor:
        """(Q, N) cosine of the whole sentences and of what the classes see of them, in the learned proportion."""
        share = torch.sigmoid(self.seen_logit)
        return (1 - share) * whole + share * seen

    def _blend(self, means: Tensor, labels: Tensor, shots: Tensor) -> Tensor:
        """Unit vectors between the shots' mean and the label text, which counts the less the more shots there are."""
        share = torch.sigmoid(self.label_logit + self.label_slope * shots.clamp(min=1).log())[:, None]
        share = torch.where(shots[:, None] > 0, share, torch.ones_like(share))
        return F.normalize((1 - share) * F.normalize(means, dim=-1) + share * labels, dim=-1)


def _each(sentences: Tensor, classes: Tensor) -> Tensor:
    """(Q, N) product of what each class sees of each sentence, (Q, N, d), with the class's own vector, (N, d)."""
    return torch.einsum("qnd,nd->qn", sentences, classes)


def against(support: Represented, own: Tensor, none: Tensor | None = None) -> Tensor:
    """(S, N) how much each row counts against each class: not at all if its sentence is a shot of the class."""
    sentence = support.vectors.unique(dim=0, return_inverse=True)[1]  # a shot of two classes may have two rows
    shared = torch.zeros_like(own).index_add(0, sentence, own)[sentence] > 0
    weight = own.sum(dim=1) if none is None else own.sum(dim=1) + none.to(own)
    return torch.where(shared, 0.0, weight[:, None])


def nearest_rows(
    prototypes: Tensor, support: Represented, own: Tensor, others: Tensor, labels: Represented, most: int
) -> list[tuple[Tensor, Tensor]]:
    """For each class its own support rows and label text, and of all others the `most` nearest to its prototype."""
    S, N = own.shape
    similar = torch.cat([support.vectors, labels.vectors]) @ prototypes.T  # (S + N, N)
    mine = torch.cat([own, torch.eye(N, dtype=own.dtype, device=own.device)]) > 0
    theirs = torch.cat([others > 0, ~mine[S:]])
    nearest = similar.masked_fill(~theirs, -torch.inf).topk(min(most, S + N), dim=0).indices  # (most, N)
    chosen = mine | theirs & torch.zeros_like(theirs).scatter(0, nearest, True)
    return [(column[:S].nonzero().squeeze(1), column[S:].nonzero().squeeze(1)) for column in chosen.T]


def carried_against_others(logits: Tensor, carried: Tensor) -> Tensor:
    """Mean over queries of the sum of -log p over their classes, each class against those the query does not carry."""
    others = logits.masked_fill(carried, -torch.inf).logsumexp(dim=-1, keepdim=True)  # (Q, 1)
    each = torch.logaddexp(logits, others) - logits  # 0 where a query carries everything
    some = carried.any(dim=1)
    return (each * carried).sum() / some.sum().clamp(min=1)

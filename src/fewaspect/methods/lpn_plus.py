"""LPN+, our own: a sentence is compared with an aspect as a whole, and as the aspect sees it.

LPN (Liu et al., KDD 2022) computes label-specific embeddings for its contrastive loss only, and counts aspects without
knowing which ones the episode has. Here the label-specific embeddings score, against the aspect's own sentences and
against those of the others, and the count sees the scores.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor, nn

from fewaspect.core.settings import LPNPlusSettings
from fewaspect.encoders.packed import PackedStates
from fewaspect.methods.base import Episodes, Method, Representations, Scores, Task, shared_tokens
from fewaspect.methods.support_words import against, nearest_of, no_words, without_names, word_list
from fewaspect.modules.pooling import masked_softmax
from fewaspect.modules.ridge import ridge_directions
from fewaspect.modules.score_count import ScoreCount

AT_ONCE = 1 << 24  # cosines of words at a time
THRESHOLDS = np.linspace(0.6, 0.1, 51)


class Aspects(NamedTuple):
    """What the support sentences and label texts of N classes come to; queries need nothing else of them."""

    prototypes: Tensor  # (N, d) shots blended with the label text
    first: Tensor  # (N, d) its shots as the class sees them when it looks with its prototype, blended likewise
    looking: Tensor  # (N, d) what it looks with the last time
    seen: Tensor  # (N, d) its shots as it sees them then
    directions: Tensor  # (N, d) what sets them apart from those of the other classes
    shots: Tensor  # (N,)
    words: Tensor  # (words, d) tokens of all shots and label texts, one after the other, as unit vectors
    lengths: Tensor  # (M,) how many of them each of these has
    own: Tensor  # (M, N) bool, whether they are words of the class
    others: Tensor  # (M, N) bool, or words of others


class Parts(NamedTuple):
    """What a score is made of, each (Q, N) and on the scale of cosines."""

    whole: Tensor  # cosine of the whole sentence with the prototype
    seen: Tensor  # of the sentence as the class sees it with its shots as it sees them
    apart: Tensor  # along what sets these apart from the shots of other classes
    word: Tensor  # how much nearer its best word is to a word of the class than to any of the others


class LPNPlus(Method):
    """Prototypes blended with the label text, label-specific embeddings that score, a count that sees the scores."""

    settings: LPNPlusSettings
    threshold: Tensor
    scores_with_tokens = True
    tunes_decision = True

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
        self.register_buffer("threshold", torch.tensor(0.5))

    def represent(self, tokens: PackedStates) -> Representations:
        return Representations(F.normalize(torch.cat([run.padded.sum(dim=1) for run in tokens.runs]), dim=-1), tokens)

    def learn(self, support: Representations, membership: Tensor, labels: Representations) -> Aspects:
        """Each class looks twice: with its prototype, then with what its shots' own words turned out to be."""
        shots = membership.sum(dim=0)  # (N,)
        weights = membership / shots.clamp(min=1e-9)  # (S, N)
        prototypes = self.prototypes(support, membership, labels)  # (N, d)
        own = membership.to(labels.vectors)
        others = against(support, own)

        def look(looking: Tensor) -> tuple[Tensor, Tensor]:
            z = self.seen(looking, support)  # (S, N, d)
            with torch.no_grad():
                directions = self.directions(z, own, others, labels.vectors)
            return self._blend(torch.einsum("sn,snd->nd", weights, z), labels.vectors, shots), directions

        first, directions = look(prototypes)
        looking, seen = prototypes, first
        with torch.no_grad():
            for _ in range(self.settings.looks - 1):
                looking = F.normalize(seen + F.normalize(directions, dim=-1), dim=-1)
                seen, directions = look(looking)
        words = word_list(support, own, others, labels) if self.settings.word_weight else no_words(seen, len(shots))
        return Aspects(prototypes, first, looking, seen, directions, shots, *words)

    def prototypes(self, support: Representations, membership: Tensor, labels: Representations) -> Tensor:
        """(N, d) shots blended with the label text; each class's depends on nothing of the others."""
        shots = membership.sum(dim=0)
        weights = membership / shots.clamp(min=1e-9)  # (S, N)
        return self._blend(weights.T @ support.vectors, labels.vectors, shots)

    @torch.no_grad()
    def parts(self, aspects: Aspects, queries: Representations) -> Parts:
        """Queries against classes learned before, in every respect."""
        z = self.seen(aspects.looking, queries)  # (Q, N, d)
        whole = queries.vectors @ aspects.prototypes.T
        word = self.words(aspects, queries).amax(dim=-1) if self.settings.word_weight else torch.zeros_like(whole)
        return Parts(whole, _each(z, aspects.seen), _each(z, aspects.directions), word)

    @torch.no_grad()
    def together(self, parts: Parts) -> Tensor:
        """(Q, N) scores on the scale of cosines."""
        s = self.settings
        return self._cosines(parts.whole, parts.seen) + s.ridge_weight * parts.apart + s.word_weight * parts.word

    def compare(self, aspects: Aspects, queries: Representations) -> Scores:
        """Queries against classes learned before."""
        scores = self.together(self.parts(aspects, queries))
        return Scores(self.log_scale.exp() * scores, prototypes=aspects.prototypes, shots=aspects.shots)

    def score(self, task: Task) -> Scores:
        """The encoder learns from the first look: a loss that the next one has already made small teaches less."""
        labels = task.labels
        if self.training and self.settings.nameless:
            hidden = torch.rand(len(labels), device=labels.vectors.device) < self.settings.nameless
            labels = without_names(task.support, task.membership, labels, hidden)
        aspects = self.learn(task.support, task.membership, labels)
        scores = self.compare(aspects, task.queries)
        seen = _each(self.seen(aspects.prototypes, task.queries), aspects.first)  # (Q, N)
        learned = self._cosines(task.queries.vectors @ aspects.prototypes.T, seen)
        return dataclasses.replace(scores, learned_logits=self.log_scale.exp() * learned)

    def directions(self, z: Tensor, own: Tensor, others: Tensor, labels: Tensor) -> Tensor:
        """(N, d) what tells each class's shots from the others' as the class sees them; label texts are shots too."""
        N = len(labels)
        texts = torch.eye(N, dtype=labels.dtype, device=labels.device)
        return ridge_directions(
            torch.cat([z.transpose(0, 1), labels.expand(N, N, -1)], dim=1),  # (N, S + N, d)
            torch.cat([own.T, texts], dim=1), torch.cat([others.T, 1 - texts], dim=1), self.settings.ridge_strength,
        )  # fmt: skip

    def seen(self, looking: Tensor, sentences: Representations) -> Tensor:
        """z, each sentence as each class sees it that looks for words near its vector: (B, N, d) unit vectors."""
        tokens, rows = shared_tokens(sentences)
        distinct, places = rows.unique(return_inverse=True)
        own = tokens if len(distinct) == len(tokens) else tokens.take(distinct)  # sorted: all of them, in order
        seen = [self.attention(looking, run) @ run.padded for run in own.runs]
        return F.normalize(torch.cat(seen), dim=-1)[places]

    def words(self, aspects: Aspects, sentences: Representations) -> Tensor:
        """(B, N, T) how much nearer each token is to a word of the class than to any of the others; padding: -inf."""
        tokens, rows = shared_tokens(sentences)
        distinct, places = rows.unique(return_inverse=True)
        own = tokens.take(distinct)
        found, lengths = [], aspects.lengths.tolist()
        for H in F.normalize(own.values, dim=-1).split(max(1, AT_ONCE // max(1, len(aspects.words)))):
            near = [part.amax(dim=0) for part in (aspects.words @ H.T).split(lengths)]
            nearest = torch.stack(near) if near else H.new_zeros(0, len(H))  # (M, tokens)
            found.append(nearest_of(nearest, aspects.own) - nearest_of(nearest, aspects.others))
        apart = own.with_values(torch.cat(found)).padded.transpose(1, 2)  # (B, N, T)
        return apart.masked_fill(~own.mask[:, None, :], -torch.inf)[places]

    def attention(self, looking: Tensor, tokens: PackedStates) -> Tensor:
        """(B, N, T) how much each class attends to each token."""
        similar = looking @ F.normalize(tokens.padded, dim=-1).transpose(1, 2)
        return masked_softmax(self.log_attention.exp() * similar, tokens.mask[:, None, :])

    def losses(self, task: Task, scores: Scores, support_labels: Tensor, query_labels: Tensor) -> dict[str, Tensor]:
        """Which classes a query carries; with `across` also which queries carry a class, those of none among them."""
        logits, across = scores.learned_logits, self.settings.across
        assert logits is not None
        losses = {"class": carried_against_others(logits, query_labels)}
        return losses | ({"query": across * carried_against_others(logits.T, query_labels.T)} if across else {})

    def probabilities(self, scores: Scores) -> Tensor:
        """Which class it is, and whether so many are carried: the geometric mean of share and count."""
        return (torch.softmax(scores.logits, dim=-1) * self.carried(scores)).sqrt()

    @torch.no_grad()
    def carried(self, scores: Scores) -> Tensor:
        """(Q, N) the probability that the query carries so many classes that this one, by its rank, is among them."""
        assert scores.shots is not None
        at_least = self.count(scores.logits / self.log_scale.exp(), scores.shots)  # (Q, R)
        rank = scores.logits.argsort(dim=-1, descending=True, stable=True).argsort(dim=-1)
        return at_least.gather(1, rank.clamp(max=at_least.shape[1] - 1)).masked_fill(rank >= at_least.shape[1], 0.0)

    def decide(self, scores: Scores) -> Tensor:
        """The best classes, as many as are likely enough to be carried together; it may be none."""
        return self.carried(scores) >= self.threshold

    def tune(self, results: Sequence[Scores], truth: Episodes, value: Callable[[Episodes], float]) -> None:
        """The count is fitted to the episodes, and then how likely is likely enough."""
        scale = self.log_scale.exp()
        episodes = []
        for result, labels in zip(results, truth, strict=True):
            assert result.shots is not None
            counts = torch.from_numpy(labels.sum(axis=1)).to(scale.device)
            episodes.append((result.logits / scale, result.shots, counts))
        self.count.fit(episodes)
        carried = [self.carried(result).cpu().numpy() for result in results]
        values = [value([episode >= t for episode in carried]) for t in THRESHOLDS]
        self.threshold.fill_(float(THRESHOLDS[int(np.argmax(values))]))

    def describe_decision(self) -> dict[str, Any]:
        return {"rule": "count", "threshold": float(self.threshold)}

    def _cosines(self, whole: Tensor, seen: Tensor) -> Tensor:
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


def carried_against_others(logits: Tensor, carried: Tensor) -> Tensor:
    """Mean over queries of the sum of -log p over their classes, each class against those the query does not carry."""
    others = logits.masked_fill(carried, -torch.inf).logsumexp(dim=-1, keepdim=True)  # (Q, 1)
    each = torch.logaddexp(logits, others) - logits  # 0 where a query carries everything
    some = carried.any(dim=1)
    return (each * carried).sum() / some.sum().clamp(min=1)

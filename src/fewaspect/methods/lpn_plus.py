"""LPN+, our own: a sentence is compared with an aspect as a whole, and as the aspect attends to it.

LPN (Liu et al., KDD 2022) computes label-specific embeddings for its contrastive loss only, and counts aspects without
knowing which ones the episode has. Here the label-specific embeddings score, against the aspect's own sentences and
against those of the others, and the count sees the scores.

Torch holds what is differentiated, the first attention step. Scores are those of `fewaspect.detector.scoring`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor, nn

from fewaspect.core.settings import LPNPlusSettings
from fewaspect.detector.scoring import LPNPlusScorer, SupportSet, centring_share
from fewaspect.encoders.packed import PackedStates
from fewaspect.inference.encoded import Sentences
from fewaspect.methods.base import Episodes, Method, Representations, Scores, Task, shared_tokens
from fewaspect.modules.pooling import masked_softmax
from fewaspect.modules.score_count import ScoreCount

THRESHOLDS = np.linspace(0.6, 0.1, 51)


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
        self.attended_logit = nn.Parameter(torch.logit(torch.tensor(s.attended_weight)))
        one, five = torch.logit(torch.tensor(s.label_share_one)), torch.logit(torch.tensor(s.label_share_five))
        self.label_logit = nn.Parameter(one)
        self.label_slope = nn.Parameter((five - one) / torch.tensor(5.0).log())
        self.count = ScoreCount(s.max_count, s.count_hidden)
        self.register_buffer("threshold", torch.tensor(0.5))
        self.register_load_state_dict_pre_hook(_rename_of_version_0_1)

    def represent(self, tokens: PackedStates) -> Representations:
        return Representations(F.normalize(torch.cat([run.padded.sum(dim=1) for run in tokens.runs]), dim=-1), tokens)

    @property
    def scorer(self) -> LPNPlusScorer:
        """The learned numbers as the numpy core takes them."""
        names = ("log_attention", "attended_logit", "label_logit", "label_slope")
        return LPNPlusScorer.of({f"method.{name}": _array(getattr(self, name)) for name in names}, self.settings)

    def score(self, task: Task) -> Scores:
        """Logits of all steps; in training those of the first one, which alone the encoder learns from: a loss that the
        next step has already made small teaches less."""
        task = self.centred(task) if self.settings.centred else task
        if self.training:
            task = self._with_hidden_names(task)
            logits = self.learned_logits(task)
            return Scores(logits, prototypes=self.prototypes(task), shots=_shots(task), learned_logits=logits)
        prototypes, scorer = self.prototypes(task), self.scorer
        fitted = scorer.fit(support_set(task), _array(prototypes))
        scores = scorer.combine_scores(scorer.components(fitted, sentences_of(task.queries)))
        logits = self.log_scale.exp() * torch.from_numpy(scores).to(prototypes)
        return Scores(logits, prototypes=prototypes, shots=_shots(task))

    def prototypes(self, task: Task) -> Tensor:
        """(N, d) shots blended with the label text; each class's depends on nothing of the others."""
        means = task.membership.T.to(task.support.vectors) @ task.support.vectors
        return self._blend(means, task)

    def centred(self, task: Task) -> Task:
        """All token states without their mean over the support, which says what all of its sentences are about."""
        sides = (task.support, task.labels, task.queries)
        tokens, rows = shared_tokens(*sides)
        distinct, places = rows.unique(return_inverse=True)
        own = tokens.take(distinct)
        support, labels, queries = places.split([len(side) for side in sides])
        examples = own.take(support.unique())
        mean = centring_share(len(examples)) * examples.values.mean(dim=0)
        every = self.represent(own.with_values(own.values - mean))
        return Task(every.take(support), task.membership, every.take(labels), every.take(queries))

    def learned_logits(self, task: Task) -> Tensor:
        """(Q, N) of the first attention step: cosines of whole sentences and of attended ones, at the learned scale."""
        prototypes = self.prototypes(task)
        attended = self.attended(prototypes, task.support)  # (S, N, d)
        attended_prototypes = self._blend(torch.einsum("sn,snd->nd", task.membership.to(attended), attended), task)
        similar = torch.einsum("qnd,nd->qn", self.attended(prototypes, task.queries), attended_prototypes)
        weight = torch.sigmoid(self.attended_logit)
        return self.log_scale.exp() * ((1 - weight) * (task.queries.vectors @ prototypes.T) + weight * similar)

    def attended(self, attention_queries: Tensor, sentences: Representations) -> Tensor:
        """z, each sentence as each class attends to its tokens: (B, N, d) unit vectors."""
        tokens, rows = shared_tokens(sentences)
        distinct, places = rows.unique(return_inverse=True)
        own = tokens if len(distinct) == len(tokens) else tokens.take(distinct)  # sorted: all of them, in order
        means = [self.attention(attention_queries, run) @ run.padded for run in own.runs]
        return F.normalize(torch.cat(means), dim=-1)[places]

    def attention(self, attention_queries: Tensor, tokens: PackedStates) -> Tensor:
        """(B, N, T) how much each class attends to each token."""
        similar = attention_queries @ F.normalize(tokens.padded, dim=-1).transpose(1, 2)
        return masked_softmax(self.log_attention.exp() * similar, tokens.mask[:, None, :])

    def losses(self, task: Task, scores: Scores, support_labels: Tensor, query_labels: Tensor) -> dict[str, Tensor]:
        """Which classes a query carries; with `query_contrast` also which queries carry a class, those of none too."""
        logits = self.learned_logits(task) if scores.learned_logits is None else scores.learned_logits
        losses = {"class": positives_against_negatives(logits, query_labels)}
        if weight := self.settings.query_contrast:
            losses["query"] = weight * positives_against_negatives(logits.T, query_labels.T)
        return losses

    def probabilities(self, scores: Scores) -> Tensor:
        """Which class it is, and whether so many are carried: the geometric mean of share and count."""
        return (torch.softmax(scores.logits, dim=-1) * self.count_probabilities(scores)).sqrt()

    @torch.no_grad()
    def count_probabilities(self, scores: Scores) -> Tensor:
        """(Q, N) the probability that the query carries so many classes that this one, by its rank, is among them."""
        assert scores.shots is not None
        at_least = self.count(scores.logits / self.log_scale.exp(), scores.shots)  # (Q, R)
        rank = scores.logits.argsort(dim=-1, descending=True, stable=True).argsort(dim=-1)
        return at_least.gather(1, rank.clamp(max=at_least.shape[1] - 1)).masked_fill(rank >= at_least.shape[1], 0.0)

    def decide(self, scores: Scores) -> Tensor:
        """The best classes, as many as are likely enough to be carried together; it may be none."""
        return self.count_probabilities(scores) >= self.threshold

    def tune(self, results: Sequence[Scores], truth: Episodes, value: Callable[[Episodes], float]) -> None:
        """The count is fitted to the episodes, and then how likely is likely enough."""
        scale = self.log_scale.exp()
        episodes = []
        for result, labels in zip(results, truth, strict=True):
            assert result.shots is not None
            counts = torch.from_numpy(labels.sum(axis=1)).to(scale.device)
            episodes.append((result.logits / scale, result.shots, counts))
        self.count.fit(episodes)
        probabilities = [self.count_probabilities(result).cpu().numpy() for result in results]
        values = [value([episode >= t for episode in probabilities]) for t in THRESHOLDS]
        self.threshold.fill_(float(THRESHOLDS[int(np.argmax(values))]))

    def describe_decision(self) -> dict[str, Any]:
        return {"rule": "count", "threshold": float(self.threshold)}

    def _with_hidden_names(self, task: Task) -> Task:
        """Some classes as if they had no name, by `unnamed_rate`."""
        if not self.settings.unnamed_rate:
            return task
        hidden = torch.rand(len(task.labels), device=task.labels.vectors.device) < self.settings.unnamed_rate
        return replace(task, labels=without_names(task.support, task.membership, task.labels, hidden))

    def _blend(self, means: Tensor, task: Task) -> Tensor:
        """(N, d) between the shots' mean and the label text, whose share falls with the number of shots."""
        shots = _shots(task)
        share = torch.sigmoid(self.label_logit + self.label_slope * shots.clamp(min=1).log())[:, None]
        share = torch.where(shots[:, None] > 0, share, torch.ones_like(share))
        return F.normalize((1 - share) * F.normalize(means, dim=-1) + share * task.labels.vectors, dim=-1)


def support_set(task: Task) -> SupportSet:
    """Support sentences and label texts in numpy; label texts may come without tokens."""
    examples, membership = sentences_of(task.support), _array(task.membership)
    ids: dict[bytes, int] = {}  # a shot of two classes may have two rows
    duplicate_ids = np.array([ids.setdefault(row.tobytes(), len(ids)) for row in examples.vectors], dtype=np.int64)
    none, names = np.zeros(len(examples), dtype=examples.vectors.dtype), _array(task.labels.vectors)
    no_tokens = Sentences(names, examples.tokens[:0], np.zeros(len(names), dtype=np.int64))
    tokens = no_tokens if task.labels.tokens is None else sentences_of(task.labels)
    return SupportSet(examples, duplicate_ids, membership.astype(none.dtype), none, names, tokens)


def sentences_of(side: Representations) -> Sentences:
    """These sentences, and no others that share their tensor, in numpy."""
    tokens, rows = shared_tokens(side)
    own = tokens.take(rows)
    return Sentences(_array(side.vectors), _array(own.values), _array(own.lengths))


def without_names(
    support: Representations, membership: Tensor, labels: Representations, hidden: Tensor
) -> Representations:
    """Label texts, with the mean of its shots in the place of those that are hidden, (N,) bool."""
    means = F.normalize(membership.T.to(support.vectors) @ support.vectors, dim=-1)
    return Representations(torch.where(hidden[:, None], means, labels.vectors), labels.tokens, labels.token_rows)


def positives_against_negatives(logits: Tensor, labels: Tensor) -> Tensor:
    """Mean over queries of the sum of -log p over their classes, each class against those the query does not carry.

    `logits` and `labels` (boolean) are (Q, N).
    """
    negatives = logits.masked_fill(labels, -torch.inf).logsumexp(dim=-1, keepdim=True)  # (Q, 1)
    each = torch.logaddexp(logits, negatives) - logits  # 0 where a query carries everything
    some = labels.any(dim=1)
    return (each * labels).sum() / some.sum().clamp(min=1)


def _shots(task: Task) -> Tensor:
    """(N,)."""
    return task.membership.sum(dim=0)


def _array(tensor: Tensor) -> np.ndarray:
    array: np.ndarray = tensor.detach().cpu().numpy()
    return array


def _rename_of_version_0_1(module: nn.Module, state: dict[str, Tensor], prefix: str, *_: Any) -> None:
    """Version 0.1 called the weight of the attended similarity "seen_logit"."""
    if f"{prefix}seen_logit" in state:
        state[f"{prefix}attended_logit"] = state.pop(f"{prefix}seen_logit")

"""The dense layers of the multilingual encoder, trained with LPN+ on episodes of label sets in many languages. All that
is below them is frozen, so that an episode costs a fraction of a second on one core."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor, nn

from fewaspect.core.settings import LPNPlusSettings
from fewaspect.data.corpus import CorpusSampler
from fewaspect.detector.scoring import LPNPlusScorer
from fewaspect.encoders.packed import PackedStates
from fewaspect.inference.universal_encoder import WIDTH, window_sums
from fewaspect.methods.few_shot_model import build_task
from fewaspect.methods.lpn_plus import LPNPlus
from fewaspect.methods.prepared import episode_tensors
from multilingual_features import FeatureSet

EPISODES = {"way": (6, 12), "shot": (1, 5), "queries": 2, "none_rate": 0.2, "aspect_weight": 3.0}
MOST_TOKENS = 64
METHOD_RATE, WARMUP, LAST_RATE = 2e-3, 50, 0.02


@dataclass(frozen=True)
class HeadPlan:
    """How the head is trained, and how states are made; chosen on the validation sets."""

    steps: int = 600
    learning_rate: float = 2e-4
    window: int = 5
    sentence_share: float = 0.3
    other_languages: float = 0.4  # share of their episodes
    pretrained_share: float = 0.0  # of the published weights in the result
    seed: int = 0


class Head(nn.Module):
    """The dense layers of `fewaspect.inference.universal_encoder`, to be differentiated."""

    def __init__(self, weights: Mapping[str, np.ndarray], plan: HeadPlan) -> None:
        super().__init__()
        self.weights = nn.ParameterDict({name: nn.Parameter(torch.tensor(value)) for name, value in weights.items()})
        self.window, self.sentence_share = plan.window, plan.sentence_share

    def forward(self, features: Sequence[np.ndarray]) -> PackedStates:
        """The states of sentences of (T, d) features each."""
        flat, lengths = np.concatenate(features).astype(np.float32), np.array([len(part) for part in features])
        sums = np.add.reduceat(flat, np.cumsum(lengths) - lengths, axis=0) / np.sqrt(lengths)[:, None]
        rows = np.concatenate([window_sums(flat, lengths, self.window), sums]).astype(np.float32)
        vectors = F.normalize(self.dense(torch.from_numpy(rows)), dim=-1)
        counts = torch.from_numpy(lengths)
        sentences = vectors[len(flat) :].repeat_interleave(counts, dim=0)
        share = self.sentence_share
        return PackedStates((1 - share) * vectors[: len(flat)] + share * sentences, counts)

    def dense(self, sums: Tensor) -> Tensor:
        w = self.weights
        second = F.relu(sums @ w["p1"] + F.relu(sums @ w["d0"]) @ w["d1"])
        return torch.tanh(second @ w["p3"] + F.relu(second @ w["d2"]) @ w["d3"])


def train_head(
    sets: Sequence[FeatureSet], weights: Mapping[str, np.ndarray], settings: LPNPlusSettings, plan: HeadPlan,
    on_step: Callable[[int, float], None] = lambda step, loss: None,
) -> tuple[dict[str, np.ndarray], LPNPlusScorer]:  # fmt: skip
    """The trained layers and the numbers of LPN+."""
    torch.manual_seed(plan.seed)
    sampler = balanced_sampler(sets, plan)
    by_name = {one.about.name: one for one in sets}
    own = [by_name[one.name] for one in sampler.sets]
    texts = list(chain.from_iterable(map(text_features, own)))
    of_text = [one for one in own for _ in one.lengths]
    labels = {one.about.name: label_features(one) for one in own}
    head, method = Head(weights, plan), LPNPlus(WIDTH, settings, way=12).train()
    optimiser = torch.optim.AdamW(
        [{"params": head.parameters(), "lr": plan.learning_rate}, {"params": method.parameters(), "lr": METHOD_RATE}],
        weight_decay=0.0,
    )
    rate = torch.optim.lr_scheduler.LambdaLR(
        optimiser, lambda step: min(1.0, (step + 1) / WARMUP) * max(LAST_RATE, 1 - step / plan.steps)
    )
    for step in range(plan.steps):
        episode = sampler.episode(step)
        named = labels[of_text[int(episode.support[0])].about.name]
        read = [texts[i] for i in episode.support] + [named[name] for name in episode.classes]
        read += [texts[i] for i in episode.queries]
        tensors = episode_tensors(episode, np.arange(len(read)))
        task = build_task(method.represent(head(read)), tensors)
        losses = method.losses(task, method.score(task), tensors.support_labels, tensors.query_labels)
        loss = torch.stack(list(losses.values())).sum()
        optimiser.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(head.parameters(), 1.0)
        optimiser.step()
        rate.step()
        on_step(step, loss.item())
    share = plan.pretrained_share
    trained = {name: share * weights[name] + (1 - share) * w.detach().numpy() for name, w in head.weights.items()}
    return trained, method.scorer


def balanced_sampler(sets: Sequence[FeatureSet], plan: HeadPlan) -> CorpusSampler:
    """So many episodes in other languages as the plan says."""
    known, shares = [one.about for one in sets], {}
    other = {one.about.name for one in sets if one.language != "en"}
    drawn = CorpusSampler(known, **EPISODES, seed=plan.seed).chances
    if total := sum(chance for name, chance in drawn.items() if name in other):
        shares = {name: plan.other_languages * chance / total for name, chance in drawn.items() if name in other}
    return CorpusSampler(known, **EPISODES, seed=plan.seed, shares=shares)


def text_features(one: FeatureSet) -> list[np.ndarray]:
    """(T, d) of each text."""
    return [part[:MOST_TOKENS] for part in np.split(one.features, np.cumsum(one.lengths)[:-1])]


def label_features(one: FeatureSet) -> dict[str, np.ndarray]:
    """(T, d) by label."""
    parts = np.split(one.label_features, np.cumsum(one.label_lengths)[:-1])
    return dict(zip(one.about.sentences.classes, parts, strict=True))

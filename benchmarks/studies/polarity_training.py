"""How the branch for sentiment is trained: on sentences, and on sentences of different polarity joined into one."""

from __future__ import annotations

import random
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor

from fewaspect.data.labels import describe_aspect
from fewaspect.data.polarity import MIXED, POLARITIES, PolarSentence
from fewaspect.modules.polarity_branch import PolarityBranch
from fewaspect.text.tokenization import SentenceTokeniser, length_batches, padded_ids

CONNECTORS = (
    ", but ", " but ", ". ", "; ", ", although ", " and ", ", while ", ", however ", ", and ", " though ", ", ",
)  # fmt: skip
MOST_TOKENS = 80
MOST_JOINED_WORDS = 24  # of either part
MOST_ASPECTS = 3  # of a sentence in a batch
CONTRAST_REPEATS = 2  # further times that a sentence with both polarities is read
POSITIVE_SHARE = 0.7  # of sentences that are positive about all their aspects
TARGETS = {**{name: np.eye(3)[n] for n, name in enumerate(POLARITIES)}, MIXED: np.array([0.5, 0.0, 0.5])}


AVERAGE = 0.99  # of the weights before, in the moving average that is kept
WARM_UP = 100  # steps
REPORT = 100


@dataclass(frozen=True)
class TrainingPlan:
    """`start`: the layer above which the branch begins; `answer_layers`: how many of its last layers are computed for
    the label alone; `joined_share`: sentences made of two, for each one of a set; `neutral_repeats`: further times that
    a sentence with a neutral aspect is read; `tokens`: of the sentences of a batch, padding included."""

    start: int
    epochs: int
    joined_share: float
    learning_rate: float = 1.5e-4
    head_rate: float = 1e-3
    tokens: int = 1024
    answer_layers: int = 1
    neutral_repeats: int = 0
    most_steps: int | None = None  # batches; None: all


class Pair(NamedTuple):
    """An aspect of the sentence at a place in its batch."""

    sentence: int
    label: str
    polarity: str


class LowerLayers:
    """Token states of texts after the first layers of a BERT, which stay as they are."""

    def __init__(self, bert: Any, layers: int, tokeniser: SentenceTokeniser) -> None:
        self.bert, self.layers, self.tokeniser = bert, layers, tokeniser

    @torch.no_grad()
    def __call__(self, ids: Sequence[Sequence[int]]) -> tuple[Tensor, Tensor]:
        """(B, T, d) states and (B, T) mask."""
        rows, mask = (torch.from_numpy(part).long() for part in padded_ids(ids, 0))
        states = self.bert.embeddings(rows)
        additive = torch.zeros(mask.shape).masked_fill(mask == 0, float("-inf"))[:, None, None, :]
        for layer in self.bert.encoder.layer[: self.layers]:
            states = layer(states, attention_mask=additive)
            states = states[0] if isinstance(states, tuple) else states
        return states, mask.float()

    def labels(self, texts: Sequence[str]) -> dict[str, Tensor]:
        """(L, d) of each label text, read alone, special tokens left out."""
        ids = self.tokeniser.ids(texts)
        return {text: self([own])[0][0, 1:-1] for text, own in zip(texts, ids, strict=True)}


def label_text(name: str) -> str:
    return describe_aspect(name) or name


def epoch_sentences(
    sets: Mapping[str, Sequence[PolarSentence]], plan: TrainingPlan, rng: random.Random
) -> list[PolarSentence]:
    """All sentences in random order, those with both polarities more often, and pairs of sentences joined into one."""
    found = []
    for rows in sets.values():
        rows = [row for row in rows if row.polarities]
        for row in rows:
            if set(row.polarities.values()) == {"positive"} and rng.random() > POSITIVE_SHARE:
                continue
            neutral = "neutral" in row.polarities.values()
            found += [row] * (1 + CONTRAST_REPEATS * row.contrasting + plan.neutral_repeats * neutral)
        short = by_polarity([row for row in rows if len(row.text.split()) <= MOST_JOINED_WORDS])
        found += [join for _ in range(round(plan.joined_share * len(rows))) if (join := joined(short, rng))]
    rng.shuffle(found)
    return found


def joined(groups: Mapping[str, Sequence[PolarSentence]], rng: random.Random) -> PolarSentence | None:
    """Two sentences of different polarity about different aspects as one; None if they are hard to find."""
    for _ in range(20 if len(groups) > 1 else 0):
        one, other = (rng.choice(groups[polarity]) for polarity in rng.sample(sorted(groups), 2))
        if {label_text(name) for name in one.polarities}.isdisjoint(map(label_text, other.polarities)):
            text = one.text.rstrip(" .!") + rng.choice(CONNECTORS) + other.text[:1].lower() + other.text[1:]
            return PolarSentence(text, {**one.polarities, **other.polarities})
    return None


def by_polarity(rows: Sequence[PolarSentence]) -> dict[str, list[PolarSentence]]:
    """Sentences of one polarity only."""
    groups: dict[str, list[PolarSentence]] = {}
    for row in rows:
        if len(own := set(row.polarities.values())) == 1:
            groups.setdefault(own.pop(), []).append(row)
    return groups


def batches(
    sentences: Sequence[PolarSentence], tokeniser: SentenceTokeniser, tokens: int, rng: random.Random
) -> list[tuple[list[list[int]], list[Pair]]]:
    """Token ids of some sentences of similar length, and their pairs of label and polarity."""
    whole = tokeniser.ids([sentence.text for sentence in sentences])
    ids = [own[: MOST_TOKENS - 1] + own[-1:] if len(own) > MOST_TOKENS else own for own in whole]
    found = []
    for batch in length_batches([len(own) for own in ids], tokens):
        pairs = []
        for place, index in enumerate(batch.tolist()):
            own = list(sentences[index].polarities.items())
            pairs += [
                Pair(place, label_text(name), polarity)
                for name, polarity in rng.sample(own, min(len(own), MOST_ASPECTS))
            ]
        found.append(([ids[index] for index in batch], pairs))
    rng.shuffle(found)
    return found


def pair_inputs(
    lower: LowerLayers, labels: Mapping[str, Tensor], ids: Sequence[Sequence[int]], pairs: Sequence[Pair]
) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """What the branch reads for the pairs of a batch."""
    states, mask = lower(ids)
    rows = torch.tensor([pair.sentence for pair in pairs])
    own = [labels[pair.label] for pair in pairs]
    label = torch.nn.utils.rnn.pad_sequence(own, batch_first=True)
    label_mask = (torch.arange(label.shape[1]) < torch.tensor([len(one) for one in own])[:, None]).float()
    return label, label_mask, states[rows], mask[rows]


def loss_of(logits: Tensor, pairs: Sequence[Pair]) -> Tensor:
    """Cross entropy; a mixed pair is half negative, half positive."""
    targets = torch.from_numpy(np.stack([TARGETS[pair.polarity] for pair in pairs])).float()
    return -(targets * F.log_softmax(logits, dim=1)).sum(dim=1).mean()


def train_branch(
    branch: PolarityBranch, lower: LowerLayers, sets: Mapping[str, Sequence[PolarSentence]], plan: TrainingPlan,
    rng: random.Random,
) -> PolarityBranch:  # fmt: skip
    """The moving average of the weights of a branch that is trained by the plan, in bfloat16 where that is safe."""
    labels = lower.labels(
        sorted({label_text(name) for rows in sets.values() for row in rows for name in row.polarities})
    )
    steps = [
        step
        for _ in range(plan.epochs)
        for step in batches(epoch_sentences(sets, plan, rng), lower.tokeniser, plan.tokens, rng)
    ]
    steps = steps[: plan.most_steps]
    layers = [value for name, value in branch.named_parameters() if not name.startswith("head")]
    optimiser = torch.optim.AdamW(
        [{"params": layers, "lr": plan.learning_rate}, {"params": branch.head.parameters(), "lr": plan.head_rate}],
        weight_decay=0.01,
    )
    schedule = torch.optim.lr_scheduler.LambdaLR(
        optimiser, lambda step: min(1, (step + 1) / WARM_UP) * max(0.01, 1 - step / len(steps))
    )
    average = torch.optim.swa_utils.get_ema_multi_avg_fn(AVERAGE)
    mean = torch.optim.swa_utils.AveragedModel(branch.train(), multi_avg_fn=average)
    started, total = time.perf_counter(), 0.0
    for step, (ids, pairs) in enumerate(steps, start=1):
        with torch.autocast("cpu", dtype=torch.bfloat16):
            logits = branch(*pair_inputs(lower, labels, ids, pairs))
        loss = loss_of(logits.float(), pairs)
        optimiser.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(branch.parameters(), 1.0)
        optimiser.step()
        schedule.step()
        mean.update_parameters(branch)
        total += loss.item()
        if step % REPORT == 0:
            print(
                f"{step} of {len(steps)}: loss {total / REPORT:.3f}, {time.perf_counter() - started:.0f} s", flush=True
            )
            total = 0.0
    return mean.module


@torch.no_grad()
def branch_logits(branch: PolarityBranch, lower: LowerLayers, sentences: Sequence[PolarSentence]) -> np.ndarray:
    """(pairs, 3) of all aspects of the sentences, in their order."""
    branch.eval()
    labels = lower.labels(sorted({label_text(name) for row in sentences for name in row.polarities}))
    first = np.cumsum([0, *(len(row.polarities) for row in sentences)])
    logits = np.zeros((first[-1], 3), dtype=np.float32)
    ids = lower.tokeniser.ids([row.text for row in sentences])
    for batch in length_batches([len(own) for own in ids], 1024):
        pairs, places = [], []
        for place, index in enumerate(batch.tolist()):
            for n, (name, polarity) in enumerate(sentences[index].polarities.items()):
                pairs.append(Pair(place, label_text(name), polarity))
                places.append(first[index] + n)
        if pairs:
            logits[places] = branch(*pair_inputs(lower, labels, [ids[i] for i in batch], pairs)).numpy()
    return logits

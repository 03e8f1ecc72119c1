"""How the branch for sentiment is trained, above what the exported encoder gives as it serves."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor

from fewaspect.inference.encoder import OnnxTextEncoder
from fewaspect.inference.sentiment_branch import SentimentBranch
from fewaspect.modules.polarity_branch import PolarityBranch
from fewaspect.text.tokenization import length_batches
from fewaspect.training.sentiment_export import Pairs
from polarity.epoch import EpochPlan, epoch_examples
from polarity.examples import Example
from polarity.steps import Steps, soft_loss

MOST_TOKENS = 80


@dataclass(frozen=True)
class BranchPlan(EpochPlan):
    """`layers`: of MiniLM, as which it begins; `answer_layers`: of them, in which a label attends to the sentence."""

    joined_share: float = 0.8
    epochs: int = 1
    layers: tuple[int, ...] = (2, 3, 4, 5)
    answer_layers: int = 2
    learning_rate: float = 2e-4
    head_rate: float = 1e-3


class LowerLayers:
    """States of texts as the exported encoder gives them: those of its lower layer, then those of its last."""

    def __init__(self, encoder: OnnxTextEncoder) -> None:
        self.encoder, self.tokeniser = encoder, encoder.tokeniser
        self.known: dict[str, Tensor] = {}

    def __call__(self, ids: Sequence[Sequence[int]]) -> tuple[Tensor, Tensor]:
        """(B, T, 2d) states and (B, T) mask."""
        last, lower = self.encoder.shared_states(ids)
        states = [torch.from_numpy(np.concatenate(own, axis=1)) for own in zip(lower, last, strict=True)]
        lengths = torch.tensor([len(own) for own in states])
        padded = torch.nn.utils.rnn.pad_sequence(states, batch_first=True)
        return padded, torch.arange(padded.shape[1]) < lengths[:, None]

    def label(self, text: str) -> Tensor:
        """(2d,): the mean of the label's tokens, read alone, special tokens left out."""
        if text not in self.known:
            self.known[text] = self(self.tokeniser.ids([text]))[0][0, 1:-1].mean(dim=0)
        return self.known[text]

    def pairs(self, example: Example) -> Pairs:
        """A sentence and its labels, as the exported branch reads them."""
        ids = self.tokeniser.ids([example.text])
        last, lower = self.encoder.shared_states(ids)
        labels = [self.label(name).numpy() for name in example.targets]
        return [(lower[0], last[0])], [tuple(np.split(own, 2)) for own in labels], [0] * len(labels)


class Batch(NamedTuple):
    """Token ids of some sentences of similar length, and their aspects."""

    ids: list[list[int]]
    rows: list[int]  # of each aspect: its sentence
    labels: list[str]
    targets: np.ndarray  # (aspects, 3)
    places: list[int]  # of each aspect: its number in the order of the examples


def batches(examples: Sequence[Example], lower: LowerLayers, tokens: int) -> list[Batch]:
    whole = lower.tokeniser.ids([example.text for example in examples])
    ids = [own[: MOST_TOKENS - 1] + own[-1:] if len(own) > MOST_TOKENS else own for own in whole]
    first = np.cumsum([0, *(len(example.targets) for example in examples)])
    found = []
    for group in length_batches([len(own) for own in ids], tokens):
        own = [
            (row, name, target, first[index] + n)
            for row, index in enumerate(group.tolist())
            for n, (name, target) in enumerate(examples[index].targets.items())
        ]
        rows, labels, targets, places = zip(*own, strict=True)
        found.append(Batch([ids[i] for i in group], list(rows), list(labels), np.stack(targets), list(places)))
    return found


def logits_of(branch: PolarityBranch, lower: LowerLayers, batch: Batch) -> Tensor:
    """(aspects, 3)."""
    states, mask = lower(batch.ids)
    labels = torch.stack([lower.label(text) for text in batch.labels])
    return branch(states, mask, labels, torch.tensor(batch.rows)).float()


def train_branch(
    branch: PolarityBranch, lower: LowerLayers, sets: Mapping[str, Sequence[Example]], plan: BranchPlan, seed: int = 0
) -> None:
    """By the plan, in bfloat16 where that is safe; the moving average of the weights stays."""
    rng, work = random.Random(seed), []
    for _ in range(plan.epochs):
        examples = epoch_examples(sets, plan, rng)
        work += rng.sample(own := batches(examples, lower, plan.tokens), len(own))
    steps = Steps(branch, len(work), plan.learning_rate, plan.head_rate)
    for batch in work:
        with torch.autocast("cpu", dtype=torch.bfloat16):
            logits = logits_of(branch, lower, batch)
        targets = torch.from_numpy(batch.targets).float()
        steps.take(soft_loss(logits, targets))
    steps.average()


@torch.inference_mode()
def branch_logits(branch: PolarityBranch, lower: LowerLayers, examples: Sequence[Example]) -> np.ndarray:
    """(pairs, 3) of all aspects of the examples, in their order."""
    branch.eval()
    logits = np.zeros((sum(len(example.targets) for example in examples), 3), dtype=np.float32)
    for batch in batches(examples, lower, 2048):
        logits[batch.places] = logits_of(branch, lower, batch).numpy()
    return logits


def exported_logits(lower: LowerLayers, branch: SentimentBranch, examples: Sequence[Example]) -> np.ndarray:
    """As `branch_logits`, of the branch as it serves."""
    return np.concatenate([branch.logits(*lower.pairs(example)) for example in examples])


def some_pairs(lower: LowerLayers, sets: Mapping[str, Sequence[Example]], count: int) -> list[Pairs]:
    """Of sentences of all sets."""
    rng = random.Random(1)
    return [lower.pairs(rng.choice(sets[name])) for name in rng.choices(sorted(sets), k=count)]

"""The teacher of the branch for sentiment: a larger encoder that reads a sentence with all of its aspects at once."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor, nn

from fewaspect.text.tokenization import length_batches, padded_ids
from polarity.epoch import EpochPlan, epoch_examples
from polarity.examples import Example
from polarity.steps import Steps, soft_loss

MOST_TOKENS, MOST_LABEL_TOKENS, MOST_ASPECTS = 96, 8, 6
CLASSES = 3


@dataclass(frozen=True)
class TeacherPlan(EpochPlan):
    """`frozen`: layers that stay as they are."""

    joined_share: float = 0.5
    tokens: int = 1536
    frozen: int = 6
    learning_rate: float = 6e-5
    head_rate: float = 1e-3


class Teacher(nn.Module):
    """`<s> sentence </s> aspect </s> aspect </s>`; the mean of an aspect's tokens gives its polarity."""

    def __init__(self, folder: Path, frozen: int) -> None:
        super().__init__()
        from transformers import AutoModel, AutoTokenizer

        self.encoder: Any = AutoModel.from_pretrained(folder, add_pooling_layer=False)
        self.tokenizer: Any = AutoTokenizer.from_pretrained(folder)
        self.head = nn.Linear(self.encoder.config.hidden_size, CLASSES)
        inner = self.encoder.encoder
        self.frozen = [self.encoder.embeddings, inner.relative_attention_bias, *inner.layer[:frozen]]
        for part in self.frozen:
            part.requires_grad_(False)

    @classmethod
    def of(cls, folder: Path, frozen: int, trained: Mapping[str, np.ndarray]) -> Teacher:
        """With what was trained of it."""
        teacher = cls(folder, frozen)
        arrays = {name: torch.from_numpy(value.copy()) for name, value in trained.items()}
        assert not teacher.load_state_dict(arrays, strict=False).unexpected_keys
        return teacher.eval()

    def trained_arrays(self) -> dict[str, np.ndarray]:
        return {name: value.detach().numpy() for name, value in self.named_parameters() if value.requires_grad}

    def train(self, mode: bool = True) -> Teacher:
        """Frozen layers have no dropout."""
        super().train(mode)
        for part in self.frozen:
            part.eval()
        return self

    def ids(self, text: str, labels: Sequence[str]) -> tuple[list[int], list[tuple[int, int]]]:
        """Token ids, and where the tokens of each label are."""
        first, *rest = self.tokenizer([text, *labels], add_special_tokens=False)["input_ids"]
        start, end = self.tokenizer.cls_token_id, self.tokenizer.sep_token_id
        row, places = [start, *first[: MOST_TOKENS - 2], end], []
        for label in rest:
            places.append((len(row), len(row) + len(label[:MOST_LABEL_TOKENS])))
            row += [*label[:MOST_LABEL_TOKENS], end]
        return row, places

    def forward(self, rows: Sequence[Sequence[int]], places: Sequence[tuple[int, int, int]]) -> Tensor:
        """(aspects, 3) logits."""
        ids, mask = (torch.from_numpy(part).long() for part in padded_ids(rows, self.tokenizer.pad_token_id))
        states = self.encoder(ids, attention_mask=mask).last_hidden_state  # (B, T, d)
        pooled = torch.stack([states[row, first:end].float().mean(dim=0) for row, first, end in places])
        return self.head(F.dropout(pooled, 0.1, self.training))


@dataclass(frozen=True)
class Batch:
    rows: list[list[int]]
    places: list[tuple[int, int, int]]
    targets: np.ndarray  # (aspects, 3)
    numbers: list[tuple[int, str]]  # of each aspect: its example and its label


def batches(teacher: Teacher, examples: Sequence[Example], tokens: int, rng: random.Random) -> list[Batch]:
    """Examples of similar length, their aspects in random order, in parts if there are many."""
    parts = []
    for number, example in enumerate(examples):
        names = rng.sample(sorted(example.targets), len(example.targets))
        parts += [(number, names[n : n + MOST_ASPECTS]) for n in range(0, len(names), MOST_ASPECTS)]
    read = [teacher.ids(examples[number].text, names) for number, names in parts]
    found = []
    for group in length_batches([len(row) for row, _ in read], tokens):
        own = [
            (place, parts[index][0], name, where)
            for place, index in enumerate(group.tolist())
            for name, where in zip(parts[index][1], read[index][1], strict=True)
        ]
        found.append(Batch(
            [read[index][0] for index in group], [(place, *where) for place, _, _, where in own],
            np.stack([examples[number].targets[name] for _, number, name, _ in own]),
            [(number, name) for _, number, name, _ in own],
        ))  # fmt: skip
    rng.shuffle(found)
    return found


def train_teacher(folder: Path, sets: Mapping[str, Sequence[Example]], plan: TeacherPlan) -> Teacher:
    """The moving average of the weights."""
    torch.manual_seed(0)
    rng = random.Random(0)
    teacher = Teacher(folder, plan.frozen)
    examples = epoch_examples(sets, plan, rng)
    work = batches(teacher, examples, plan.tokens, rng)
    steps = Steps(teacher, len(work), plan.learning_rate, plan.head_rate)
    for batch in work:
        with torch.autocast("cpu", dtype=torch.bfloat16):
            logits = teacher(batch.rows, batch.places)
        steps.take(soft_loss(logits.float(), torch.from_numpy(batch.targets).float()))
    steps.average()
    return teacher


@torch.inference_mode()
def teach(teacher: Teacher, examples: Sequence[Example]) -> list[Example]:
    """The same sentences with what the teacher says of their aspects."""
    teacher.eval()
    told: list[dict[str, np.ndarray]] = [{} for _ in examples]
    for batch in batches(teacher, examples, 2048, random.Random(0)):
        with torch.autocast("cpu", dtype=torch.bfloat16):
            shares = torch.softmax(teacher(batch.rows, batch.places).float(), dim=1).numpy()
        for (number, name), own in zip(batch.numbers, shares, strict=True):
            told[number][name] = own
    return [Example(example.text, own) for example, own in zip(examples, told, strict=True)]

"""A user's examples as support, sentences as queries: the aspects of each with probabilities and deciding words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch

from fewaspect.data.sentences import describe_aspect
from fewaspect.encoders.frozen import FrozenStates
from fewaspect.encoders.transformer import FrozenEncoder
from fewaspect.methods.base import Task
from fewaspect.methods.lpn import LPN
from fewaspect.training.run import load_run


@dataclass(frozen=True)
class Word:
    """A word as it was written, what stands before it, and the aspect it speaks for (an index), if any."""

    before: str
    text: str
    aspect: int | None = None


@dataclass(frozen=True)
class Tagged:
    """A sentence with its aspects (indices, best first), all class probabilities, and its words."""

    text: str
    aspects: tuple[int, ...]
    probabilities: tuple[float, ...]
    words: tuple[Word, ...]
    rest: str  # what stands behind the last word


@torch.inference_mode()
def tag(run: Path, examples: Mapping[str, Sequence[str]], texts: Sequence[str]) -> list[Tagged]:
    """Tag sentences with the aspects that a few examples each define; the run never saw them."""
    _, encoder, model = load_run(run, offline=True)
    assert isinstance(model.method, LPN)
    frozen = FrozenStates(encoder)
    shots = [(shot, column) for column, name in enumerate(examples) for shot in examples[name]]
    labels = [describe_aspect(name) for name in examples]
    handles = frozen.handles([*(shot for shot, _ in shots), *labels, *texts])
    device = next(model.parameters()).device
    represented = model.represent(frozen.gather(handles).to(device))
    S, N = len(shots), len(labels)
    membership = torch.zeros(S, N, device=device)
    membership[torch.arange(S), torch.tensor([column for _, column in shots])] = 1.0
    where = torch.arange(len(handles), device=device)
    task = Task(
        represented.take(where[:S]), membership, represented.take(where[S : S + N]), represented.take(where[S + N :])
    )
    scores = model.method.score(task)
    probabilities = torch.softmax(scores.logits, dim=-1).cpu().numpy()
    decided = model.method.decide(scores).cpu().numpy()
    evidence = model.method.evidence(task, scores).cpu().numpy()  # (Q, N, T)
    return [
        _tagged(text, encoder.frozen, probabilities[q], np.flatnonzero(decided[q]), evidence[q])
        for q, text in enumerate(texts)
    ]


def _tagged(
    text: str, encoder: FrozenEncoder, probabilities: np.ndarray, decided: np.ndarray, evidence: np.ndarray
) -> Tagged:
    aspects = tuple(int(i) for i in decided[np.argsort(-probabilities[decided])])
    spans, word_of_token = encoder.words(text)
    weights = np.zeros((len(spans), len(probabilities)))  # (words, N)
    for token, word in enumerate(word_of_token):
        if word is not None and any(map(str.isalnum, text[slice(*spans[word])])):  # punctuation decides nothing
            weights[word] += evidence[:, token]
    owner = _deciding_words(weights, aspects)
    words, end = [], 0
    for (start, stop), aspect in zip(spans, owner, strict=True):
        words.append(Word(text[end:start], text[start:stop], aspect))
        end = stop
    return Tagged(text, aspects, tuple(float(p) for p in probabilities), tuple(words), text[end:])


def _deciding_words(shares: np.ndarray, aspects: tuple[int, ...], at_least: float = 0.5) -> list[int | None]:
    """For each word the decided aspect that it adds most to, if that is at least half of what the best word adds."""
    owners: list[int | None] = [None] * len(shares)
    for word, row in enumerate(shares):
        strong = [i for i in aspects if row[i] > 0 and row[i] >= at_least * shares[:, i].max()]
        owners[word] = max(strong, key=lambda aspect: row[aspect], default=None)
    return owners

"""What a detector knows: the examples, each represented once, and the aspects that follow from them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor

from fewaspect.detector.examples import Examples
from fewaspect.detector.scorer import Scorer
from fewaspect.detector.splitting import fitting_spans
from fewaspect.encoders.packed import PackedStates
from fewaspect.methods.base import Represented
from fewaspect.methods.lpn_plus import Aspects

EXAMPLE_TOKENS = 4096  # per batch


@dataclass(frozen=True)
class Kept:
    """A text as it was represented; in pieces if it is longer than the encoder reads.

    Token states are kept in half precision, so that what is saved is exactly what was used.
    """

    vectors: Tensor  # (pieces, d)
    tokens: Tensor  # (tokens, d) half precision
    lengths: Tensor  # (pieces,)


@dataclass(frozen=True)
class Knowledge:
    """Examples, their representations by text, those of the label texts, and what is learned from them together."""

    examples: Examples
    kept: Mapping[str, Kept]
    labels: Mapping[str, Kept]  # by label text
    aspects: Aspects

    @cached_property
    def example_vectors(self) -> np.ndarray:
        """(S, d) one unit vector for each example."""
        if not self.kept:
            return np.zeros((0, self.aspects.prototypes.shape[1]), dtype=np.float32)
        return torch.stack([_mean(self.kept[text]) for text in self.examples.texts]).cpu().numpy()

    def without(self, scorer: Scorer, texts: Iterable[str]) -> Knowledge:
        """As if these examples had not been given."""
        gone = set(texts)
        left = {text: own for text, own in self.examples.sentences.items() if text not in gone}
        return learn(scorer, replace(self.examples, sentences=left), self)


def learn(scorer: Scorer, examples: Examples, before: Knowledge | None = None) -> Knowledge:
    """Knowledge of these examples; of what was known before, only what is new is represented."""
    label_texts = [text for text in map(examples.label_text, examples.names) if text]
    kept, labels = (dict(before.kept), dict(before.labels)) if before else ({}, {})
    new = [text for text in examples.texts if text not in kept]
    new_labels = [text for text in label_texts if text not in labels]
    represented = keep(scorer, [*new, *new_labels])
    kept.update((text, represented[text]) for text in new)
    labels.update((text, represented[text]) for text in new_labels)
    examples = examples.without_unreadable([text for text in new if not len(kept[text].lengths)])
    return assemble(
        scorer, examples, {text: kept[text] for text in examples.texts}, {text: labels[text] for text in label_texts}
    )


def assemble(scorer: Scorer, examples: Examples, kept: Mapping[str, Kept], labels: Mapping[str, Kept]) -> Knowledge:
    """All that follows from representations without reading any text."""
    parts = [kept[text] for text in examples.texts]
    pieces = torch.tensor([len(part.lengths) for part in parts], dtype=torch.int64)
    in_all = pieces.clamp(min=1)  # the pieces of a text count as one shot together
    membership = torch.from_numpy(examples.membership).float() / in_all[:, None]  # (texts, N)
    none = (membership.sum(dim=1) == 0).float() / in_all
    membership, none = (part.repeat_interleave(pieces, dim=0).to(scorer.device) for part in (membership, none))
    support = _together(parts, scorer)
    texts = [_label(labels.get(examples.label_text(name)), scorer) for name in examples.names]
    vectors, prototypes = [], []
    for n, text in enumerate(texts):
        own = membership[:, n].nonzero().squeeze(1)
        vectors.append(_label_vector(text, support.vectors[own]))
        prototypes.append(scorer.prototype(support.vectors[own], membership[own, n], vectors[-1]))
    tokens = PackedStates(
        torch.cat([text.tokens for text in texts]).float(),
        torch.stack([text.lengths.sum() for text in texts]),  # in one piece: only their words are looked up
    )
    label_texts = Represented(torch.stack(vectors), tokens)
    aspects = scorer.learn(support, membership, none, label_texts, torch.stack(prototypes))
    return Knowledge(examples, kept, labels, aspects)


def keep(scorer: Scorer, texts: Sequence[str]) -> dict[str, Kept]:
    """Each text represented once; one that is longer than the encoder reads, piece by piece."""
    spans = fitting_spans(texts, [[(0, len(text))] for text in texts], scorer.too_long)
    pieces = [text[start:end] for text, own in zip(texts, spans, strict=True) for start, end in own]
    vectors: dict[int, Tensor] = {}
    tokens: dict[int, Tensor] = {}
    for batch, represented in scorer.represent(pieces, EXAMPLE_TOKENS):
        assert represented.tokens is not None
        states = represented.tokens.values.split(represented.tokens.lengths.tolist())
        vectors.update(zip(batch.tolist(), represented.vectors, strict=True))
        tokens.update(zip(batch.tolist(), (part.half() for part in states), strict=True))
    kept, first = {}, 0
    for text, own in zip(texts, spans, strict=True):
        read = [piece for piece in range(first, first + len(own)) if piece in vectors]
        first += len(own)
        nothing = torch.zeros(0, scorer.encoder.width, device=scorer.device)
        kept[text] = Kept(
            torch.cat([nothing, *(vectors[piece][None] for piece in read)]),
            torch.cat([nothing.half(), *(tokens[piece] for piece in read)]),
            torch.tensor([len(tokens[piece]) for piece in read], dtype=torch.int64, device=scorer.device),
        )
    return kept


def _mean(kept: Kept) -> Tensor:
    """(d,) unit vector of all pieces; zeros where there are none."""
    return F.normalize(kept.vectors.sum(dim=0), dim=0)


def _label(known: Kept | None, scorer: Scorer) -> Kept:
    """Nothing at all where there is no label text."""
    return known or keep(scorer, [""])[""]


def _label_vector(text: Kept, shots: Tensor) -> Tensor:
    """The label text's vector; of an aspect without a name that says anything, the mean of its shots stands in."""
    return _mean(text) if len(text.lengths) else F.normalize(shots.sum(dim=0), dim=0)


def _together(parts: Sequence[Kept], scorer: Scorer) -> Represented:
    if not parts:
        empty = torch.zeros(0, scorer.encoder.width, device=scorer.device)
        return Represented(empty, PackedStates(empty, torch.zeros(0, dtype=torch.int64, device=scorer.device)))
    tokens = torch.cat([part.tokens for part in parts]).float()
    return Represented(
        torch.cat([part.vectors for part in parts]), PackedStates(tokens, torch.cat([part.lengths for part in parts]))
    )

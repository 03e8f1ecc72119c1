"""Whose shot a support sentence is and is not, and whose words they hold."""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor

from fewaspect.methods.base import Representations, shared_tokens

MOST_WORDY = 64  # shots of a class whose words are looked up


def against(support: Representations, own: Tensor) -> Tensor:
    """(S, N) how much each row counts against each class: not at all if its sentence is a shot of the class."""
    sentence = support.vectors.unique(dim=0, return_inverse=True)[1]  # a shot of two classes may have two rows
    shared = torch.zeros_like(own).index_add(0, sentence, own)[sentence] > 0
    return torch.where(shared, 0.0, own.sum(dim=1)[:, None])


def without_names(
    support: Representations, membership: Tensor, labels: Representations, hidden: Tensor
) -> Representations:
    """Label texts, with the mean of its shots in the place of those that are hidden, (N,) bool."""
    means = F.normalize(membership.T.to(support.vectors) @ support.vectors, dim=-1)
    return Representations(torch.where(hidden[:, None], means, labels.vectors), labels.tokens, labels.token_rows)


def no_words(like: Tensor, classes: int) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """A word list of nothing, for a method that looks at no words."""
    none = torch.zeros(0, classes, dtype=torch.bool, device=like.device)
    return like[:0], torch.zeros(0, dtype=torch.int64, device=like.device), none, none


def word_list(
    support: Representations, own: Tensor, others: Tensor, labels: Representations
) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """Tokens of support sentences and, where they are known, label texts; how many each has; whose they are and not.

    A class with very many shots gives the words of those nearest to their mean.
    """
    similar = support.vectors @ (own.T @ support.vectors).T  # (S, N)
    nearest = similar.masked_fill(own <= 0, -torch.inf).topk(min(MOST_WORDY, len(support)), dim=0).indices
    chosen = torch.zeros_like(own, dtype=torch.bool).scatter(0, nearest, True)
    rows = (own.sum(dim=1) <= 0) & (others > 0).any(dim=1) | (chosen & (own > 0)).any(dim=1)
    kept = support.take(rows.nonzero().squeeze(1))
    sides, mine, theirs = [kept], own[rows] > 0, others[rows] > 0
    if labels.tokens is not None:
        texts = torch.eye(len(labels), dtype=torch.bool, device=mine.device)
        sides, mine, theirs = [kept, labels], torch.cat([mine, texts]), torch.cat([theirs, ~texts])
    tokens, places = shared_tokens(*sides)
    words = tokens.take(places)
    some = words.lengths > 0
    return F.normalize(words.values.detach(), dim=-1), words.lengths[some], mine[some], theirs[some]


def nearest_of(near: Tensor, rows: Tensor) -> Tensor:
    """(T, N) cosine of the nearest word among the rows of each class, 0 where it has none; of (M, T) and (M, N)."""
    near, rows = F.pad(near, (0, 0, 0, 1)), F.pad(rows, (0, 0, 0, 1), value=True)
    return torch.stack([near[column].amax(dim=0) for column in rows.T], dim=1)

"""Whose words support sentences hold."""

from __future__ import annotations

import pytest
import torch

from examples import Example, built
from fewaspect.methods import support_words as supporting
from fewaspect.methods.base import Representations
from fewaspect.methods.support_words import against, nearest_of, without_names, word_list


def test_every_row_and_every_label_text_lists_its_words() -> None:
    example = Example(shots=(3, 2, 2))
    task = example.task(built("lpn-plus"))
    own = task.membership
    words, lengths, mine, theirs = word_list(task.support, own, against(task.support, own), task.labels)
    assert mine.shape == theirs.shape == (10, 3)
    assert torch.equal(mine[:7], own > 0)
    assert torch.equal(mine[7:], torch.eye(3, dtype=torch.bool))
    assert torch.equal(theirs, ~mine)
    assert lengths.tolist() == [*example.support.lengths.tolist(), *example.labels.lengths.tolist()]
    torch.testing.assert_close(words.norm(dim=-1), torch.ones(int(lengths.sum())).to(words))


def test_label_texts_without_tokens_give_no_words() -> None:
    task = Example(shots=(3, 2, 2)).task(built("lpn-plus"))
    own = task.membership
    _, lengths, mine, _ = word_list(task.support, own, against(task.support, own), Representations(task.labels.vectors))
    assert len(lengths) == len(mine) == 7


def test_of_very_many_shots_those_nearest_to_their_mean_give_the_words(monkeypatch: pytest.MonkeyPatch) -> None:
    task = Example(shots=(5, 1)).task(built("lpn-plus"))
    own = task.membership
    monkeypatch.setattr(supporting, "MOST_WORDY", 3)
    _, _, mine, _ = word_list(task.support, own, against(task.support, own), Representations(task.labels.vectors))
    assert mine.sum(dim=0).tolist() == [3, 1]


def test_a_class_without_rows_has_no_word_near() -> None:
    near = torch.tensor([[0.2], [0.9], [0.4]])  # three rows, one token
    rows = torch.tensor([[True, False], [False, False], [True, False]])
    assert nearest_of(near, rows).tolist() == [[0.4000000059604645, 0.0]]


def test_a_hidden_name_is_the_mean_of_the_shots_and_no_other_changes() -> None:
    task = Example(shots=(3, 2, 2)).task(built("lpn-plus"))
    labels = without_names(task.support, task.membership, task.labels, torch.tensor([True, False, False]))
    mean = task.support.vectors[:3].mean(dim=0)
    torch.testing.assert_close(labels.vectors[0], mean / mean.norm())
    assert torch.equal(labels.vectors[1:], task.labels.vectors[1:])

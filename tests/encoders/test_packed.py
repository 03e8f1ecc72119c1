"""Packed sentences behave like a list of arrays."""

from __future__ import annotations

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from fewaspect.encoders.packed import Layout, PackedStates, pad, unpad

LENGTHS = st.lists(st.integers(0, 5), min_size=1, max_size=6)
few = settings(max_examples=50, deadline=None)


def sentences_of(lengths: list[int], width: int = 2) -> list[torch.Tensor]:
    """States that tell which token of which sentence they are."""
    whole = torch.arange(1.0, 1 + sum(lengths) * width).view(-1, width)
    return list(whole.split(lengths))


def packed_of(sentences: list[torch.Tensor]) -> PackedStates:
    return PackedStates(torch.cat(sentences), torch.tensor([len(s) for s in sentences]))


def unpacked(packed: PackedStates) -> list[list[list[float]]]:
    return [part.tolist() for part in packed.values.split(packed.lengths.tolist())]


@few
@given(LENGTHS)
def test_the_padded_form_holds_each_sentence_from_the_left_and_zeros(lengths: list[int]) -> None:
    sentences = sentences_of(lengths)
    packed = packed_of(sentences)
    padded = packed.padded
    assert padded.shape == (len(lengths), max(lengths), 2)
    assert len(packed) == len(lengths)
    assert packed.layout.longest == max(lengths)
    for row, sentence in enumerate(sentences):
        assert padded[row, : len(sentence)].tolist() == sentence.tolist()
        assert (padded[row, len(sentence) :] == 0).all()
        assert packed.mask[row].tolist() == [place < len(sentence) for place in range(max(lengths))]


@few
@given(LENGTHS)
def test_unpad_undoes_pad(lengths: list[int]) -> None:
    packed = packed_of(sentences_of(lengths))
    padded = pad(packed.values, packed.layout)
    assert unpad(padded, packed.layout).tolist() == packed.values.tolist()


@few
@given(st.data())
def test_take_picks_sentences_as_from_a_list(data: st.DataObject) -> None:
    lengths = data.draw(LENGTHS)
    indices = data.draw(st.lists(st.integers(0, len(lengths) - 1), max_size=8))
    sentences = sentences_of(lengths)
    taken = packed_of(sentences).take(torch.tensor(indices, dtype=torch.long))
    assert unpacked(taken) == [sentences[i].tolist() for i in indices]


@few
@given(st.lists(LENGTHS, min_size=1, max_size=4))
def test_join_puts_sentences_behind_one_another(parts: list[list[int]]) -> None:
    lists = [sentences_of(lengths) for lengths in parts]
    joined = PackedStates.join([packed_of(sentences) for sentences in lists])
    assert unpacked(joined) == [sentence.tolist() for sentences in lists for sentence in sentences]


@few
@given(LENGTHS, st.booleans())
def test_other_values_keep_the_sentences(lengths: list[int], used_before: bool) -> None:
    packed = packed_of(sentences_of(lengths))
    if used_before:
        assert packed.padded.shape[-1] == 2
    wider = sentences_of(lengths, width=3)
    changed = packed.with_values(torch.cat(wider))
    assert unpacked(changed) == [sentence.tolist() for sentence in wider]
    assert changed.padded.tolist() == packed_of(wider).padded.tolist()


def test_lengths_that_do_not_add_up_are_refused() -> None:
    with pytest.raises(ValueError, match="lengths add up to 3, but there are 4 tokens"):
        PackedStates(torch.zeros(4, 2), torch.tensor([1, 2]))


def test_no_sentences_at_all_are_allowed() -> None:
    empty = PackedStates(torch.zeros(0, 2), torch.zeros(0, dtype=torch.long))
    assert empty.padded.shape == (0, 0, 2)


def test_gradients_pass_through_padding_and_taking() -> None:
    values = torch.randn(6, 2, dtype=torch.float64, requires_grad=True)
    lengths, indices = torch.tensor([3, 1, 2]), torch.tensor([2, 0, 2])
    assert torch.autograd.gradcheck(lambda v: PackedStates(v, lengths).take(indices).padded, (values,))
    layout = Layout(lengths)
    padded = torch.randn(3, 3, 2, dtype=torch.float64, requires_grad=True)
    assert torch.autograd.gradcheck(lambda p: unpad(p, layout), (padded,))
    assert torch.autograd.gradgradcheck(lambda v: pad(v, layout).square(), (values,))
    assert torch.autograd.gradgradcheck(lambda p: unpad(p, layout).square(), (padded,))


@few
@given(st.lists(st.integers(0, 40), min_size=1, max_size=60), st.booleans())
def test_runs_hold_all_sentences_in_order_and_pad_little_where_these_are_sorted(
    lengths: list[int], order: bool
) -> None:
    lengths = sorted(lengths) if order else lengths
    packed = packed_of(sentences_of(lengths))
    runs = packed.runs
    assert 1 <= len(runs) <= 4
    assert [row for run in runs for row in unpacked(run)] == unpacked(packed)
    assert all(len(run) for run in runs)
    padded = [run.padded.flatten(0, 1)[run.mask.flatten()] for run in runs]
    assert torch.cat(padded).tolist() == packed.values.tolist()
    if order:
        assert sum(run.mask.numel() for run in runs) <= packed.mask.numel()


def test_no_sentences_are_one_run_of_none() -> None:
    (run,) = PackedStates(torch.empty(0, 2), torch.empty(0, dtype=torch.int64)).runs
    assert len(run) == 0
    assert run.padded.shape == (0, 0, 2)


def test_runs_have_about_as_many_tokens_each() -> None:
    lengths = [4] * 40 + [40] * 4
    assert [int(run.lengths.sum()) for run in packed_of(sentences_of(lengths)).runs] == [80, 80, 80, 80]

"""How many aspects are answered, and which."""

from __future__ import annotations

import numpy as np
import torch
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import equations
from fewaspect.modules.count_head import CountHead, most_likely_count, top_classes


def test_the_count_head_gives_the_papers_equation_15() -> None:
    torch.manual_seed(0)
    head, vectors = CountHead(4, 3).double(), torch.randn(2, 4).double()
    Wl, bl = head.Wl.weight.detach().numpy(), head.Wl.bias.detach().numpy()
    found = torch.softmax(head(vectors), -1).detach().numpy()
    for row in range(2):
        np.testing.assert_allclose(found[row], equations.softmax(Wl @ vectors[row].numpy() + bl), rtol=1e-12)


def test_the_first_output_stands_for_one_aspect() -> None:
    assert most_likely_count(torch.tensor([[3.0, 1.0, 2.0], [0.0, 5.0, 2.0]]), way=3).tolist() == [1, 2]


def test_a_head_started_even_answers_one_until_it_learns() -> None:
    torch.manual_seed(0)
    vectors = torch.randn(6, 4)
    assert most_likely_count(CountHead(4, 3, start="even")(vectors), way=3).tolist() == [1] * 6
    assert len(set(most_likely_count(CountHead(4, 3)(vectors), way=3).tolist())) > 1


def test_no_more_aspects_are_predicted_than_there_are_classes() -> None:
    logits = torch.tensor([[0.0, 1.0, 9.0, 9.0]])
    assert most_likely_count(logits, way=2).tolist() == [2]


def test_more_classes_than_the_head_has_outputs_are_no_error() -> None:
    assert most_likely_count(torch.tensor([[0.0, 1.0]]), way=10).tolist() == [2]


@given(st.data())
def test_the_best_classes_are_answered_as_many_as_counted(data: st.DataObject) -> None:
    Q, N = data.draw(st.integers(1, 5)), data.draw(st.integers(1, 6))
    logits = data.draw(hnp.arrays(np.float32, (Q, N), elements=st.sampled_from([-2.0, 0.0, 0.5, 3.0])))
    counts = data.draw(hnp.arrays(np.int64, Q, elements=st.integers(0, N)))
    chosen = top_classes(torch.from_numpy(logits), torch.from_numpy(counts)).numpy()
    assert chosen.sum(axis=1).tolist() == counts.tolist()
    for row in range(Q):
        expected = sorted(range(N), key=lambda n: (-logits[row, n], n))[: counts[row]]
        assert np.flatnonzero(chosen[row]).tolist() == sorted(expected)


def test_between_equals_the_earlier_class_wins() -> None:
    chosen = top_classes(torch.tensor([[1.0, 2.0, 2.0, 2.0]]), torch.tensor([2]))
    assert chosen.tolist() == [[False, True, True, False]]
    many = torch.zeros(1, 100)  # short rows are sorted in a way that keeps the order whether asked to or not
    assert top_classes(many, torch.tensor([3])).nonzero()[:, 1].tolist() == [0, 1, 2]


def test_gradients_of_the_count_head_are_right() -> None:
    torch.manual_seed(0)
    head = CountHead(4, 3).double()
    vectors = torch.randn(2, 4).double().requires_grad_(True)
    assert torch.autograd.gradcheck(head, (vectors,))

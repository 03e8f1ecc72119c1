"""Marked are the words that say at least half of what the strongest word of their sentence says."""

from __future__ import annotations

from types import SimpleNamespace

from hypothesis import given
from hypothesis import strategies as st

from fewaspect.reviews.pages.highlights import Mark, marks, segments

TEXT = "Cold soup, cold! Kind waiter."


def word(start: int, end: int, **evidence: float) -> SimpleNamespace:
    return SimpleNamespace(start=start, end=end, text=TEXT[start:end], evidence=evidence)


def sentence(start: int, end: int, *aspects: str) -> SimpleNamespace:
    return SimpleNamespace(start=start, end=end, text=TEXT[start:end], aspects=aspects)


WORDS = [
    word(0, 4, food=0.3, service=0.9),
    word(5, 9, food=0.5),
    word(9, 10, food=0.9),
    word(11, 15, food=0.2),
    word(17, 21, service=0.01, food=5.0),
    word(22, 28, service=0.02),
]


def test_strong_words_are_marked_for_the_decided_aspects_of_their_own_sentence() -> None:
    found = marks(WORDS, [sentence(0, 16, "food"), sentence(17, 29, "service")])
    assert [(TEXT[m.start : m.end], m.aspect) for m in found] == [
        ("Cold", "food"), ("soup", "food"), ("Kind", "service"), ("waiter", "service"),
    ]  # fmt: skip


def test_nothing_is_marked_where_nothing_is_decided() -> None:
    assert marks(WORDS, [sentence(0, 16), sentence(17, 29)]) == ()


def test_a_word_without_evidence_is_never_marked() -> None:
    assert marks([word(0, 4, food=0.0), word(5, 9, food=-1.0)], [sentence(0, 16, "food")]) == ()


def test_neighbours_of_one_aspect_become_one_piece() -> None:
    found = segments(TEXT, [Mark(0, 4, "food", 1.0), Mark(5, 9, "food", 1.0), Mark(11, 15, "food", 1.0)])
    assert [(piece.text, piece.aspect) for piece in found] == [
        ("Cold soup", "food"), (", ", None), ("cold", "food"), ("! Kind waiter.", None),
    ]  # fmt: skip


@given(st.lists(st.integers(0, len(TEXT)), max_size=8), st.integers(0, 5))
def test_the_pieces_are_the_text(cuts: list[int], start: int) -> None:
    ends = sorted(set(cuts))
    spans = list(zip(ends[::2], ends[1::2], strict=False))
    found = segments(TEXT, [Mark(a + start, b + start, "food", 1.0) for a, b in spans], start)
    assert "".join(piece.text for piece in found) == TEXT

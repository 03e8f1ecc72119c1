"""What the practical comparison draws: aspects, examples, and sentences to tag."""

from __future__ import annotations

import numpy as np
import pytest

from draws import draw, frequent_aspects, merged, pick_examples
from fewaspect.data.labelled import LabelledSentence

SENTENCES = [
    LabelledSentence(f"sentence {i}", tuple(name for name, every in (("a", 2), ("b", 3), ("c", 5)) if i % every == 0))
    for i in range(400)
]


def test_copies_of_a_text_become_one_sentence_with_the_aspects_of_all() -> None:
    copies = [LabelledSentence("Cold soup", ("FOOD#TASTE",)), LabelledSentence("cold  soup ", ("None", "Food_Price"))]
    assert merged(copies) == [LabelledSentence("Cold soup", ("food taste", "food price"))]


def test_the_most_frequent_aspects_with_enough_sentences_take_part() -> None:
    many = [LabelledSentence(f"{n} {i}", (f"aspect {n}",)) for n in range(15) for i in range(50 + n)]
    assert frequent_aspects(many) == [f"aspect {n}" for n in range(14, 2, -1)]
    rare = [LabelledSentence(f"{i}", ("common", "rare") if i < 39 else ("common",)) for i in range(60)]
    assert frequent_aspects(rare) == ["common"]


@pytest.mark.parametrize("shots", [1, 5, 10])
def test_every_aspect_has_its_examples_and_none_of_them_is_tested(shots: int) -> None:
    drawn = draw(SENTENCES, shots, seed=3, test=150)
    assert (np.sum(drawn.example_rows, axis=0) >= shots).all()
    assert len(set(drawn.texts)) == 150
    assert not set(drawn.examples) & set(drawn.texts)


def test_a_draw_gives_each_sentence_all_of_its_aspects_and_tests_those_without_any() -> None:
    drawn = draw(SENTENCES, 5, seed=0, test=150)
    aspects = {sentence.text: sentence.aspects for sentence in SENTENCES}
    for text, row in zip(drawn.examples + drawn.texts, drawn.example_rows + drawn.rows, strict=True):
        assert {name for name, has in zip(drawn.names, row, strict=True) if has} == set(aspects[text])
    assert any(not any(row) for row in drawn.rows)
    assert all(any(row) for row in drawn.example_rows)


def test_fewer_examples_are_among_the_more_and_the_tested_sentences_stay() -> None:
    none, one, five, ten = (draw(SENTENCES, shots, seed=1, test=100) for shots in (0, 1, 5, 10))
    assert none.examples == []
    assert set(one.examples) < set(five.examples) < set(ten.examples)
    assert none.texts == one.texts == five.texts == ten.texts


def test_another_seed_is_another_draw() -> None:
    assert draw(SENTENCES, 5, 0, 100).digest == draw(SENTENCES, 5, 0, 100).digest
    assert draw(SENTENCES, 5, 0, 100).digest != draw(SENTENCES, 5, 1, 100).digest


def test_a_half_with_too_few_examples_is_refused() -> None:
    with pytest.raises(ValueError, match="expected 5 examples of aspect 0"):
        pick_examples(np.ones((4, 1), dtype=bool), np.arange(4), 5)

"""What the practical comparison draws: aspects, examples, and sentences to tag."""

from __future__ import annotations

import hashlib
import itertools
import json
import os
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from draws import SETS, VALIDATION, chosen_sets, draw, frequent_aspects, load_set, merged, pick_examples, shortened
from fewaspect.data.labelled import LabelledSentence
from fewaspect.experiments.results_file import read_results

DATA = Path(os.environ.get("FEWASPECT_DATA", Path(__file__).parents[3] / ".." / "shared" / "data"))
FIRST_DIGEST = "07c0bed1a234acda0b61d72a02bd455b"

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


def test_an_aspect_with_too_few_sentences_in_its_half_gives_what_it_has() -> None:
    rows = np.array([[True, False]] * 3 + [[False, True]] * 60)
    assert len(pick_examples(rows, np.arange(63), 50)) == 3 + 50
    drawn = draw(SENTENCES, 50, seed=3, test=150)
    has = np.sum(drawn.example_rows, axis=0)
    held = [
        sum(name in sentence.aspects for sentence in SENTENCES if sentence.text in drawn.pile) for name in drawn.names
    ]
    assert (has >= np.minimum(50, held)).all()
    assert min(held) < 50
    with pytest.raises(ValueError, match="expected examples of aspect 1 in the half, found none"):
        pick_examples(rows, np.arange(3), 1)


def test_the_steps_of_the_learning_curves_hold_one_another() -> None:
    drawn = [set(draw(SENTENCES, shots, seed=0, test=100).examples) for shots in (1, 5, 10, 20, 50, 100)]
    assert all(fewer < more for fewer, more in itertools.pairwise(drawn))


def test_the_pile_is_the_half_of_the_examples_and_holds_no_tested_sentence() -> None:
    for seed in range(3):
        drawn = draw(SENTENCES, 10, seed, test=1000)
        assert set(drawn.examples) < set(drawn.pile)
        assert not set(drawn.pile) & set(drawn.texts)
        assert len(drawn.pile) == len(drawn.texts) == 200
    many = [LabelledSentence(f"text {i}", ("a",)) for i in range(4000)]
    assert len(draw(many, 1, 0, 10).pile) == 1500


def test_the_digest_is_that_of_the_draw_without_the_pile() -> None:
    """The digest of the format in which the first measurements were made."""
    drawn = draw(SENTENCES, 5, 0, 100)
    fields = ("names", "examples", "example_rows", "texts", "rows")
    written = json.dumps({name: getattr(drawn, name) for name in fields})
    assert drawn.digest == replace(drawn, pile=[]).digest == hashlib.sha256(written.encode()).hexdigest()
    assert drawn.digest.startswith(FIRST_DIGEST)


@pytest.mark.skipif(not (DATA / "practical").is_dir(), reason="needs the sets: set FEWASPECT_DATA to their folder")
def test_the_draws_are_those_of_the_committed_measurements() -> None:
    results = read_results(Path(__file__).parents[3] / "docs" / "results" / "practical.jsonl")
    committed = {(r["set"], r["shots"], r["seed"]): r["draw"] for r in results if r["seed"] == 0}
    sets = {name: load_set(name, DATA) for name in {name for name, *_ in committed}}
    assert {place: draw(sets[place[0]], *place[1:], 800).digest for place in committed} == committed


def test_validation_sets_are_shortened_in_the_same_order_every_time() -> None:
    many = [LabelledSentence(f"text {i}") for i in range(3000)]
    assert shortened(many, 2400) == shortened(many, 2400)
    assert len(set(shortened(many, 2400))) == 2400
    assert shortened(many, 2400) != many[:2400]


def test_a_validation_set_is_read_from_its_folder(tmp_path: Path) -> None:
    path = tmp_path / "corpus" / "validation" / "banking77.jsonl"
    path.parent.mkdir(parents=True)
    path.write_text(json.dumps({"text": "a top up", "labels": ["TOP_UP"]}) + "\n", encoding="utf-8")
    assert load_set("banking77", tmp_path) == [LabelledSentence("a top up", ("top up",))]


def test_sets_are_chosen_by_group_or_name() -> None:
    assert chosen_sets("visible") == list(SETS)
    assert chosen_sets("books,validation,books") == ["books", *VALIDATION]
    with pytest.raises(ValueError, match="expected visible, validation or names of sets, found 'bookz'"):
        chosen_sets("bookz")

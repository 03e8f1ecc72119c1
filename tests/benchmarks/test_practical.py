"""What the practical comparison draws, measures and writes down."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from fewaspect.data.labelled import LabelledSentence

sys.path.insert(0, str(Path(__file__).parents[2] / "benchmarks"))

from practical_draw import draw, frequent_aspects, merged, pick_examples
from practical_systems import quality, softmax, unit
from practical_table import MACRO_F1, READY, gain, page, sooner, table

SENTENCES = [
    LabelledSentence(f"sentence {i}", tuple(name for name, every in (("a", 2), ("b", 3), ("c", 5)) if i % every == 0))
    for i in range(400)
]


def result(system: str, name: str = "books", seed: int = 0, shots: int = 5, **numbers: Any) -> dict[str, Any]:
    packages = {"torch": "2", "transformers": "5", "setfit": "1.2.0"}
    machine = {"processor": "a processor", "cores": 2, "threads": 1, "python": "3.11", "packages": packages}
    return {
        "set": name, "shots": shots, "seed": seed, "system": system, "draw": f"{name}{shots}{seed}", "sentences": 800,
        "macro_f1": 0.5, "micro_f1": 0.5, "mean_average_precision": 0.5, "right_empties": None,
        "calibration_error": 0.1, "seconds_to_be_ready": 1.0, "cpu_seconds_to_be_ready": 1.0,
        "sentences_per_cpu_second": 100.0, "peak_memory_mb": 500.0, "environment": machine, **numbers,
    }  # fmt: skip


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


def test_the_share_of_right_empties_is_left_out_where_few_sentences_are_empty() -> None:
    truth = np.zeros((30, 2), dtype=bool)
    truth[20:, 0] = True
    decided = truth.copy()
    decided[:5, 1] = True
    assert quality(truth.astype(float), decided, truth)["right_empties"] == 0.75
    assert quality(truth[5:].astype(float), decided[5:], truth[5:])["right_empties"] is None


def test_calibration_is_measured_in_fifteen_bins() -> None:
    truth = np.array([[True], [False]])
    together, apart = np.array([[0.61], [0.66]]), np.array([[0.61], [0.69]])  # of ten bins, both in one
    assert quality(together, together > 0.5, truth)["calibration_error"] == pytest.approx(0.27 / 2)
    assert quality(apart, apart > 0.5, truth)["calibration_error"] == pytest.approx((0.39 + 0.69) / 2)


def test_prototypes_answer_with_a_distribution_over_aspects() -> None:
    np.testing.assert_allclose(unit(np.array([[3.0, 4.0]])), [[0.6, 0.8]])
    np.testing.assert_allclose(softmax(np.array([[0.0, np.log(3.0)]])), [[0.25, 0.75]])


def test_the_gain_is_over_the_better_peer() -> None:
    rows = [result("fewaspect", macro_f1=0.6), result("setfit", macro_f1=0.1), result("logistic", macro_f1=0.55)]
    assert gain(rows, MACRO_F1) == "+5.0 (logistic regression)"
    assert gain([*rows[:1], result("setfit", macro_f1=0.7), rows[2]], MACRO_F1) == "-10.0 (SetFit)"
    assert gain(rows[:2], MACRO_F1) == "-"


def test_only_draws_that_all_have_are_compared() -> None:
    rows = [result(system, macro_f1=f1) for system, f1 in (("fewaspect", 0.6), ("setfit", 0.1), ("logistic", 0.5))]
    more = [result("fewaspect", seed=1, macro_f1=0.0), result("logistic", "laptops", macro_f1=0.9)]
    assert gain([*rows, *more], MACRO_F1) == "+10.0 (logistic regression)"


def test_readiness_is_compared_by_the_means_and_the_least_ratio_of_a_draw() -> None:
    seconds = [("fewaspect", 0, 1.0), ("fewaspect", 1, 3.0), ("setfit", 0, 100.0), ("setfit", 1, 60.0)]
    rows = [result(system, seed=seed, **{READY.key: s}) for system, seed, s in seconds]
    assert sooner(rows) == "40 (least: 20)"


def test_a_row_has_the_spread_over_seeds_and_no_mean_where_a_set_is_missing() -> None:
    rows = [result("fewaspect", seed=seed, macro_f1=f1) for seed, f1 in ((0, 0.5), (1, 0.6))]
    others = [result("logistic", name, seed) for name in ("books", "courses") for seed in (0, 1)]
    first = table([*rows, *others], 5, []).splitlines()[2:4]
    assert first[0] == "| macro-F1 | fewaspect | - | - | 55.0 ± 7.1 | - | - | - |"
    assert first[1] == "|  | logistic regression | - | - | 50.0 ± 0.0 | 50.0 ± 0.0 | - | 50.0 ± 0.0 |"


def test_times_are_those_that_were_taken_together() -> None:
    rows = [result(system, **{READY.key: 9.0}) for system in ("fewaspect", "setfit")]
    assert "ready, seconds" not in page(rows)
    assert "sooner" not in page(rows)
    together = [result(system, **{READY.key: s}) for system, s in (("fewaspect", 1.0), ("setfit", 70.0))]
    whole = page(rows, together)
    assert "| 5 | times sooner ready than SetFit, by processor time | at least 50 | 70 (least: 70) |" in whole
    assert "| ready, seconds | fewaspect | - | - | 1.00 |" in whole


def test_the_page_says_which_peer_was_not_measured() -> None:
    assert "Not measured: SetFit." in page([result("fewaspect"), result("logistic")])
    assert "Not measured" not in page([result("fewaspect"), result("logistic"), result("setfit")])


def test_systems_measured_on_different_draws_are_not_put_side_by_side() -> None:
    with pytest.raises(SystemExit, match="expected one draw for all systems, found logistic"):
        page([result("fewaspect"), result("logistic", draw="another")])

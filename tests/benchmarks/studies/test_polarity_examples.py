"""The sentences that sentiment is learned from: joined ones keep what is said of each aspect, negation turns it."""

from __future__ import annotations

import random
import sys
from pathlib import Path

import numpy as np
import pytest

from fewaspect.data.polarity import PolarSentence

sys.path.insert(0, str(Path(__file__).parents[3] / "benchmarks" / "studies"))
from polarity.epoch import EpochPlan, by_polarity, epoch_examples, joined
from polarity.examples import NEGATIVE, POSITIVE, Example
from polarity.negation import negated

ROWS = [
    Example.of(PolarSentence("The soup was cold.", {"food": "negative"})),
    Example.of(PolarSentence("The waiter was friendly", {"staff": "positive"})),
    Example.of(PolarSentence("Lovely view!", {"view": "positive"})),
    Example.of(PolarSentence("We had the soup.", {"food": "neutral"})),
    Example.of(PolarSentence("Nice room, rude staff", {"room": "positive", "staff": "negative"})),
]


def test_a_joined_sentence_has_the_aspects_of_its_parts_with_their_polarities() -> None:
    known = {name: [row.targets[name] for row in ROWS if name in row.targets] for name in ("food", "staff", "view")}
    rng, groups = random.Random(0), by_polarity(ROWS)
    for _ in range(50):
        found = joined(groups, rng)
        assert found is not None
        assert len(found.targets) >= 2
        assert found.sure is None
        for name, target in found.targets.items():
            assert any(np.array_equal(target, own) for own in known[name])


def test_sentences_of_one_polarity_are_not_joined() -> None:
    assert joined(by_polarity(ROWS[1:3]), random.Random(0)) is None


@pytest.mark.parametrize(("row", "polarity"), [(0, POSITIVE), (1, NEGATIVE)])
def test_a_negated_predicate_turns_the_polarity(row: int, polarity: int) -> None:
    found = negated(ROWS[row], random.Random(0))
    assert found is not None
    assert any(word in found.text for word in ("not", "n't", "never"))
    assert [int(own.argmax()) for own in found.targets.values()] == [polarity]


@pytest.mark.parametrize("text", ["The waiter was not friendly", "The waiter was friendly and quick", "Lovely waiter"])
def test_what_a_rule_cannot_negate_is_left_alone(text: str) -> None:
    assert negated(Example.of(PolarSentence(text, {"staff": "positive"})), random.Random(0)) is None


def test_sentences_with_both_polarities_are_read_more_often() -> None:
    found = epoch_examples({"a set": ROWS}, EpochPlan(joined_share=0.0), random.Random(0))
    assert [row.text for row in found].count(ROWS[4].text) == 3
    assert [row.text for row in found].count(ROWS[3].text) == 2

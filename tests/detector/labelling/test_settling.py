"""Whether further labels still change answers."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from fewaspect import AspectDetector
from fewaspect.detector.labelling.suggest import SETTLED, settling

SAME = np.tile([[True, False], [False, False]], (100, 1))  # every other text has an aspect


def test_answers_that_do_not_change_have_settled() -> None:
    assert settling(SAME, SAME, last=20, examples=40).settled
    assert settling(SAME, SAME, last=20, examples=40).changed == 0


def test_half_of_the_examples_are_no_last_ones() -> None:
    assert not settling(SAME, SAME, last=20, examples=39).settled


def test_a_text_with_one_other_aspect_is_answered_otherwise() -> None:
    now = SAME.copy()
    now[: 2 * round(100 * SETTLED) : 2, 1] = True
    found = settling(SAME, now, last=20, examples=60)
    assert (found.changed, found.settled) == (SETTLED, False)


def test_without_an_answer_nothing_has_settled() -> None:
    assert not settling(SAME & False, SAME & False, last=20, examples=60).settled


def test_the_last_examples_are_those_given_last(fitted: Callable[..., AspectDetector]) -> None:
    detector = fitted()
    texts = ["the pool was closed", "we liked the swimming pool", "the soup was cold"]
    assert detector.settling(texts, last=0).changed == 0
    before = detector.predict(texts)
    detector.add_examples(["a swimming pool", "the pool was dirty"], [["food"], ["food"]])
    pairs = [(one, other) for one, other in zip(before, detector.predict(texts), strict=True) if one or other]
    assert detector.settling(texts, last=2).changed == np.mean([one != other for one, other in pairs]) > 0

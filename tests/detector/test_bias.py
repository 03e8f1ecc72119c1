"""Probabilities follow the user's own examples."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import minimize_scalar

from fewaspect import AspectDetector
from fewaspect.detector import bias as shifting
from fewaspect.detector.bias import NONE, best_shift
from fewaspect.detector.fitting import FittedState
from fewaspect.detector.scoring import Parts

NARROW = {
    "parking": ["no parking", "parking was hard to find", "the parking lot was full", "free parking", "valet parking"],
    "breakfast": ["a poor breakfast", "breakfast was fine", "free breakfast", "breakfast buffet", "no hot breakfast"],
}
WIDE = {
    "good": ["we loved it", "the pizza was superb", "best haircut ever", "a lovely pool", "quick and friendly"],
    "bad": ["never again", "cold soup", "the lift was broken", "they lost our booking", "overpriced and loud"],
}


def shift_of(detector: AspectDetector) -> float:
    return detector._knowledge.aspects.shift


@given(st.lists(st.tuples(st.floats(-20, 20), st.booleans(), st.floats(0.1, 1)), min_size=1, max_size=40))
def test_the_best_shift_is_the_most_probable_one(rows: list[tuple[float, bool, float]]) -> None:
    logits, truth, weights = (np.array(column)[:, None] for column in zip(*rows, strict=True))

    def doubt(shift: float) -> float:
        against = np.where(truth, -1.0, 1.0) * (logits + shift)
        return float((weights * np.logaddexp(0, against)).sum() + shift**2 / 2)

    expected = minimize_scalar(doubt, bounds=(-45, 45), method="bounded", options={"xatol": 1e-9})
    assert best_shift(logits, truth, weights) == pytest.approx(expected.x, abs=1e-4)


def test_examples_that_say_nothing_new_shift_nothing() -> None:
    """Half of the labels hold where each is as probable as not."""
    assert best_shift(np.zeros((6, 2)), np.array([[True, False]] * 6), np.ones((6, 1))) == pytest.approx(0.0)


def test_names_alone_shift_nothing() -> None:
    assert shift_of(AspectDetector().fit({"food": [], "parking": []})) == 0.0
    assert shift_of(AspectDetector().fit({"food": []}, none=["see you on Monday"])) == 0.0


def test_aspects_whose_examples_have_little_in_common_are_found_sooner() -> None:
    narrow, wide = (AspectDetector().fit(examples) for examples in (NARROW, WIDE))
    assert shift_of(narrow) < shift_of(wide)
    known = wide._knowledge
    text, aspects = ["what a wonderful evening"], known.aspects
    before = np.log(1 / wide.predict_proba(text) - 1)
    known.__dict__["aspects"] = aspects._replace(shift=0.0)  # as if nothing had been learned from the examples
    np.testing.assert_allclose(np.log(1 / wide.predict_proba(text) - 1) - before, aspects.shift, atol=1e-5)


def test_sentences_with_none_of_the_aspects_lower_what_is_near_them() -> None:
    near = ["the breakfast club is a good film", "park rangers are kind", "we walked through the park"]
    plain, told = (AspectDetector().fit(NARROW, none=none) for none in ((), near))
    assert shift_of(told) < shift_of(plain)
    text = ["the rangers of the park"]
    assert (told.predict_proba(text) < plain.predict_proba(text)).all()


@pytest.mark.parametrize("named", [True, False])
@pytest.mark.parametrize("examples", [NARROW, WIDE])
def test_it_is_the_shift_of_learning_anew_without_each_example(examples: dict[str, list[str]], named: bool) -> None:
    """But for how an aspect looks at texts, which all examples have a say in here."""
    texts = [text for own in examples.values() for text in own]
    detector = AspectDetector().fit(texts, [[1, 0]] * 5 + [[0, 1]] * 5, names=list(examples) if named else None)
    known = detector._knowledge
    offset = np.log(1 / (1 - NONE))
    rows = [logits_of(detector, known.without(detector._scorer, [text]), text) + offset for text in texts]
    expected = best_shift(np.stack(rows), known.examples.membership, np.ones((len(texts), 1)))
    assert shift_of(detector) == pytest.approx(expected, abs=0.1)


def logits_of(detector: AspectDetector, known: FittedState, text: str) -> np.ndarray:
    """(N,) without any shift."""
    scorer = detector._scorer
    aspects = known.aspects._replace(shift=0.0)
    ((_, p),) = scorer.each([text], None, lambda sentences: scorer.probabilities(aspects, sentences))
    return -np.log(1 / p[0] - 1)


def test_an_aspect_alone_is_asked_only_if_it_can_be_told_from_something() -> None:
    assert shift_of(AspectDetector().fit({"good": WIDE["good"]})) == 0.0
    assert shift_of(AspectDetector().fit({"good": WIDE["good"]}, none=WIDE["bad"])) > 0.5


def test_the_only_example_of_an_aspect_without_a_name_says_nothing() -> None:
    texts, matrix = ["we loved it", "never again"], [[1, 0], [0, 1]]
    weights = weights_asked(lambda: shift_of(AspectDetector().fit(texts, matrix)))
    assert (weights > 0).tolist() == [[False, True], [True, False]], "it is compared with the other aspect only"
    assert (weights_asked(lambda: shift_of(AspectDetector().fit(texts, matrix, names=["good", "bad"]))) > 0).all()


def weights_asked(fit: Callable[[], float]) -> np.ndarray:
    """How much each example counts for each aspect's part of the shift."""
    given: list[np.ndarray] = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(shifting, "best_shift", lambda logits, truth, weights: given.append(weights) or 0.0)
        fit()
    return given[-1]


def test_many_sentences_that_have_clearly_none_of_the_aspects_change_little() -> None:
    clear = [f"{number} people came to the {day} meeting" for number in range(2, 22) for day in ("first", "last")]
    few, many = (shift_of(AspectDetector().fit(WIDE, none=clear[:count])) for count in (4, 40))
    assert many == pytest.approx(few, abs=0.15)


def test_many_sentences_of_none_leave_room_for_the_examples(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shifting, "MOST_ROWS", 12)
    clear = [f"{number} people came to the meeting" for number in range(40)]
    few, many = (AspectDetector().fit(WIDE, none=clear[:count])._knowledge._known for count in (2, 40))
    for known in (few, many):
        rows = shifting.asked(known)
        assert len(rows) == 12
        assert known.membership[rows].any(axis=1).sum() == (10 if known is few else 8)


@pytest.mark.parametrize("most", [6, 128])
def test_neither_the_order_of_the_examples_nor_adding_them_one_by_one_matters(
    most: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shifting, "MOST_ROWS", most)
    texts, labels = [*WIDE["good"], *WIDE["bad"]], [["good"]] * 5 + [["bad"]] * 5
    forwards = AspectDetector().fit(texts, labels)
    backwards = AspectDetector().fit({"good": WIDE["good"][::-1], "bad": []}).add_examples(WIDE["bad"], [["bad"]] * 5)
    assert shift_of(backwards) == pytest.approx(shift_of(forwards), abs=1e-4)


def test_examples_too_far_from_an_aspect_to_teach_it_are_compared_as_any_sentence() -> None:
    detector = AspectDetector().fit(WIDE)
    known = detector._knowledge._known
    every, few = (detector._scorer.looking.learn(known, detector.prototypes_, most) for most in (128, 3))
    rows = shifting.asked(known)
    for aspects, left_out in (every, few):
        parts = Parts(*(part[rows] for part in left_out[:3]), word=None)
        missing = np.isnan(parts.apart)
        assert missing.any() == (aspects is few[0])
        shifting.fill_in(parts, detector._scorer.looking, known, aspects, rows)
        plain = detector._scorer.looking.parts(aspects, known.examples.take(rows))
        np.testing.assert_allclose(parts.apart[missing], plain.apart[missing], atol=1e-5)
        assert np.isfinite(np.stack(parts[:3])).all()


def test_the_same_sentence_under_two_aspects_speaks_against_neither() -> None:
    twins = {"good": [*WIDE["good"], "Café at the corner"], "bad": [*WIDE["bad"], "cafe at the corner"]}
    for examples, unasked in ((WIDE, 0), (twins, 2)):
        weights = weights_asked(lambda examples=examples: shift_of(AspectDetector().fit(examples)))
        assert (weights == 0).sum() == unasked

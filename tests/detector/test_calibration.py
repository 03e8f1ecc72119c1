"""Scores to probabilities, and what a user's own examples say of them."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import minimize_scalar

from fewaspect import AspectDetector
from fewaspect.core.errors import CheckpointError
from fewaspect.detector import calibration as module
from fewaspect.detector.calibration import FEATURES, NONE_RATE, ProbabilityModel, most_probable_bias, score_features
from fewaspect.detector.fitting import FittedState, fit_aspects, support_set
from fewaspect.detector.scoring import ScoreComponents

WEIGHTS = dict(zip(FEATURES, (1.0, -2.0, 3.0, 0.25, 4.0, -1.0, 0.1, 0.5, -0.5, 2.0, 1.5), strict=True))
SLOPES = dict(zip(FEATURES, (-0.3, 0.2, 0.5, 0.1, -0.2, 0.0, 0.0, 0.4, 0.1, -1.0, 0.2), strict=True))


def random_components(Q: int, N: int, seed: int = 0) -> tuple[ScoreComponents, np.ndarray]:
    parts = np.random.default_rng(seed).random((8, Q, N))
    return ScoreComponents(*parts), parts.mean(axis=0)


def test_a_probability_is_the_logistic_function_of_the_score_features() -> None:
    components, scores = random_components(3, 4)
    shots = np.array([1.0, 5.0, 0.0, 2.0])
    found = ProbabilityModel(-0.7, WEIGHTS, SLOPES)(score_features(components, scores, shots))
    for q in range(3):
        total = sum(math.exp(5 * float(s)) for s in scores[q])
        for n in range(4):
            s = float(scores[q, n])
            seen = [*(float(part[q, n]) for part in components[:3]), math.log(math.exp(5 * s) / total)]
            seen += [s - float(np.sort(scores[q])[-3]), math.log(1 + float(shots[n])), math.log(4)]
            seen += [float(part[q, n]) for part in components[4:]]
            moved = [WEIGHTS[name] + SLOPES[name] * math.log(1 + float(shots[n])) for name in FEATURES]
            logit = -0.7 + sum(w * x for w, x in zip(moved, seen, strict=True))
            assert float(found[q, n]) == pytest.approx(1 / (1 + math.exp(-logit)))


def test_an_aspect_alone_is_not_certain_and_no_text_has_no_probabilities() -> None:
    components, scores = random_components(5, 1)
    found = ProbabilityModel(-1.0, WEIGHTS)(score_features(components, scores, np.ones(1)))
    assert ((found > 0) & (found < 1)).all()
    empty, none = random_components(0, 3)
    assert ProbabilityModel(0.0, WEIGHTS)(score_features(empty, none, np.ones(3))).shape == (0, 3)


def test_it_comes_back_from_its_file_as_it_was(tmp_path: Path) -> None:
    model = ProbabilityModel(-0.125, WEIGHTS, SLOPES, (0.7, 0.4))
    model.save(tmp_path / "presence.json")
    assert ProbabilityModel.load(tmp_path / "presence.json") == model


@pytest.mark.parametrize("content", ["", "[]", '{"intercept": 1}', '{"intercept": "a", "weights": {}}'])
def test_a_damaged_file_is_refused_with_what_was_expected(tmp_path: Path, content: str) -> None:
    path = tmp_path / "presence.json"
    path.write_text(content)
    with pytest.raises(CheckpointError, match=r"presence.json: expected the weights of sentence_similarity, .* found"):
        ProbabilityModel.load(path)


def test_the_names_of_version_0_1_are_read(tmp_path: Path) -> None:
    path = tmp_path / "presence.json"
    names = ("whole", "seen", "apart", "share", "lead", "shots", "aspects")
    path.write_text(json.dumps({"intercept": -0.5, "weights": dict(zip(names, WEIGHTS.values(), strict=False))}))
    model, then = ProbabilityModel.load(path), {**WEIGHTS, **dict.fromkeys(FEATURES[7:], 0.0)}
    assert model == ProbabilityModel(-0.5, then)
    model.save(path)
    assert json.loads(path.read_text())["weights"] == then


NARROW = {
    "parking": ["no parking", "parking was hard to find", "the parking lot was full", "free parking", "valet parking"],
    "breakfast": ["a poor breakfast", "breakfast was fine", "free breakfast", "breakfast buffet", "no hot breakfast"],
}
WIDE = {
    "good": ["we loved it", "the pizza was superb", "best haircut ever", "a lovely pool", "quick and friendly"],
    "bad": ["never again", "cold soup", "the lift was broken", "they lost our booking", "overpriced and loud"],
}


def bias_of(detector: AspectDetector) -> float:
    """That of its examples alone."""
    few = detector.model_.probability_model.few_aspects_bias(len(detector.classes_))
    return detector._fitted().fitted.bias - few


def test_fewer_aspects_leave_more_sentences_without_one() -> None:
    shipped, rates = AspectDetector().fit(WIDE).model_.probability_model.none_rates, (0.7, 0.5, 0.36)
    assert sorted(shipped, reverse=True) == list(shipped)
    assert shipped[-1] > NONE_RATE
    model = ProbabilityModel(0.0, WEIGHTS, SLOPES, rates)
    for aspects, rate in enumerate((*rates, NONE_RATE, NONE_RATE), start=1):
        assert math.exp(model.few_aspects_bias(aspects)) == pytest.approx((1 - rate) / (1 - NONE_RATE))
    assert ProbabilityModel(0.0, WEIGHTS).few_aspects_bias(1) == 0.0


@given(st.lists(st.tuples(st.floats(-20, 20), st.booleans(), st.floats(0.1, 1)), min_size=1, max_size=40))
def test_the_most_probable_bias_is_the_most_probable_one(rows: list[tuple[float, bool, float]]) -> None:
    logits, truth, weights = (np.array(column)[:, None] for column in zip(*rows, strict=True))

    def doubt(bias: float) -> float:
        against = np.where(truth, -1.0, 1.0) * (logits + bias)
        return float((weights * np.logaddexp(0, against)).sum() + bias**2 / 2)

    expected = minimize_scalar(doubt, bounds=(-45, 45), method="bounded", options={"xatol": 1e-9})
    assert most_probable_bias(logits, truth, weights) == pytest.approx(expected.x, abs=1e-4)


def test_examples_that_say_nothing_new_give_no_bias() -> None:
    """Half of the labels hold where each is as probable as not."""
    assert most_probable_bias(np.zeros((6, 2)), np.array([[True, False]] * 6), np.ones((6, 1))) == pytest.approx(0.0)


def test_names_alone_give_no_bias() -> None:
    assert bias_of(AspectDetector().fit({"food": [], "parking": []})) == 0.0
    assert bias_of(AspectDetector().fit({"food": []}, none=["see you on Monday"])) == 0.0


def test_aspects_whose_examples_have_little_in_common_are_found_sooner() -> None:
    narrow, wide = (AspectDetector().fit(examples) for examples in (NARROW, WIDE))
    assert bias_of(narrow) < bias_of(wide)
    text, aspects = ["what a wonderful evening"], wide._fitted().fitted
    before = np.log(1 / wide.predict_proba(text) - 1)
    wide._state = replace(wide._state, aspects=aspects._replace(bias=0.0))  # as if no bias had been fitted
    np.testing.assert_allclose(np.log(1 / wide.predict_proba(text) - 1) - before, aspects.bias, atol=1e-5)


def test_sentences_with_none_of_the_aspects_lower_what_is_near_them() -> None:
    near = ["the breakfast club is a good film", "park rangers are kind", "we walked through the park"]
    plain, told = (AspectDetector().fit(NARROW, none=none) for none in ((), near))
    assert bias_of(told) < bias_of(plain)
    text = ["the rangers of the park"]
    assert (told.predict_proba(text) < plain.predict_proba(text)).all()


@pytest.mark.parametrize("named", [True, False])
@pytest.mark.parametrize("examples", [NARROW, WIDE])
def test_it_is_the_bias_of_fitting_anew_without_each_example(examples: dict[str, list[str]], named: bool) -> None:
    """But for the attention queries, which all examples have a part in here."""
    texts = [text for own in examples.values() for text in own]
    detector = AspectDetector().fit(texts, [[1, 0]] * 5 + [[0, 1]] * 5, names=list(examples) if named else None)
    state = detector._fitted()
    offset = np.log(1 / (1 - NONE_RATE))
    rows = [logits_of(detector, state.without([text]), text) + offset for text in texts]
    expected = most_probable_bias(np.stack(rows), state.examples.membership, np.ones((len(texts), 1)))
    assert bias_of(detector) == pytest.approx(expected, abs=0.1)


def logits_of(detector: AspectDetector, state: FittedState, text: str) -> np.ndarray:
    """(N,) without any bias."""
    model = detector.model_
    aspects = fit_aspects(model, state).fitted._replace(bias=0.0)
    ((_, p),) = model.map_batches([text], None, lambda sentences: model.probabilities(aspects, sentences))
    return -np.log(1 / p[0] - 1)


def test_a_single_aspect_has_a_bias_only_if_it_can_be_told_from_something() -> None:
    assert bias_of(AspectDetector().fit({"good": WIDE["good"]})) == 0.0
    assert bias_of(AspectDetector().fit({"good": WIDE["good"]}, none=WIDE["bad"])) > 0.5


def test_the_only_example_of_an_aspect_without_a_name_says_nothing() -> None:
    texts, matrix = ["we loved it", "never again"], [[1, 0], [0, 1]]
    weights = weights_used(lambda: bias_of(AspectDetector().fit(texts, matrix)))
    assert (weights > 0).tolist() == [[False, True], [True, False]], "it is compared with the other aspect only"
    assert (weights_used(lambda: bias_of(AspectDetector().fit(texts, matrix, names=["good", "bad"]))) > 0).all()


def weights_used(fit: Callable[[], float]) -> np.ndarray:
    """How much each example counts for each aspect's part of the bias."""
    given: list[np.ndarray] = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "most_probable_bias", lambda logits, truth, weights: given.append(weights) or 0.0)
        fit()
    return given[-1]


CLEARLY_NONE = [
    "see you on Monday", "it rained", "the train left at nine", "my brother lives in Rome", "the bank is next door",
    "there are two doors", "we took a bus", "he is forty years old", "the shop closes at six", "they speak French",
    "I wore a red coat", "the phone rang twice", "a parcel came for us", "our dog is called Max", "the map was folded",
    "it was the third of May", "the road goes north", "she reads the news", "we have two sons", "a bird sat there",
    "the window faces east", "the clock stopped", "he wrote a letter", "the river is long", "I bought a lamp",
    "the car is blue", "the school opens at eight", "a friend of mine paints", "the hill is steep", "my name is Tom",
]  # fmt: skip


def test_many_sentences_that_have_clearly_none_of_the_aspects_change_little() -> None:
    """They count together as the share of such sentences at most; each as much as an example, the bias falls by 1."""
    few, many = (bias_of(AspectDetector().fit(WIDE, none=CLEARLY_NONE[:count])) for count in (4, 30))
    assert many == pytest.approx(few, abs=0.25)


def test_many_sentences_of_none_leave_room_for_the_examples(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MAX_ROWS", 12)
    clear = [f"{number} people came to the meeting" for number in range(40)]
    few, many = (support_set(AspectDetector().fit(WIDE, none=clear[:count])._fitted()) for count in (2, 40))
    for known in (few, many):
        rows = module.calibration_rows(known)
        assert len(rows) == 12
        assert known.membership[rows].any(axis=1).sum() == (10 if known is few else 8)


@pytest.mark.parametrize("most", [6, 128])
def test_neither_the_order_of_the_examples_nor_adding_them_one_by_one_matters(
    most: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "MAX_ROWS", most)
    texts, labels = [*WIDE["good"], *WIDE["bad"]], [["good"]] * 5 + [["bad"]] * 5
    forwards = AspectDetector().fit(texts, labels)
    backwards = AspectDetector().fit({"good": WIDE["good"][::-1], "bad": []}).add_examples(WIDE["bad"], [["bad"]] * 5)
    assert bias_of(backwards) == pytest.approx(bias_of(forwards), abs=1e-4)


def test_examples_too_far_from_an_aspect_for_its_regression_are_compared_as_any_sentence(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    detector = AspectDetector().fit(WIDE)
    support, scorer = support_set(detector._fitted()), detector.model_.scorer
    rows = module.calibration_rows(support)
    leave_one_out = type(scorer).leave_one_out
    for most in (128, 3):
        monkeypatch.setattr(
            type(scorer), "leave_one_out", lambda *of, asked, most=most: leave_one_out(*of, most, asked)
        )
        fitted = scorer.fit(support, detector.prototypes_, most)
        missing = np.isnan(leave_one_out(scorer, support, fitted, most).ridge_score[rows])
        assert missing.any() == (most == 3)
        found = module.left_out_components(scorer, support, fitted, rows)
        plain = scorer.components(fitted, support.examples.take(rows))
        np.testing.assert_allclose(found.ridge_score[missing], plain.ridge_score[missing], atol=1e-5)
        assert np.isfinite(np.stack(found[:3])).all()


def test_the_same_sentence_under_two_aspects_speaks_against_neither() -> None:
    twins = {"good": [*WIDE["good"], "Café at the corner"], "bad": [*WIDE["bad"], "cafe at the corner"]}
    for examples, unused in ((WIDE, 0), (twins, 2)):
        weights = weights_used(lambda examples=examples: bias_of(AspectDetector().fit(examples)))
        assert (weights == 0).sum() == unused


def test_more_examples_than_it_has_learned_with_count_as_so_many() -> None:
    model = ProbabilityModel(-1.0, WEIGHTS, SLOPES, most_shots=60)
    free = ProbabilityModel(-1.0, WEIGHTS, SLOPES)
    features = np.random.default_rng(0).random((5, 3, len(FEATURES)))
    place = FEATURES.index("log_shots")
    for shots, read in ((7, 7), (60, 60), (61, 60), (1000, 60)):
        given, counted = features.copy(), features.copy()
        given[..., place], counted[..., place] = math.log1p(shots), math.log1p(read)
        assert np.allclose(model(given), free(counted), atol=1e-12)

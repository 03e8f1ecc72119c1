"""Promises of precision: the binomial bound, the order of the tests, and whether promises are kept."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import beta, binom

from fewaspect import AspectDetector
from fewaspect.core.errors import CheckpointError, ConfigError, DataError
from fewaspect.data.sample_set import load_sample, load_showcase
from fewaspect.detector.labelling.target_precision import (
    Goal,
    Promise,
    answers_needed,
    binomial_tail,
    certified_cut,
    precision_bound,
    promise_on_examples,
    promise_on_texts,
)
from fewaspect.detector.support import ExampleWarning

GOAL = Goal(0.9, 0.9)


@given(st.integers(0, 400), st.data(), st.floats(0.01, 0.99))
def test_the_tail_of_the_binomial_distribution_is_that_of_scipy(trials: int, data: st.DataObject, p: float) -> None:
    least = data.draw(st.integers(0, trials + 1))
    assert binomial_tail(least, trials, p) == pytest.approx(binom.sf(least - 1, trials, p), abs=1e-9)


@given(st.integers(1, 300), st.data(), st.floats(0.5, 0.99))
def test_the_bound_is_that_of_clopper_and_pearson(accepted: int, data: st.DataObject, confidence: float) -> None:
    right = data.draw(st.integers(0, accepted))
    expected = beta.ppf(1 - confidence, right, accepted - right + 1) if right else 0.0
    assert precision_bound(right, accepted, confidence) == pytest.approx(expected, abs=1e-9)


@given(st.integers(1, 300), st.data(), st.floats(0.5, 0.98), st.floats(0.5, 0.98))
def test_a_goal_holds_where_the_bound_reaches_it(
    accepted: int, data: st.DataObject, target: float, confidence: float
) -> None:
    right = data.draw(st.integers(0, accepted))
    bound = precision_bound(right, accepted, confidence)
    if abs(bound - target) > 1e-6:
        assert Goal(target, confidence).holds(right, accepted) == (bound > target)


def test_as_few_answers_as_can_hold_it_must_all_be_right() -> None:
    assert GOAL.fewest == 22  # 0.9 ** 22 < 0.1
    assert GOAL.holds(22, 22)
    assert not GOAL.holds(21, 21)
    assert not GOAL.holds(22, 23)
    assert answers_needed(1.0, GOAL) == 22
    assert answers_needed(0.9, GOAL) is None
    assert answers_needed(0.95, GOAL) > 22


def test_equal_scores_are_accepted_together() -> None:
    scores = np.array([3.0] * 22 + [2.0] * 4)
    right = np.array([True] * 22 + [True, False, False, False])
    assert certified_cut(scores, right, GOAL) == 3.0
    assert certified_cut(np.full(26, 3.0), right, GOAL) is None


def test_the_cut_goes_down_as_far_as_the_goal_holds() -> None:
    right = np.array([True] * 60 + [False] * 60)
    cut = certified_cut(np.linspace(4, 1, 120), right, GOAL)
    assert cut is not None
    accepted = np.linspace(4, 1, 120) >= cut
    assert 40 <= accepted.sum() <= 65
    assert GOAL.holds(int(right[accepted].sum()), int(accepted.sum()))


def sampled(rng: np.random.Generator, texts: int, sharp: float, bias: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(texts, N) probabilities and labels; how far the ones are from the others differs from aspect to aspect."""
    logits = rng.normal(-1, 2, (texts, len(bias)))
    return 1 / (1 + np.exp(-logits)), rng.random(logits.shape) < 1 / (1 + np.exp(-(sharp * logits + bias)))


@pytest.mark.parametrize("target", [0.8, 0.9])
def test_promises_are_kept_as_often_as_they_say(target: float) -> None:
    rng = np.random.default_rng(0)
    names, thresholds = ["a", "b", "c", "d"], np.full(4, 0.4)
    broken = made = 0
    for _ in range(300):
        bias = rng.normal(0, 1, 4)
        p, y = sampled(rng, 300, 1.0, bias)
        promised = promise_on_texts(names, p, y, thresholds, Goal(target, 0.9))
        p, y = sampled(rng, 20_000, 1.0, bias)
        accepted = promised.promise.reached(names, p)
        made += bool(accepted.any())
        broken += bool(accepted.any()) and y[accepted].mean() < target
    assert made > 100
    assert broken <= 300 * 0.1 + 2 * np.sqrt(300 * 0.1 * 0.9)


def test_a_threshold_without_a_bound_breaks_the_promise_far_more_often() -> None:
    """What the bound is there for: the same samples, and the lowest cut whose measured precision reaches the target."""
    rng = np.random.default_rng(0)
    broken = 0
    for _ in range(200):
        p, y = (part.ravel() for part in sampled(rng, 100, 1.0, np.zeros(4)))
        order = np.argsort(-p)
        shares = np.cumsum(y[order]) / np.arange(1, len(p) + 1)
        cut = p[order][np.flatnonzero(shares >= 0.9).max(initial=0)]
        p, y = sampled(rng, 20_000, 1.0, np.zeros(4))
        broken += y[p >= cut].mean() < 0.9
    assert broken > 200 * 0.3


def test_an_aspect_with_too_few_labels_gets_no_accepted_answers_and_says_how_many_it_needs() -> None:
    rng = np.random.default_rng(1)
    p, y = np.full((60, 2), 0.05), np.zeros((60, 2), dtype=bool)
    p[:50, 0], y[:50, 0] = rng.uniform(0.8, 0.99, 50), True
    p[50:53, 1], y[50:53, 1] = 0.95, True
    promised = promise_on_texts(["often", "rare"], p, y, np.full(2, 0.4), GOAL, per_aspect=True)
    assert promised["often"].threshold is not None
    assert promised["often"].right == promised["often"].accepted
    assert promised["rare"].threshold is None
    assert promised["rare"].more is not None
    assert 200 < promised["rare"].more < 2000
    assert "rare" in str(promised)
    assert "cannot promise: needs about" in str(promised)
    assert not promised.promise.reached(["often", "rare"], np.array([[0.5, 1.0]]))[0, 1]


def test_what_is_accepted_is_answered() -> None:
    rng = np.random.default_rng(2)
    p, y = sampled(rng, 400, 3.0, np.array([3.0, 3.0]))
    thresholds = np.array([0.4, 0.7])
    promised = promise_on_texts(["a", "b"], p, y, thresholds, Goal(0.5, 0.9))
    assert all(row.threshold >= least for row, least in zip(promised.values(), thresholds, strict=True))


def test_on_examples_the_probability_itself_must_reach_the_target() -> None:
    rng = np.random.default_rng(3)
    p = rng.uniform(0.4, 1, (100, 1))
    promised = promise_on_examples(["a"], p, np.ones((100, 1), dtype=bool), np.array([0.4]), GOAL)
    assert promised["a"].threshold == pytest.approx(0.9)
    assert promised.promise.source == "examples"


@pytest.mark.parametrize("precision", [0, 1, 1.5, True, "0.9"])
def test_a_target_that_is_no_share_is_refused(precision: object) -> None:
    detector = AspectDetector().fit({"food": ["cold soup"], "noise": ["thin walls"]})
    with pytest.raises(ConfigError, match="precision: expected a number between 0 and 1"):
        detector.tune(precision=precision)  # type: ignore[call-overload]


@pytest.fixture(scope="module")
def promising() -> AspectDetector:
    """A detector of the sample that promises 0.8 with little confidence, so that its few labels are enough."""
    sample = load_showcase()
    detector = AspectDetector().fit(sample.examples)
    assert detector.tune(precision=0.8, confidence=0.6).promise.accepts
    return detector


def test_every_answer_is_accepted_or_to_be_reviewed(promising: AspectDetector) -> None:
    texts = [*load_sample()["test"].texts[:100], "we came on Monday", ""]
    reviewed, answers = promising.predict(texts, review=True), promising.predict(texts)
    assert [[name for name, _ in own] for own in reviewed] == answers
    words = {word for own in reviewed for _, word in own}
    assert words == {"accepted", "review"}
    analyses = promising.analyze_many(texts, words=False)
    assert [a.accepted for a in analyses] == [tuple(n for n, word in own if word == "accepted") for own in reviewed]
    assert promising.thresholds_ == AspectDetector().fit(load_showcase().examples).thresholds_


def test_while_a_threshold_keeps_accepted_answers_back_nothing_is_promised(promising: AspectDetector) -> None:
    """Of two aspects that keep a promise together, the worse may be left alone."""
    promise = promising.promise_
    assert promise is not None
    name, accepted_from = next((name, own) for name, own in promise.thresholds.items() if own is not None)
    try:
        promising.set_params(threshold={name: accepted_from + 0.01})
        assert promising.promise_ is None
        with pytest.raises(ConfigError, match="found one that changed since"):
            promising.predict(["cold soup"], review=True)
        promising.set_params(threshold={name: 0.1})
        assert promising.promise_ is promise
    finally:
        promising.set_params(threshold=None)
    assert promising.promise_ is promise


def test_a_table_has_the_columns_only_where_there_is_a_promise(promising: AspectDetector) -> None:
    import pyarrow as pa

    texts = [own[0] for own in load_showcase().examples.values()]
    found = promising.predict_batch(pa.table({"text": texts}))
    assert found.column_names[1:4] == ["aspects", "accepted", "to_review"]
    for row in found.to_pylist():
        assert sorted(row["accepted"] + row["to_review"]) == sorted(row["aspects"])
    plain = AspectDetector().fit({"food": ["cold soup"]}).predict_batch(pa.table({"text": texts}))
    assert "accepted" not in plain.column_names


def test_a_promise_is_saved_and_read(promising: AspectDetector, tmp_path) -> None:  # type: ignore[no-untyped-def]
    loaded = AspectDetector.load(promising.save(tmp_path / "saved"))
    assert loaded.promise_ == promising.promise_
    assert "Accepted answers: at least 0.8" in (tmp_path / "saved" / "MODEL_CARD.md").read_text(encoding="utf-8")
    assert AspectDetector.load(tmp_path / "saved", encode_again=True).promise_ is None
    plain = AspectDetector().fit({"food": ["cold soup"]}).save(tmp_path / "plain")
    assert "promise" not in (plain / "detector.json").read_text(encoding="utf-8")
    assert AspectDetector.load(plain).promise_ is None


def test_a_damaged_promise_is_refused(promising: AspectDetector, tmp_path) -> None:  # type: ignore[no-untyped-def]
    path = promising.save(tmp_path / "saved") / "detector.json"
    path.write_text(path.read_text(encoding="utf-8").replace('"confidence": 0.6', '"confidence": 6'), encoding="utf-8")
    with pytest.raises(CheckpointError, match="confidence: expected a number between 0 and 1"):
        AspectDetector.load(tmp_path / "saved")


@pytest.mark.parametrize("change", ["add_aspect", "remove_aspect", "add_examples", "adapt"])
def test_a_promise_is_void_once_the_detector_changes_and_says_so(change: str) -> None:
    detector = AspectDetector().fit({"food": ["cold soup"], "noise": ["thin walls"]})
    detector.tune(["cold soup today", "we came"], [["food"], []], precision=0.9)
    assert detector.predict(["cold soup"], review=True) == [[("food", "review")]]
    {
        "add_aspect": lambda: detector.add_aspect("parking"),
        "remove_aspect": lambda: detector.remove_aspect("noise"),
        "add_examples": lambda: detector.add_examples(["loud"], [["noise"]]),
        "adapt": lambda: detector.adapt([f"Table {number} was loud. Good soup." for number in range(120)]),
    }[change]()
    assert detector.promise_ is None
    with pytest.raises(ConfigError, match="found one that changed since"):
        detector.predict(["cold soup"], review=True)


def test_a_promise_that_accepts_nothing_says_so() -> None:
    never, some = (Promise(0.9, 0.8, False, "texts", 2, {"food": cut}) for cut in (None, 0.7))
    goal = "at least 0.9 of the accepted answers of all aspects are right, with confidence 0.8"
    assert str(some) == goal
    assert str(never) == f"no answer is accepted: the labels do not show that {goal}"


def test_without_a_promise_there_is_nothing_to_review() -> None:
    detector = AspectDetector().fit({"food": ["cold soup"]})
    with pytest.raises(ConfigError, match="expected a detector that was tuned to a precision, found none"):
        detector.predict(["cold soup"], review=True)


def test_examples_among_the_labelled_texts_do_not_count() -> None:
    detector = AspectDetector().fit({"food": ["cold soup"], "noise": ["thin walls"]})
    with pytest.warns(ExampleWarning, match="labelled texts that are examples, left out: 1"):
        promised = detector.tune(["cold soup", "we came"], [["food"], []], precision=0.9)
    assert promised.promise.labels == 1
    with pytest.raises(DataError, match="expected some that are no examples, found none"):
        detector.tune(["cold soup"], [["food"]], precision=0.9)


def test_a_promise_of_other_aspects_is_refused() -> None:
    content = {"precision": 0.9, "confidence": 0.9, "per_aspect": False, "source": "texts", "labels": 9}
    with pytest.raises(ValueError, match="must name them all"):
        Promise.from_json({**content, "thresholds": {"food": 0.5}}, ["food", "noise"])

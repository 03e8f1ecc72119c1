"""Polarities that come with examples, with the shipped weights."""

from __future__ import annotations

import json
import pickle
import random
import warnings
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from fewaspect import AspectDetector
from fewaspect.core.errors import CheckpointError, DataError
from fewaspect.detector.sentiment import own_polarities
from fewaspect.detector.sentiment.own_polarities import PolarityCorrection, kernel
from fewaspect.detector.sentiment.sentiment_readings import read_pairs
from fewaspect.detector.support import ExampleWarning, read_examples

THINGS = (
    "rooms",
    "drinks",
    "tickets",
    "burgers",
    "parts",
    "flights",
    "seats",
    "shoes",
    "meals",
    "cabs",
    "phones",
    "beds",
)
CHEAP = [f"The {thing} are cheap." for thing in THINGS]
EXAMPLES = {"price": CHEAP[:10], "staff": ["the waiter was rude", "a friendly waitress"]}
ASKED = [*CHEAP[10:], "Our waiter was lovely.", "The receptionist ignored us."]
ABOUT = [["price"], ["price"], ["staff"], ["staff"]]


def told(detector: AspectDetector) -> np.ndarray:
    found = detector.sentiment(ASKED, aspects=ABOUT)
    return np.array([list(polarity.values()) for own in found for polarity in own.values()])


@pytest.mark.parametrize("polarity", [0, 2])
def test_ten_examples_that_agree_decide_of_their_like_and_of_little_else(polarity: int) -> None:
    word = ("negative", "neutral", "positive")[polarity]
    plain, taught = AspectDetector().fit(EXAMPLES), AspectDetector().fit(EXAMPLES, polarities={"price": word})
    before, after = told(plain), told(taught)
    assert (after[:2].argmax(axis=1) == polarity).all()
    assert (after[:2, polarity] > 0.75).all()
    assert (after[2:].argmax(axis=1) == before[2:].argmax(axis=1)).all()
    assert np.abs(after[2:] - before[2:]).max() < 0.15


def test_one_example_changes_little_elsewhere() -> None:
    before = told(AspectDetector().fit(EXAMPLES))
    one = AspectDetector().fit(EXAMPLES, polarities={"price": ["negative"] + [None] * 9})
    assert np.abs(told(one)[2:] - before[2:]).max() < 0.1


def test_without_polarities_every_probability_is_the_same_to_the_bit() -> None:
    plain = AspectDetector().fit(EXAMPLES)
    none = AspectDetector().fit(EXAMPLES, polarities={"price": [None] * 10})
    assert np.array_equal(told(plain), told(none))
    assert plain.examples_ == none.examples_


def test_the_order_of_the_examples_does_not_matter() -> None:
    texts = [*EXAMPLES["price"], *EXAMPLES["staff"]]
    polar = [{"price": random.Random(text).choice(["negative", "positive"])} for text in texts[:10]]
    rows = list(zip(texts, [["price"]] * 10 + [["staff"]] * 2, [*polar, {}, {"staff": "mixed"}], strict=True))
    one = AspectDetector().fit([r[0] for r in rows], [r[1] for r in rows], polarities=[r[2] for r in rows])
    random.Random(0).shuffle(rows)
    other = AspectDetector().fit([r[0] for r in rows], [r[1] for r in rows], polarities=[r[2] for r in rows])
    assert told(one) == pytest.approx(told(other), abs=1e-9)


def test_detection_is_the_same_with_and_without_them() -> None:
    plain, taught = AspectDetector().fit(EXAMPLES), AspectDetector().fit(EXAMPLES, polarities={"price": "positive"})
    assert np.array_equal(plain.predict_proba(ASKED), taught.predict_proba(ASKED))


def test_both_forms_say_the_same() -> None:
    by_dict, _ = read_examples({"food": ["cold soup", "pizza"]}, polarities={"food": ["-", None]})
    by_rows, _ = read_examples(["cold soup", "pizza"], [["food"], ["food"]], polarities=[{"food": "Negative"}, None])
    assert by_dict.polarities == by_rows.polarities == {"cold soup": {"food": "negative"}}


def test_they_are_saved_and_loaded_and_only_written_where_there_are_some(tmp_path: Path) -> None:
    taught = AspectDetector().fit(EXAMPLES, polarities={"price": "negative"})
    loaded = AspectDetector.load(taught.save(tmp_path / "taught"))
    for other in (loaded, pickle.loads(pickle.dumps(taught))):  # noqa: S301
        assert told(other) == pytest.approx(told(taught), abs=1e-9)
    plain = json.loads((AspectDetector().fit(EXAMPLES).save(tmp_path / "plain") / "detector.json").read_text())
    path = tmp_path / "taught" / "detector.json"
    about = json.loads(path.read_text())
    assert "polarities" not in plain
    assert plain.keys() == about.keys() - {"polarities"}
    assert plain["examples"] == about["examples"]
    about["polarities"][0]["aspects"] = {"parking": "negative"}
    path.write_text(json.dumps(about))
    with pytest.raises(CheckpointError, match="polarities of aspects that are not there"):
        AspectDetector.load(tmp_path / "taught")


def test_more_examples_bring_theirs_and_a_removed_aspect_takes_its_away() -> None:
    detector = (
        AspectDetector().fit(EXAMPLES).add_examples(["thin walls"], [["staff"]], polarities=[{"staff": "neutral"}])
    )
    assert detector.examples_.polarities == {"thin walls": {"staff": "neutral"}}
    assert detector.remove_aspect("staff").examples_.polarities == {}


def test_contrary_polarities_of_one_sentence_do_not_count() -> None:
    with pytest.warns(ExampleWarning, match="different polarities"):
        examples, _ = read_examples({"food": ["Soup", "soup"]}, polarities={"food": ["-", "+"]})
    assert examples.polarities == {}


@pytest.mark.parametrize(
    ("examples", "polarities", "message"),
    [
        ({"food": ["a", "b"]}, {"food": ["negative"]}, 'polarities of "food": expected one for each of 2 examples'),
        ({"food": ["a"]}, {"fod": ["negative"]}, 'unknown aspect "fod". Did you mean "food"'),
        ({"food": ["a"]}, {"food": ["bad"]}, "expected negative, neutral, positive or mixed .* found 'bad'"),
        ({"food": ["a"]}, ["negative"], "expected a dict of lists"),
        (["a"], ["negative"], "for each of 1 texts, found"),
        (["a"], [{"staff": "negative"}], 'expected aspects of "a", found "staff"'),
    ],
)
def test_what_says_no_polarity_is_refused(examples: object, polarities: object, message: str) -> None:
    labels = None if isinstance(examples, dict) else [["food"]]
    with pytest.raises(DataError, match=message), warnings.catch_warnings():
        AspectDetector().fit(examples, labels, polarities=polarities)


def test_a_correction_is_kernel_ridge_regression_of_what_was_wrong() -> None:
    rng = np.random.default_rng(0)
    vectors = rng.normal(size=(4, 8))
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    probabilities, weights = rng.dirichlet(np.ones(3), 4), rng.normal(size=(4, 3))
    aspects = np.array([0, 0, 1, 1])
    correction = PolarityCorrection(aspects[:3], vectors[:3], probabilities[:3], weights[:3], {})
    states = [np.stack([vectors[3]] * 3)]
    (found,) = correction(aspects[3:], states, probabilities[3:])
    alike = [
        max(vectors[3] @ vectors[s], 0) ** 3
        * (4 * (aspects[s] == 1) + 4 * np.sqrt(probabilities[3]) @ np.sqrt(probabilities[s]))
        for s in range(3)
    ]
    many = 2000  # more than are compared at once
    repeated = correction.corrected(aspects[[3] * many], vectors[[3] * many], probabilities[[3] * many])
    assert repeated == pytest.approx(np.repeat(found[None], many, axis=0))
    logits = np.log(probabilities[3]) + np.array(alike) @ weights[:3]
    assert found == pytest.approx(np.exp(logits) / np.exp(logits).sum())
    own = (aspects, vectors, probabilities)
    assert np.allclose(kernel(own, own), kernel(own, own).T)
    assert np.linalg.eigvalsh(kernel(own, own)).min() > -1e-9


def test_readings_that_are_kept_and_corrected_are_what_sentiment_tells() -> None:
    detector = AspectDetector().fit(EXAMPLES, polarities={"price": "negative"})
    wanted = np.array([["price" in own, "staff" in own] for own in ABOUT])
    probabilities, vectors = read_pairs(
        detector.model_, detector.examples_, [*ASKED, "🍕"], np.vstack([wanted, [0, 1]])
    )
    rows, aspects = np.nonzero(wanted)
    correction = detector.polarity_correction_
    assert correction is not None
    found = correction.corrected(aspects, vectors[rows], probabilities[rows, aspects])
    assert found == pytest.approx(told(detector), abs=1e-4)
    assert probabilities[0, 1].tolist() == [0, 0, 0]


def test_a_change_of_polarities_alone_reads_the_new_ones_only(monkeypatch: pytest.MonkeyPatch) -> None:
    before = AspectDetector().fit(EXAMPLES, polarities={"price": "negative"})
    correction = before.polarity_correction_
    more = {**before.examples_.polarities, "a friendly waitress": {"staff": "positive"}}
    changed = replace(before.examples_, polarities=more)
    read: list[list[str]] = []
    original = own_polarities.read_pairs
    monkeypatch.setattr(
        own_polarities, "read_pairs", lambda m, e, texts, wanted: read.append([*texts]) or original(m, e, texts, wanted)
    )
    after = AspectDetector.from_examples(before.model_, changed, {}, before)
    assert after.polarity_correction_ is not correction
    assert read == [["a friendly waitress"]]
    assert after.prototypes_ is before.prototypes_

"""`AspectDetector` as its users meet it."""

from __future__ import annotations

import doctest
import inspect
import subprocess
import sys
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from detector_texts import EXAMPLES
from fewaspect import AspectDetector
from fewaspect.core.errors import ConfigError, DataError, FewAspectError
from fewaspect.detector import detector as module
from fewaspect.detector import predictor
from fewaspect.detector.explain import DEFAULT_THRESHOLD
from fewaspect.detector.support import ExampleWarning

Fit = Callable[..., AspectDetector]
TEXTS = ["cold soup again", "Nobody could park. The pizza was great!", "see you on Monday", "", "a rude waiter"]


def test_importing_the_package_does_not_import_torch() -> None:
    code = "import sys, fewaspect; assert 'torch' not in sys.modules and 'sklearn' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True)


@pytest.mark.skipif(find_spec("pyarrow") is None, reason="one of them is a table of pyarrow")
def test_the_examples_in_the_docstrings_are_true() -> None:
    results = [doctest.testmod(part) for part in (module, predictor)]
    assert sum(result.attempted for result in results) > 30
    assert not any(result.failed for result in results)


def test_every_public_method_has_an_example() -> None:
    public = [f for name, f in inspect.getmembers(AspectDetector, inspect.isroutine) if not name.startswith("_")]
    methods = [f for f in public if f.__module__ in (module.__name__, predictor.__name__)]
    assert len(methods) >= 14
    assert not [f.__name__ for f in methods if ">>> " not in (f.__doc__ or "")]


def test_a_few_examples_are_enough_for_plain_sentences(fitted: Fit) -> None:
    found = fitted().predict(TEXTS)
    assert [set(own) for own in found] == [{"food"}, {"food", "parking"}, set(), set(), {"staff"}]


def test_aspects_are_answered_best_first(fitted: Fit) -> None:
    detector = fitted(threshold=0.01)
    for found, p in zip(detector.predict(TEXTS), detector.predict_proba(TEXTS), strict=True):
        order = [str(name) for name in detector.classes_[np.argsort(-p)]]
        assert found == order[: len(found)]


def test_probabilities_have_a_row_per_text_and_a_column_per_aspect(fitted: Fit) -> None:
    detector = fitted()
    assert detector.classes_.tolist() == ["food", "parking", "staff"]
    assert detector.predict_proba([]).shape == (0, 3)
    assert detector.predict([]) == []
    p = detector.predict_proba(TEXTS)
    assert p.shape == (5, 3)
    assert ((p >= 0) & (p <= 1)).all()
    order = [3, 0, 4, 2, 1]
    np.testing.assert_allclose(detector.predict_proba([TEXTS[i] for i in order]), p[order], atol=1e-4)
    np.testing.assert_allclose(detector.set_params(batch_tokens=1).predict_proba(TEXTS), p, atol=1e-4)


@pytest.mark.parametrize("text", ["", "   ", "\n\t", "\u200b", "\x00"])
def test_a_text_without_words_has_no_aspect(fitted: Fit, text: str) -> None:
    detector = fitted(threshold=0.0)
    assert detector.predict_proba([text]).tolist() == [[0.0, 0.0, 0.0]]
    assert detector.predict([text]) == [[]]
    assert detector.analyze(text).reason == "no aspect: there are no words to read"


KNOWN = AspectDetector()


@settings(max_examples=15)
@given(st.text(alphabet=st.characters(), max_size=40))
def test_any_text_is_read(text: str) -> None:
    if not hasattr(KNOWN, "classes_"):
        KNOWN.fit(EXAMPLES)
    (row,) = KNOWN.predict_proba([text])
    assert ((row >= 0) & (row <= 1)).all()


def test_a_review_has_the_highest_probability_of_its_sentences(fitted: Fit) -> None:
    detector = fitted()
    parts = ["The soup was cold.", "Nobody could park.", "We left."]
    whole = detector.predict_proba([" ".join(parts)])[0]
    np.testing.assert_allclose(whole, detector.predict_proba(parts).max(axis=0), atol=1e-4)


def test_the_end_of_a_long_sentence_is_read_too(fitted: Fit) -> None:
    detector = fitted()
    text = "we walked on and on " * 150 + "and then the soup was cold"
    assert detector.model_.encoder.tokeniser.too_long([text]) == [True]
    (analysis,) = detector.analyze_many([text], words=False)
    assert len(analysis.sentences) > 1
    assert analysis.sentences[-1].text.endswith("the soup was cold")
    assert not any(detector.model_.encoder.tokeniser.too_long([s.text for s in analysis.sentences]))


def test_a_long_example_counts_as_one(fitted: Fit) -> None:
    detector = fitted()
    detector.add_aspect("noise", ["thin walls and loud neighbours all night long " * 120])
    assert detector.shots_["noise"] == 1
    assert float(detector._fitted().fitted.shots[3]) == pytest.approx(1.0)
    assert detector.predict(["loud neighbours"]) == [["noise"]]


def test_adding_an_aspect_leaves_the_others_unmoved(fitted: Fit) -> None:
    detector = fitted()
    before = detector.prototypes_.copy()
    detector.add_aspect("noise", ["thin walls"], description="loud neighbours")
    assert np.array_equal(detector.prototypes_[:3], before)
    detector.add_examples(["a party next door"], [["noise"]])
    assert np.array_equal(detector.prototypes_[:3], before)
    detector.remove_aspect("noise")
    assert np.array_equal(detector.prototypes_, before)


def test_adding_an_aspect_reads_only_its_own_examples_and_name(fitted: Fit, monkeypatch: pytest.MonkeyPatch) -> None:
    detector = fitted()
    read: list[str] = []
    tokens = detector.model_.encoder.tokeniser
    ids = tokens.ids
    monkeypatch.setattr(tokens, "ids", lambda texts: read.extend(texts) or ids(texts))
    detector.add_aspect("noise", ["thin walls", "street noise"])
    assert set(read) == {"noise", "street noise", "thin walls"}


def test_aspects_added_one_by_one_are_those_fitted_together(fitted: Fit) -> None:
    detector = AspectDetector()
    for name, examples in EXAMPLES.items():
        detector.add_aspect(name, examples)
    np.testing.assert_allclose(detector.predict_proba(TEXTS), fitted().predict_proba(TEXTS), atol=1e-4)


def test_a_name_and_a_description_serve_without_examples() -> None:
    detector = AspectDetector().fit({"food": [], "money": []}, descriptions={"money": "the price, the bill"})
    p = detector.predict_proba(["the pizza was tasty", "the bill was far too high"])
    assert p.argmax(axis=1).tolist() == [0, 1]


def test_one_aspect_alone_is_not_always_there() -> None:
    p = AspectDetector().fit({"food": ["the soup was cold"]}).predict_proba(["cold soup", "the lift was broken"])
    assert p[0, 0] > DEFAULT_THRESHOLD > p[1, 0]


def test_examples_of_none_lower_the_probabilities_near_them(fitted: Fit) -> None:
    text = "the kitchen door was painted green"
    before = fitted().predict_proba([text])[0]
    for detector in (
        fitted().add_examples(["the door was painted green"], [[]]),
        AspectDetector().fit(EXAMPLES, none=["the door was painted green"]),
    ):
        after = detector.predict_proba([text])[0]
        assert after[0] < before[0]
        assert detector.shots_ == {"food": 2, "parking": 2, "staff": 1}


def test_uneven_examples_and_several_aspects_per_sentence_are_fine() -> None:
    texts = [f"dish number {i} was tasty" for i in range(30)] + ["the waiter dropped my soup", "rude waiter"]
    labels = [["food"]] * 30 + [["food", "staff"], ["staff"]]
    detector = AspectDetector().fit(texts, labels)
    assert detector.shots_ == {"food": 31, "staff": 2}
    assert detector.predict(["a tasty dish", "impolite waiters"]) == [["food"], ["staff"]]


def test_a_matrix_in_means_a_matrix_out() -> None:
    texts = [text for own in EXAMPLES.values() for text in own]
    matrix = np.repeat(np.eye(3, dtype=int), [2, 2, 1], axis=0)
    detector = AspectDetector().fit(texts, matrix, names=list(EXAMPLES))
    found = detector.predict(TEXTS)
    assert found.tolist() == [[1, 0, 0], [1, 1, 0], [0, 0, 0], [0, 0, 0], [0, 0, 1]]
    assert AspectDetector().fit(texts, matrix).classes_.tolist() == ["0", "1", "2"]


def test_thresholds_act_at_decision_time_only(fitted: Fit) -> None:
    detector = fitted()
    p = detector.predict_proba(TEXTS)
    assert detector.set_params(threshold=1.0).predict(TEXTS) == [[]] * 5
    assert detector.set_params(threshold={"food": 1.0}).predict(TEXTS)[0] == []
    np.testing.assert_array_equal(detector.predict_proba(TEXTS), p)


def test_nothing_that_is_read_is_kept_on_disk(fitted: Fit, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    detector = fitted()  # loaded before: what is remembered of the weights themselves is no secret
    monkeypatch.setenv("FEWASPECT_CACHE", str(tmp_path))
    detector.fit(EXAMPLES).analyze_many(TEXTS)
    detector.tune()
    assert list(tmp_path.rglob("*")) == []


def test_bad_parameters_and_texts_are_refused(fitted: Fit) -> None:
    with pytest.raises(ConfigError, match="batch_tokens: expected an integer from 1, or None, found 0"):
        fitted(batch_tokens=0)
    with pytest.raises(DataError, match=r"texts\[1\]: expected a text, found float nan"):
        fitted().predict(["fine", float("nan")])  # type: ignore[list-item]
    with pytest.raises(DataError, match="found one string"):
        fitted().predict("fine")
    with pytest.raises(DataError, match="texts: expected those of the labels, found none"):
        fitted().tune(None, [["food"]])
    for n in ("3", 2.5, -1, None):
        with pytest.raises(ConfigError, match=f"n: expected an integer from 0, found {n!r}"):
            fitted().suggest(["fine"], n=n)  # type: ignore[arg-type]
    assert fitted().suggest(["fine"], n=0) == []


def test_an_aspect_the_labels_know_but_the_detector_does_not_is_said(fitted: Fit) -> None:
    result = fitted().evaluate(["cold soup", "thin walls"], [["food"], ["noise"]])
    assert result["unknown_aspects"] == {"noise": 1}
    assert result["empties"] == 1
    assert fitted().score(["cold soup", "thin walls"], [["food"], ["noise"]]) == pytest.approx(2 / 3)


def test_a_removed_aspect_leaves_no_threshold_behind(fitted: Fit) -> None:
    detector = fitted(threshold={"parking": 0.9, "food": 0.2}).remove_aspect("parking")
    assert detector.thresholds_["food"] == 0.2
    assert detector.predict(["cold soup"]) == [["food"]]


@pytest.mark.parametrize("threshold", [5, "abc", {"food": -1}, {"fod": 0.5}])
def test_a_threshold_that_cannot_be_is_refused_by_fit_and_by_save(threshold: Any, fitted: Fit, tmp_path: Path) -> None:
    with pytest.raises(FewAspectError, match=r"threshold|fod"):
        fitted(threshold=threshold)
    detector = fitted().set_params(threshold=threshold)
    with pytest.raises(FewAspectError, match=r"threshold|fod"):
        detector.save(tmp_path / "saved")
    assert not (tmp_path / "saved").exists()


def test_examples_without_a_word_are_left_out_and_told() -> None:
    with pytest.warns(ExampleWarning, match="1 example without a word to read, left out"):
        detector = AspectDetector().fit({"food": ["the soup was cold", "\u200b"]})
    assert detector.shots_ == {"food": 1}
    assert "without a word to read" in detector.remarks_[0]

"""The polarity of each aspect, with the shipped weights."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from fewaspect import AspectDetector
from fewaspect.core.errors import CheckpointError, ConfigError, DataError
from fewaspect.detector.model import load_model
from fewaspect.inference.encoder import SENTIMENT, SHIPPED
from fewaspect.inference.encoding_cache import CachingEncoder

EXAMPLES = {"food": ["the soup was cold", "great pizza"], "staff": ["the waiter was rude", "a friendly waitress"]}
BOTH = "The waiter was lovely, but the soup was awful."
TEXTS = [
    BOTH,
    "Great pizza. The pasta was disgusting. Our waiter was kind.",
    "see you on Monday",
    "",
    "🍕",
    "a cold soup",
]


@pytest.fixture(scope="module")
def detector() -> AspectDetector:
    return AspectDetector().fit(EXAMPLES)


@pytest.fixture(scope="module")
def plain(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The shipped model as one that was exported before there was sentiment."""
    folder = tmp_path_factory.mktemp("plain") / "model"
    shutil.copytree(SHIPPED, folder)
    (folder / SENTIMENT).unlink()
    about = json.loads((folder / "model.json").read_text(encoding="utf-8"))
    del about["sentiment"], about["files"][SENTIMENT]
    (folder / "model.json").write_text(json.dumps(about), encoding="utf-8")
    return folder


def test_the_shipped_model_is_as_small_as_promised() -> None:
    sizes = {path.name: path.stat().st_size / 1e6 for path in SHIPPED.iterdir() if path.is_file()}
    sentiment = sizes.pop(SENTIMENT)
    assert sum(sizes.values()) <= 30
    assert sentiment <= 15


def test_two_aspects_of_a_sentence_can_differ(detector: AspectDetector) -> None:
    (found,) = detector.sentiment([BOTH])
    assert {name: max(own, key=lambda p: own[p]) for name, own in found.items()} == {
        "staff": "positive",
        "food": "negative",
    }


def test_exactly_the_answered_aspects_have_three_probabilities(detector: AspectDetector) -> None:
    found = detector.sentiment(TEXTS)
    assert [list(own) for own in found] == detector.predict(TEXTS)
    for told in (told for own in found for told in own.values()):
        assert list(told) == ["negative", "neutral", "positive"]
        assert sum(told.values()) == pytest.approx(1)


def test_a_text_is_told_alone_as_among_others(detector: AspectDetector) -> None:
    together = detector.sentiment(TEXTS)
    for text, expected in zip(TEXTS, together, strict=True):
        (alone,) = detector.sentiment([text])
        assert alone.keys() == expected.keys()
        for name, told in alone.items():
            assert told == pytest.approx(expected[name], abs=1e-5)


def test_given_aspects_are_told_whatever_is_answered(detector: AspectDetector) -> None:
    found = detector.sentiment([BOTH, "", "Hello. A bad soup."], aspects=[["food", "the view"], ["staff"], ["food"]])
    assert [list(own) for own in found] == [["food", "the view"], ["staff"], ["food"]]
    assert found[1]["staff"] == {"negative": 0, "neutral": 1, "positive": 0}
    assert found[2]["food"]["negative"] > 0.5
    assert found[0]["food"] == pytest.approx(detector.sentiment([BOTH])[0]["food"], abs=1e-6)


def test_lists_that_do_not_fit_the_texts_are_refused(detector: AspectDetector) -> None:
    with pytest.raises(DataError, match="each of 2 texts, found 1"):
        detector.sentiment(["a", "b"], aspects=[["food"]])


def test_sentences_count_by_how_probable_the_aspect_is_in_them(detector: AspectDetector) -> None:
    parts = ["Great pizza.", "The soup was disgusting."]
    (whole,) = detector.sentiment([" ".join(parts)])
    alone = detector.sentiment(parts)
    weights = detector.predict_proba(parts)[:, 0]
    expected = np.average([own["food"]["negative"] for own in alone], weights=weights)
    assert whole["food"]["negative"] == pytest.approx(expected, abs=1e-5)


def read_as_trained(text: str, label: str) -> np.ndarray:
    """(3,) probabilities from the states of the whole text and the means over the tokens of the label, as the branch
    has learned."""
    model = load_model()
    branch, (last, lower), (label_last, label_lower) = (
        model.sentiment,
        *([part[0] for part in model.shared_states(model.encoder.tokeniser.ids([each]))] for each in (text, label)),
    )
    assert branch is not None
    return branch.probabilities(
        [(lower, last)], [(label_lower[1:-1].mean(axis=0), label_last[1:-1].mean(axis=0))], [0]
    )[0]


def test_texts_and_names_are_read_as_the_branch_has_learned(detector: AspectDetector) -> None:
    for text in (BOTH, "The waiter was lovely. The soup was not. I would not eat it again."):
        (found,) = detector.sentiment([text], aspects=[["food", "the view of the sea"]])
        for name, told in found.items():
            assert list(told.values()) == pytest.approx(read_as_trained(text, name), abs=1e-5)


def test_a_long_text_is_read_in_pieces_and_those_count_that_speak_of_the_aspect(detector: AspectDetector) -> None:
    about_food = "The soup was cold and the pizza was disgusting. "
    long = about_food + "We sat in the sun and looked at the boats for an hour or two. " * 8
    (found,) = detector.sentiment([long], aspects=[["food"]])
    (first,) = detector.sentiment(
        [about_food + "We sat in the sun and looked at the boats for an hour or two. " * 4], aspects=[["food"]]
    )
    assert found["food"] == pytest.approx(first["food"], abs=1e-5)


def test_a_column_of_a_matrix_is_known_by_its_examples() -> None:
    detector = AspectDetector().fit(["the soup was cold", "garage full"], [[1, 0], [0, 1]])
    (found,) = detector.sentiment(["awful cold soup"])
    assert max(found["0"], key=lambda p: found["0"][p]) == "negative"


def test_analyze_tells_it_of_texts_and_of_sentences_where_asked(detector: AspectDetector) -> None:
    analysis = detector.analyze(TEXTS[1], sentiment=True)
    assert analysis.sentiment is not None
    assert analysis.sentiment["staff"].polarity == "positive"
    assert set(analysis.sentiment) == set(analysis.aspects)
    for sentence in analysis.sentences:
        assert set(sentence.sentiment or ()) == set(sentence.aspects)
    assert analysis.sentiment["food"].probabilities == pytest.approx(detector.sentiment([TEXTS[1]])[0]["food"])


def test_without_it_nothing_changes(detector: AspectDetector) -> None:
    for one, other in zip(detector.analyze_many(TEXTS), detector.analyze_many(TEXTS, sentiment=True), strict=True):
        assert one.sentiment is None
        bare = [replace(sentence, sentiment=None) for sentence in other.sentences]
        assert replace(other, sentiment=None, sentences=tuple(bare)) == one


def test_who_does_not_ask_for_it_does_not_open_the_branch(tmp_path: Path) -> None:
    shutil.copytree(SHIPPED, tmp_path / "copy")
    own = AspectDetector(tmp_path / "copy").fit(EXAMPLES)
    assert own.predict([BOTH]) == [["staff", "food"]]
    assert own.model_.sentiment is not None
    assert "session" not in vars(own.model_.sentiment)
    own.sentiment([BOTH])
    assert "session" in vars(own.model_.sentiment)


def test_tables_get_a_column_for_each_aspect(detector: AspectDetector) -> None:
    pa = pytest.importorskip("pyarrow")
    found = detector.predict_batch(pa.table({"text": TEXTS}), sentiment=True)
    assert found["sentiment_food"].to_pylist()[:4:3] == ["negative", None]
    assert "sentiment_food" not in detector.predict_batch(pa.table({"text": TEXTS})).column_names


def test_an_encoder_that_remembers_tells_the_same_but_for_its_half_precision(detector: AspectDetector) -> None:
    model = load_model()
    cached = AspectDetector(replace(model, encoder=CachingEncoder(model.encoder))).fit(EXAMPLES)
    (one,), (other,), (again,) = (each.sentiment([BOTH]) for each in (detector, cached, cached))
    assert one["food"] == pytest.approx(other["food"], abs=0.01)
    assert other == again


def test_an_older_model_detects_as_before_and_says_that_it_has_none(detector: AspectDetector, plain: Path) -> None:
    older = AspectDetector(plain).fit(EXAMPLES)
    assert np.array_equal(older.predict_proba(TEXTS), detector.predict_proba(TEXTS))
    for call in (older.sentiment, lambda texts: older.analyze_many(texts, sentiment=True)):
        with pytest.raises(ConfigError, match="expected a model that tells sentiment, found one without it"):
            call(TEXTS)


def test_a_saved_detector_takes_the_branch_with_it(tmp_path: Path, plain: Path) -> None:
    shutil.copytree(SHIPPED, tmp_path / "copy")
    own = AspectDetector(tmp_path / "copy").fit(EXAMPLES)
    loaded = AspectDetector.load(own.save(tmp_path / "saved"))
    assert loaded.sentiment([BOTH]) == own.sentiment([BOTH])
    AspectDetector.load(AspectDetector(plain).fit(EXAMPLES).save(tmp_path / "without"))


def test_a_damaged_branch_is_refused(tmp_path: Path) -> None:
    shutil.copytree(SHIPPED, tmp_path / "copy")
    (tmp_path / "copy" / SENTIMENT).write_bytes(b"nothing")
    with pytest.raises(CheckpointError, match=SENTIMENT):
        AspectDetector(tmp_path / "copy").fit(EXAMPLES)


def test_both_polarities_at_once_are_mixed(fitted: Callable[..., AspectDetector]) -> None:
    from fewaspect.detector.sentiment.aspect_sentiment import AspectSentiment

    assert AspectSentiment.of(np.array([0.45, 0.1, 0.45]), 0.3).polarity == "mixed"
    assert AspectSentiment.of(np.array([0.75, 0.05, 0.2]), 0.3).polarity == "negative"

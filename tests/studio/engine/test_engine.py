"""What the engine says is of the newest revision, unless an older one will do, and costs no more than what changed."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest

from fewaspect import AspectDetector
from fewaspect.detector.model import InferenceModel
from fewaspect.studio.engine.engine import Engine
from fewaspect.studio.engine.presenters import describe
from fewaspect.studio.engine.state import State
from fewaspect.studio.store.database import Database
from fewaspect.studio.store.definition import (
    NewAspect,
    add_aspect,
    change_aspect,
    put_example,
    remove_aspect,
    set_threshold,
)
from fewaspect.studio.store.projects import create_project
from fewaspect.studio.store.reviews import NewReview, add_reviews, remove_reviews

TEXTS = ["Cold soup again.", "Nobody could park.", "See you on Monday.", "The waiter was rude.", "cold soup AGAIN."]


@pytest.fixture
def engine(tmp_path: Path, scorer: InferenceModel) -> Iterator[Engine]:
    database = Database(str(tmp_path / "studio.db"))
    with database.write() as connection:
        create_project(connection, "a")
        add_aspect(connection, 1, NewAspect("food"), ["the soup was cold"])
        add_aspect(connection, 1, NewAspect("parking"), ["no valet", "garage full"])
        add_reviews(connection, 1, [NewReview(text, None, {}, [(0, len(text))]) for text in TEXTS])
    engine = Engine(database, lambda: scorer)
    yield engine
    engine.stop()
    database.close()


def wait_until(there: Callable[[], bool]) -> None:
    for _ in range(500):
        if there():
            return
        time.sleep(0.02)
    raise AssertionError("it does not happen")


def test_probabilities_are_those_of_a_detector_fitted_with_the_same(engine: Engine, scorer: InferenceModel) -> None:
    fitted = AspectDetector().fit({"food": ["the soup was cold"], "parking": ["no valet", "garage full"]})
    assert np.allclose(engine.fresh(1).probabilities, fitted.predict_proba(TEXTS), atol=2e-3)  # half precision


def test_the_worker_scores_what_nobody_asked_for(engine: Engine) -> None:
    state = engine.state(1)
    wait_until(lambda: not state.unfinished)
    assert state.scored == 1.0
    assert (state.probabilities > 0).all()


def test_the_worker_outlives_a_fault(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(State, "score", lambda *_: 1 / 0)
        engine.state(1)
        wait_until(lambda: 1 not in engine._states)
    state = engine.state(1)
    wait_until(lambda: not state.unfinished)


def test_a_new_example_changes_what_is_found(engine: Engine) -> None:
    before = engine.fresh(1)
    with engine.database.write() as connection:
        put_example(connection, 1, "The waiter was rude.", [1])
    after = engine.fresh(1)
    assert after.revision == before.revision + 1
    assert after.probabilities[3, 0] > before.probabilities[3, 0] + 0.2


def test_thresholds_change_decisions_without_scoring_again(engine: Engine) -> None:
    before = engine.fresh(1)
    with engine.database.write() as connection:
        set_threshold(connection, 1, 1.0)
        change_aspect(connection, 1, 2, {"threshold": 0.0})
    after = engine.state(1)
    assert after.scored == 1.0
    assert np.array_equal(after.probabilities, before.probabilities)
    assert after.decided().tolist() == [[False, True]] * 5


def test_a_removed_aspect_leaves_the_columns_of_the_others(engine: Engine) -> None:
    before = engine.fresh(1).probabilities
    with engine.database.write() as connection:
        remove_aspect(connection, 1, 1)
    after = engine.state(1)
    assert after.aspect_ids == [2]
    assert np.array_equal(after.probabilities[:, 0], before[:, 1])  # until it is scored anew
    assert after.scored < 1


def test_what_the_user_said_wins_over_the_detector_for_every_equal_sentence(engine: Engine) -> None:
    with engine.database.write() as connection:
        put_example(connection, 1, TEXTS[0], [2])
    state = engine.fresh(1)
    assert state.decided()[[0, 4]].tolist() == [[False, True]] * 2
    assert sorted(state.confirmed) == [0, 4]


def test_without_aspects_nothing_is_found_and_nothing_fails(engine: Engine) -> None:
    with engine.database.write() as connection:
        remove_aspect(connection, 1, 1)
        remove_aspect(connection, 1, 2)
    state = engine.fresh(1)
    assert state.detector is None
    assert state.decided().shape == (5, 0)
    assert state.scored == 1.0


def test_reviews_that_are_removed_are_gone_and_new_ones_are_scored(engine: Engine) -> None:
    engine.fresh(1)
    with engine.database.write() as connection:
        remove_reviews(connection, 1)
        add_reviews(connection, 1, [NewReview("garage full", None, {}, [(0, 11)])])
    state = engine.fresh(1)
    assert state.rows.texts == ["garage full"]
    assert state.decided().tolist() == [[False, True]]


def test_an_example_without_a_word_does_no_harm(engine: Engine) -> None:
    with engine.database.write() as connection:
        put_example(connection, 1, "!!!", [1])
    assert engine.fresh(1).scored == 1.0


def test_a_change_reads_only_what_is_new(
    engine: Engine, scorer: InferenceModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    engine.fresh(1)
    asked = []
    inner = scorer.encoder.encoder
    monkeypatch.setattr(inner, "states", lambda ids, real=inner.states: asked.append(len(ids)) or real(ids))
    with engine.database.write() as connection:
        put_example(connection, 1, "an example that nobody wrote before 4711", [1])
    engine.fresh(1)
    assert sum(asked) == 1


def corrected(engine: Engine) -> State:
    """The state after one example more."""
    with engine.database.write() as connection:
        put_example(connection, 1, "The waiter was rude.", [1])
    return engine.state(1)


def test_who_knows_no_later_revision_is_answered_from_the_state_before_until_all_it_showed_is_read_anew(
    engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = engine.fresh(1)
    describe(before, [0, 3])
    with monkeypatch.context() as patch:
        patch.setattr(Engine, "_renew", lambda *_: time.sleep(0.01))
        after = corrected(engine)
        assert after.at_least(None) is after
        assert after.at_least(after.revision) is after
        assert after.at_least(before.revision) is before
        patch.setattr("fewaspect.studio.engine.state.GRACE", 0.0)
        assert after.at_least(before.revision) is after, "it has answered for long enough"
    wait_until(lambda: after.before is None)
    assert after.at_least(before.revision) is after
    assert set(after.described) == {0, 3}


def test_changes_in_a_row_leave_the_last_state_that_was_read(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Engine, "_renew", lambda *_: time.sleep(0.01))
    before = engine.fresh(1)
    describe(before, [0])
    since = corrected(engine).since
    with engine.database.write() as connection:
        put_example(connection, 1, "See you on Monday.", [])
    assert engine.state(1).before is before
    assert engine.state(1).since == since, "its time is not begun anew"


def test_a_state_of_other_sentences_answers_for_nobody(engine: Engine) -> None:
    describe(engine.fresh(1), [0])
    with engine.database.write() as connection:
        add_reviews(connection, 1, [NewReview("New.", None, {}, [(0, 4)])])
    assert engine.state(1).before is None


def test_without_aspects_nothing_is_read_anew(engine: Engine) -> None:
    describe(engine.fresh(1), [0])
    with engine.database.write() as connection:
        remove_aspect(connection, 1, 1)
        remove_aspect(connection, 1, 2)
    assert engine.state(1).before is None


def test_what_is_shown_is_scored_too(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(State, "unfinished", False)  # the worker has nothing to do
    state = engine.state(1)
    assert state.stale(np.array([1, 2])).tolist() == [1, 2]
    shown = describe(state, [1, 2])
    assert not len(state.stale(np.array([1, 2])))
    assert list(shown[0]["scores"].values()) == pytest.approx(state.probabilities[1], abs=1e-6)

"""The engine answers from the newest revision, unless an older one is accepted, and computes only what changed."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from fewaspect.detector.detector import AspectDetector
from fewaspect.detector.model import InferenceModel
from fewaspect.studio.engine.engine import Engine
from fewaspect.studio.engine.presenters import present
from fewaspect.studio.engine.snapshot import Snapshot
from fewaspect.studio.store.database import Database
from fewaspect.studio.store.definition import (
    NewAspect,
    add_aspect,
    change_aspect,
    put_example,
    remove_aspect,
    set_threshold,
)
from fewaspect.studio.store.import_records import remove_reviews
from fewaspect.studio.store.projects import create_project
from fewaspect.studio.store.reviews import NewReview, add_reviews

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
    for _ in range(3000):
        if there():
            return
        time.sleep(0.02)
    raise AssertionError("it does not happen")


def test_probabilities_are_those_of_a_detector_fitted_with_the_same(engine: Engine, scorer: InferenceModel) -> None:
    fitted = AspectDetector().fit({"food": ["the soup was cold"], "parking": ["no valet", "garage full"]})
    found = engine.scored_snapshot(1).scores.probabilities
    assert np.allclose(found, fitted.predict_proba(TEXTS), atol=2e-3)  # half precision


def test_the_worker_scores_what_nobody_asked_for(engine: Engine) -> None:
    snapshot = engine.snapshot(1)
    wait_until(lambda: not len(snapshot.scores.stale()))
    assert snapshot.scores.scored == 1.0
    assert (snapshot.scores.probabilities > 0).all()


def test_the_worker_outlives_a_fault(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(Snapshot, "score", lambda *_: 1 / 0)
        engine.snapshot(1)
        wait_until(lambda: 1 not in engine._projects)
    snapshot = engine.snapshot(1)
    wait_until(lambda: not len(snapshot.scores.stale()))


def test_the_worker_goes_on_when_a_request_was_faster(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    pending = Engine._pending
    asked = iter([(1, lambda: None), None])  # there is work when it wakes, and none when it takes it
    monkeypatch.setattr(Engine, "_pending", lambda own: next(asked, pending(own)))
    snapshot = engine.snapshot(1)
    wait_until(lambda: not len(snapshot.scores.stale()))


def test_a_new_example_changes_what_is_found(engine: Engine) -> None:
    before = engine.scored_snapshot(1)
    with engine.database.write() as connection:
        put_example(connection, 1, "The waiter was rude.", [1])
    after = engine.scored_snapshot(1)
    assert after.revision == before.revision + 1
    assert after.scores.probabilities[3, 0] > before.scores.probabilities[3, 0] + 0.2


def test_thresholds_change_decisions_without_scoring_again(engine: Engine) -> None:
    before = engine.scored_snapshot(1)
    with engine.database.write() as connection:
        set_threshold(connection, 1, 1.0)
        change_aspect(connection, 1, 2, {"threshold": 0.0})
    after = engine.snapshot(1)
    assert after.scores.scored == 1.0
    assert np.array_equal(after.scores.probabilities, before.scores.probabilities)
    assert after.decided().tolist() == [[False, True]] * 5


def test_a_removed_aspect_leaves_the_columns_of_the_others(engine: Engine) -> None:
    before = engine.scored_snapshot(1).scores.probabilities
    with engine.database.write() as connection:
        remove_aspect(connection, 1, 1)
    after = engine.snapshot(1)
    assert after.aspect_ids == [2]
    assert np.array_equal(after.scores.probabilities[:, 0], before[:, 1])  # until it is scored anew
    assert after.scores.scored < 1


def test_what_the_user_said_wins_over_the_detector_for_every_equal_sentence(engine: Engine) -> None:
    with engine.database.write() as connection:
        put_example(connection, 1, TEXTS[0], [2])
    snapshot = engine.scored_snapshot(1)
    assert snapshot.decided()[[0, 4]].tolist() == [[False, True]] * 2
    assert sorted(snapshot.confirmed) == [0, 4]


def test_without_aspects_nothing_is_found_and_nothing_fails(engine: Engine) -> None:
    with engine.database.write() as connection:
        remove_aspect(connection, 1, 1)
        remove_aspect(connection, 1, 2)
    snapshot = engine.scored_snapshot(1)
    assert snapshot.detector is None
    assert snapshot.decided().shape == (5, 0)
    assert snapshot.scores.scored == 1.0


def test_reviews_that_are_removed_are_gone_and_new_ones_are_scored(engine: Engine) -> None:
    engine.scored_snapshot(1)
    with engine.database.write() as connection:
        remove_reviews(connection, 1)
        add_reviews(connection, 1, [NewReview("garage full", None, {}, [(0, 11)])])
    snapshot = engine.scored_snapshot(1)
    assert snapshot.sentences.texts == ["garage full"]
    assert snapshot.decided().tolist() == [[False, True]]


def test_an_example_without_a_word_does_no_harm(engine: Engine) -> None:
    with engine.database.write() as connection:
        put_example(connection, 1, "!!!", [1])
    assert engine.scored_snapshot(1).scores.scored == 1.0


def test_a_change_reads_only_what_is_new(
    engine: Engine, scorer: InferenceModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    engine.scored_snapshot(1)
    asked = []
    inner = scorer.encoder.encoder
    name = "states_and_lower"  # of the shipped model, whose lower layer is read, too
    real = getattr(inner, name)
    monkeypatch.setattr(inner, name, lambda ids: asked.append(len(ids)) or real(ids))
    with engine.database.write() as connection:
        put_example(connection, 1, "an example that nobody wrote before 4711", [1])
    engine.scored_snapshot(1)
    assert sum(asked) == 1


def corrected(engine: Engine) -> Snapshot:
    """The newest snapshot after one more example."""
    with engine.database.write() as connection:
        put_example(connection, 1, "The waiter was rude.", [1])
    return engine.snapshot(1)


def idle(patch: pytest.MonkeyPatch) -> None:
    """The worker finds nothing to do."""
    patch.setattr(Engine, "_pending", lambda _: None)


def test_a_revision_that_is_accepted_answers_until_all_it_showed_is_presented_anew(
    engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = engine.scored_snapshot(1)
    present(before, [0, 3])
    with monkeypatch.context() as patch:
        idle(patch)
        after = corrected(engine)
        assert engine.snapshot(1) is after
        assert engine.snapshot(1, after.revision) is after
        assert engine.snapshot(1, before.revision) is before
        patch.setattr("fewaspect.studio.engine.engine.GRACE", 0.0)
        assert engine.snapshot(1, before.revision) is after, "it has answered for long enough"
    assert not len(after.shown)
    with engine.foreground():  # the worker presents also while requests run
        with engine._changed:
            engine._changed.notify_all()
        wait_until(lambda: engine._projects[1].previous is None)
    assert engine.snapshot(1, before.revision) is after
    assert set(after.shown._shown) == {0, 3}


def test_changes_in_a_row_leave_the_last_snapshot_that_was_presented(
    engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    idle(monkeypatch)
    before = engine.scored_snapshot(1)
    present(before, [0])
    corrected(engine)
    replaced = engine._projects[1].replaced
    with engine.database.write() as connection:
        put_example(connection, 1, "See you on Monday.", [])
    assert engine.snapshot(1, before.revision) is before
    assert engine._projects[1].replaced == replaced, "its time does not begin anew"


def test_a_snapshot_of_other_sentences_answers_for_nobody(engine: Engine) -> None:
    before = engine.scored_snapshot(1)
    present(before, [0])
    with engine.database.write() as connection:
        add_reviews(connection, 1, [NewReview("New.", None, {}, [(0, 4)])])
    assert engine.snapshot(1, before.revision) is not before


def test_without_aspects_nothing_is_presented_anew(engine: Engine) -> None:
    before = engine.scored_snapshot(1)
    present(before, [0])
    with engine.database.write() as connection:
        remove_aspect(connection, 1, 1)
        remove_aspect(connection, 1, 2)
    assert engine.snapshot(1, before.revision).detector is None


def test_what_is_presented_is_scored_too(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    idle(monkeypatch)
    snapshot, rows = engine.snapshot(1), np.array([1, 2])
    if not len(snapshot.scores.stale(rows)):  # the worker was faster
        snapshot = corrected(engine)
    assert snapshot.scores.stale(rows).tolist() == [1, 2]
    shown = present(snapshot, rows)
    assert not len(snapshot.scores.stale(rows))
    assert list(shown[0]["scores"].values()) == pytest.approx(snapshot.scores.probabilities[1], abs=1e-6)


def test_requests_go_before_the_worker(engine: Engine) -> None:
    engine.scored_snapshot(1)
    with engine.foreground():
        snapshot = corrected(engine)
        time.sleep(0.1)
        assert snapshot.scores.scored == 0.0
    wait_until(lambda: snapshot.scores.scored == 1.0)


def test_each_sentence_is_presented_and_scored_once_however_many_ask(
    engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    idle(monkeypatch)
    engine.scored_snapshot(1)
    snapshot = corrected(engine)
    calls: list[str] = []

    def counting(name: str) -> Callable[..., Any]:
        method = getattr(AspectDetector, name)

        def call(detector: AspectDetector, texts: list[str], **how: bool) -> Any:
            calls.extend(f"{name} {text}" for text in texts)
            time.sleep(0.02)
            return method(detector, texts, **how)

        return call

    for name in ("predict_proba", "analyze_many"):
        monkeypatch.setattr(AspectDetector, name, counting(name))

    def ask(_: int) -> list[dict[str, Any]]:
        snapshot.score(np.arange(3))
        return present(engine.snapshot(1), [2, 3, 4])

    with ThreadPoolExecutor(8) as pool:
        first, *others = pool.map(ask, range(8))
    assert all(one == first for one in others)
    assert sorted(calls) == sorted(set(calls))


def test_projects_used_least_recently_are_forgotten(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("fewaspect.studio.engine.engine.CAPACITY", 2)
    with engine.database.write() as connection:
        others = [create_project(connection, name) for name in "bc"]
    for project in (1, others[0], 1, others[1]):
        engine.snapshot(project)
    assert set(engine._projects) == {1, others[1]}

"""What is promised of accepted answers is worked out beside everything else."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from fewaspect.detector.model import InferenceModel
from fewaspect.studio.engine.engine import Engine
from fewaspect.studio.engine.promises import HeldPromise, to_review
from fewaspect.studio.engine.snapshot import Snapshot
from fewaspect.studio.store.database import Database
from fewaspect.studio.store.definition import NewAspect, add_aspect, put_example, set_target_precision
from fewaspect.studio.store.projects import create_project
from fewaspect.studio.store.reviews import NewReview, add_reviews

TEXTS = ["Cold soup again.", "Nobody could park.", "See you on Monday."]
WAIT = 20  # seconds


@pytest.fixture
def engine(tmp_path: Path, scorer: InferenceModel) -> Iterator[Engine]:
    """Of a project that asks for a precision."""
    database = Database(str(tmp_path / "studio.db"))
    with database.write() as connection:
        create_project(connection, "a")
        add_aspect(connection, 1, NewAspect("food"), ["the soup was cold", "good pizza"])
        add_aspect(connection, 1, NewAspect("parking"), ["no valet", "garage full"])
        add_reviews(connection, 1, [NewReview(text, None, {}, [(0, len(text))]) for text in TEXTS])
        set_target_precision(connection, 1, 0.9)
    engine = Engine(database, lambda: scorer)
    yield engine
    engine.stop()
    database.close()


def wait_until(there: Callable[[], bool]) -> None:
    end = time.monotonic() + WAIT
    while not there():
        assert time.monotonic() < end, "it does not happen"
        time.sleep(0.02)


@pytest.fixture
def begun(monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[list[Snapshot], threading.Event]]:
    """The snapshots whose promise the worker has begun; it goes on when the event is set."""
    snapshots: list[Snapshot] = []
    go_on = threading.Event()
    work_out = HeldPromise.work_out

    def slowly(self: HeldPromise, snapshot: Snapshot, pause: Callable[[float], None]) -> None:
        if threading.current_thread().name == "scoring":
            snapshots.append(snapshot)
            go_on.wait(WAIT)
        work_out(self, snapshot, pause)

    monkeypatch.setattr(HeldPromise, "work_out", slowly)
    yield snapshots, go_on
    go_on.set()


def test_the_worker_works_it_out(engine: Engine) -> None:
    snapshot = engine.snapshot(1)
    wait_until(lambda: not snapshot.must_promise)
    assert snapshot.scored == 1.0
    review = to_review(snapshot)
    assert review is not None
    assert (review == snapshot.decided()).all(), "four examples promise nothing"


def test_a_request_does_not_wait_for_the_worker(engine: Engine, begun: tuple[list[Snapshot], threading.Event]) -> None:
    snapshots, go_on = begun
    engine.snapshot(1)
    wait_until(lambda: bool(snapshots))
    with engine.foreground():
        asked = engine.promised_snapshot(1)
        assert not asked.must_promise
        go_on.set()
    assert asked is snapshots[0]


def test_what_is_not_the_newest_is_given_up(engine: Engine, begun: tuple[list[Snapshot], threading.Event]) -> None:
    snapshots, go_on = begun
    engine.snapshot(1)
    wait_until(lambda: bool(snapshots))
    with engine.database.write() as connection:
        put_example(connection, 1, "a loud street", [])
    newest = engine.snapshot(1)
    go_on.set()
    wait_until(lambda: not newest.must_promise)
    assert snapshots[0].must_promise
    assert newest.promise.now is not None
    assert newest.promise.now.labels == 5

"""The short form of the random walks: store and API do what a model in plain Python does, step by step."""

from __future__ import annotations

from datetime import datetime, tzinfo
from pathlib import Path
from random import Random

import pytest
from attacks.project_model import ProjectModel, RefusedError

from attacks import drivers, machines
from fewaspect.detector.model import load_model
from fewaspect.studio.store import database


def test_the_store_does_what_the_model_does(tmp_path: Path) -> None:
    machines.walk_store(tmp_path, seed=1, walks=8, steps=12)


def test_the_api_does_what_the_model_does(tmp_path: Path) -> None:
    machines.walk_api(tmp_path, seed=1, walks=4, steps=8, model=load_model())


def test_a_store_that_forgets_an_undo_is_found_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(drivers.StoreDriver, "undo", lambda self: None)
    with pytest.raises(AssertionError):
        machines.walk_store(tmp_path, seed=1, walks=8, steps=12, shrink=False)


def test_a_clock_that_jumps_changes_nothing_in_the_store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    random = Random(0)

    class Jumping(datetime):
        @classmethod
        def now(cls, tz: tzinfo | None = None) -> datetime:  # type: ignore[override]
            return datetime.fromtimestamp(random.uniform(0, 4e9), tz)

    monkeypatch.setattr(database, "datetime", Jumping)
    machines.walk_store(tmp_path, seed=2, walks=3, steps=12)


def test_the_model_undoes_and_does_again() -> None:
    model = ProjectModel()
    model.add_aspect("food", ["cold soup"])
    model.import_reviews(["Cold soup. Thin walls."], "add")
    model.correct(1, ["food"])
    after = model.now.shown
    model.remove_import(0, labels=True)
    assert model.now.shown["examples"] == [("cold soup", ["food"])]
    model.undo()
    assert model.now.shown == after
    with pytest.raises(RefusedError):
        model.add_aspect("FOOD", [])
    model.redo()
    with pytest.raises(RefusedError):
        model.redo()

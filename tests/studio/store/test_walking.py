"""Whatever is done in whatever order, every change can be undone and done again."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from random import Random
from typing import Any

import pytest
from sqlalchemy import Connection

from fewaspect.studio.problems import NameTakenError, NothingToUndoError
from fewaspect.studio.store.database import Database
from fewaspect.studio.store.definition import (
    Definition,
    NewAspect,
    add_aspect,
    change_aspect,
    put_example,
    read_definition,
    remove_aspect,
    remove_example,
    set_threshold,
    set_thresholds,
)
from fewaspect.studio.store.import_records import (
    ImportedFile,
    add_import,
    list_imports,
    remove_import,
    remove_reviews,
)
from fewaspect.studio.store.journal import redo, undo
from fewaspect.studio.store.projects import create_project
from fewaspect.studio.store.rejections import reject_aspect, restore_aspect
from fewaspect.studio.store.reviews import NewReview, read_sentences

NAMES, TEXTS = ("food", "noise", "parking"), ("cold soup", "Cold  soup", "thin walls")
STEPS = 60


State = tuple[Definition, list[int]]


class Walk:
    """Remembers the states beside the store: `past` ends with the present one, `future` with what redo brings back."""

    def __init__(self, connection: Connection, seed: int) -> None:
        self.connection, self.random = connection, Random(seed)
        self.project = create_project(connection, "a")
        self.past: list[State] = [self.state]
        self.future: list[State] = []

    @property
    def now(self) -> Definition:
        return read_definition(self.connection, self.project)

    @property
    def state(self) -> State:
        """What is defined, and which sentences there are."""
        return replace(self.now, revision=0), [row.id for row in read_sentences(self.connection, self.project)]

    def check(self) -> None:
        """The store is in the state remembered."""
        assert self.state == self.past[-1]

    def import_reviews(self) -> None:
        new = [NewReview(text, None, {}, [(0, len(text))]) for text in self.random.choices(TEXTS, k=4)]
        duplicates = self.random.choice(["add", "skip", "replace"])
        self._change(add_import, new, ImportedFile("a.csv", ""), duplicates)

    def remove_an_import(self) -> None:
        for entry in self._one(list_imports(self.connection, self.project)):
            self._change(partial(remove_import, labels=self.random.random() < 0.5), entry["id"])

    def remove_reviews(self) -> None:
        self._change(remove_reviews)

    def add_an_aspect(self) -> None:
        self._change(add_aspect, NewAspect(self.random.choice(NAMES)), self._some(TEXTS))

    def rename_an_aspect(self) -> None:
        for aspect in self._one(self.now.aspects):
            self._change(change_aspect, aspect.id, {"name": self.random.choice(NAMES)})

    def remove_an_aspect(self) -> None:
        for aspect in self._one(self.now.aspects):
            self._change(remove_aspect, aspect.id)

    def label_a_sentence(self) -> None:
        for sentence in self._one(read_sentences(self.connection, self.project)):
            own = [aspect.id for aspect in self._some(self.now.aspects)]
            self._change(put_example, sentence.text, own, sentence.id)

    def release_a_sentence(self) -> None:
        for example in self._one(self.now.examples):
            self._change(remove_example, example.id)

    def reject_an_aspect(self) -> None:
        for sentence in self._one(read_sentences(self.connection, self.project)):
            for aspect in self._one(self.now.aspects):
                self._change(reject_aspect, sentence.text, aspect.id)

    def restore_an_aspect(self) -> None:
        for text, aspect in self._one(self.now.rejections):
            self._change(restore_aspect, text, aspect)

    def set_thresholds(self) -> None:
        self._change(set_threshold, self.random.random())
        self._change(set_thresholds, {aspect.id: self.random.random() for aspect in self.now.aspects}, "tune")

    def undo(self) -> None:
        if len(self.past) > 1:
            undo(self.connection, self.project)
            self.future.append(self.past.pop())
        else:
            with pytest.raises(NothingToUndoError):
                undo(self.connection, self.project)

    def redo(self) -> None:
        if self.future:
            redo(self.connection, self.project)
            self.past.append(self.future.pop())
        else:
            with pytest.raises(NothingToUndoError):
                redo(self.connection, self.project)

    def _change(self, function: Callable[..., Any], *arguments: Any) -> None:
        before = self.now.revision
        with suppress(NameTakenError):
            function(self.connection, self.project, *arguments)
        if self.now.revision != before:
            self.past.append(self.state)
            self.future.clear()

    def _one(self, those: Sequence[Any]) -> Sequence[Any]:
        return self.random.sample(those, min(1, len(those)))

    def _some(self, those: Sequence[Any]) -> list[Any]:
        return self.random.sample(those, self.random.randint(0, len(those)))


ONE_STEP = [
    Walk.import_reviews, Walk.remove_an_import, Walk.remove_reviews, Walk.add_an_aspect, Walk.rename_an_aspect,
    Walk.remove_an_aspect,
    *[Walk.label_a_sentence] * 6, Walk.release_a_sentence, *[Walk.reject_an_aspect] * 3, Walk.restore_an_aspect,
    Walk.set_thresholds, *[Walk.undo, Walk.redo] * 2,
]  # fmt: skip


@pytest.fixture(scope="module")
def database(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Database]:
    database = Database(str(tmp_path_factory.mktemp("walking") / "studio.db"))
    yield database
    database.close()


@pytest.mark.parametrize("seed", range(8))
def test_undo_and_redo_lead_through_all_states_whatever_was_removed(database: Database, seed: int) -> None:
    with database.engine.connect().execution_options(writes=True) as connection, connection.begin() as transaction:
        walk = Walk(connection, seed)
        for _ in range(STEPS):
            walk.random.choice(ONE_STEP)(walk)
            walk.check()
        changes = len(walk.past) - 1
        for step in [walk.undo] * changes + [walk.redo] * changes:
            step()
            walk.check()
        transaction.rollback()

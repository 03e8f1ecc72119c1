"""Aspects merged, split and grouped: one change each, and undo and redo lead through all states."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule
from sqlalchemy import Connection, select

from fewaspect.core.errors import DataError
from fewaspect.studio.problems import NameTakenError
from fewaspect.studio.store.answers import put_answer, read_answers
from fewaspect.studio.store.database import Database
from fewaspect.studio.store.definition import (
    Aspect,
    Definition,
    NewAspect,
    add_aspects,
    change_aspect,
    put_example,
    read_definition,
    remove_aspect,
)
from fewaspect.studio.store.journal import redo, undo
from fewaspect.studio.store.polarity_labels import put_polarity
from fewaspect.studio.store.projects import create_project
from fewaspect.studio.store.regrouping import group_aspects, merge_aspects, split_aspect
from fewaspect.studio.store.rejections import reject_aspect
from fewaspect.studio.store.schema import audit_answers, changes, kept_labels

TEXTS = ("cold soup", "warm beer", "thin walls", "loud street", "no valet")
ANSWERS = (audit_answers, kept_labels)
PART = st.integers(0, 10**6)


def state_of(connection: Connection, project: int) -> tuple[Definition, ...]:
    """All that a change of aspects may touch."""
    definition = replace(read_definition(connection, project), revision=0)
    return definition, *(read_answers(connection, table, project) for table in ANSWERS)  # type: ignore[return-value]


class Regrouping(RuleBasedStateMachine):
    """Remembers all states beside the store; only these changes and undo and redo happen between them."""

    def __init__(self) -> None:
        super().__init__()
        self.database = Database(str(Path(mkdtemp()) / "studio.db"))
        self.connection = self.database.engine.connect().execution_options(writes=True)
        self.transaction = self.connection.begin()
        self.project = create_project(self.connection, "a")
        several = [(NewAspect(name), [TEXTS[n], TEXTS[n + 1]]) for n, name in enumerate(("food", "drinks", "noise"))]
        ids = add_aspects(self.connection, self.project, several)
        put_example(self.connection, self.project, TEXTS[4], ids[:2])
        for text, aspect, polarity in ((TEXTS[0], 0, "positive"), (TEXTS[4], 0, "negative"), (TEXTS[4], 1, "positive")):
            put_polarity(self.connection, self.project, text, ids[aspect], polarity)
        for text, aspect in (("see you", 0), ("see you", 1), ("on Monday", 0), ("on Monday", 2)):
            reject_aspect(self.connection, self.project, text, ids[aspect])
        for n, table in enumerate(ANSWERS):
            for text in TEXTS:
                put_answer(self.connection, table, self.project, text, ids[n : n + 1], ids[: n + 2])
        undo(self.connection, self.project)
        redo(self.connection, self.project)
        self.past, self.future = [self.now], []

    @property
    def now(self) -> tuple[Any, ...]:
        return state_of(self.connection, self.project)

    @property
    def aspects(self) -> tuple[Aspect, ...]:
        return self.now[0].aspects

    def change(self, work: Callable[..., Any], *arguments: Any) -> None:
        before = self.journalled()
        try:
            work(self.connection, self.project, *arguments)
        except (NameTakenError, DataError):
            assert self.now == self.past[-1], "what is refused changes nothing"
            return
        if self.journalled() != before:
            self.past.append(self.now)
            self.future.clear()
        else:
            assert self.now == self.past[-1]

    def journalled(self) -> int:
        return max(self.connection.scalars(select(changes.c.id)), default=0)

    def one(self, number: int) -> Aspect:
        return self.aspects[number % len(self.aspects)]

    @rule(first=PART, second=PART, name=st.sampled_from([None, "food", "both"]))
    def merge(self, first: int, second: int, name: str | None) -> None:
        self.change(merge_aspects, self.one(first).id, self.one(second).id, 0.4, name)

    @rule(which=PART, moved=st.sets(PART, min_size=1, max_size=3), name=st.sampled_from(["food", "wine", "beer"]))
    def split(self, which: int, moved: set[int], name: str) -> None:
        examples = [example.id for example in self.now[0].examples]
        chosen = [examples[n % len(examples)] for n in moved]
        self.change(split_aspect, self.one(which).id, NewAspect(name), chosen)

    @rule(some=st.sets(PART, min_size=1, max_size=3), name=st.sampled_from(["", "Room", "Table"]))
    def group(self, some: set[int], name: str) -> None:
        self.change(group_aspects, [self.one(n).id for n in some], name)

    @rule(which=PART)
    def remove_and_bring_back(self, which: int) -> None:
        before = self.now
        remove_aspect(self.connection, self.project, self.one(which).id)
        undo(self.connection, self.project)
        self.future.clear()
        assert self.now == before

    @rule(which=PART, colour=st.integers(0, 11), threshold=st.sampled_from([None, 0.3, 0.7]))
    def recolour(self, which: int, colour: int, threshold: float | None) -> None:
        self.change(change_aspect, self.one(which).id, {"colour": colour, "threshold": threshold})

    @precondition(lambda self: len(self.past) > 1)
    @rule()
    def undo(self) -> None:
        undo(self.connection, self.project)
        self.future.append(self.past.pop())

    @precondition(lambda self: self.future)
    @rule()
    def redo(self) -> None:
        redo(self.connection, self.project)
        self.past.append(self.future.pop())

    @invariant()
    def the_store_is_as_remembered(self) -> None:
        assert self.now == self.past[-1]

    @invariant()
    def every_example_stays_and_none_loses_all_aspects(self) -> None:
        examples = self.now[0].examples
        assert [example.text for example in examples] == list(TEXTS)
        assert all(example.aspects for example in examples)

    def teardown(self) -> None:
        while len(self.past) > 1:
            self.undo()
            assert self.now == self.past[-1]
        self.transaction.rollback()
        self.connection.close()
        self.database.close()


TestRegrouping = Regrouping.TestCase
TestRegrouping.settings = settings(
    max_examples=25, stateful_step_count=20, deadline=None, suppress_health_check=list(HealthCheck)
)


@pytest.fixture
def stored(where: str) -> Any:
    """A connection, a project and the ids of its aspects food, drinks and noise."""
    database = Database(where)
    with database.write() as connection:
        project = create_project(connection, "a")
        several = [
            (NewAspect("food", "meals", 0.3), ["cold soup", "good pizza"]), (NewAspect("drinks"), ["warm beer"]),
            (NewAspect("noise"), ["thin walls"]),
        ]  # fmt: skip
        yield connection, project, add_aspects(connection, project, several)
    database.close()


def labels(connection: Connection, project: int) -> dict[str, tuple[int, ...]]:
    return {example.text: example.aspects for example in read_definition(connection, project).examples}


def test_a_merged_aspect_has_the_examples_of_both_and_the_mean_threshold(stored: Any) -> None:
    connection, project, (food, drinks, noise) = stored
    put_example(connection, project, "warm beer", [food, drinks])
    merge_aspects(connection, project, food, drinks, 0.6, "food and drink")
    merged, other = read_definition(connection, project).aspects
    assert (merged.id, merged.name, merged.description, other.id) == (food, "food and drink", "meals", noise)
    assert merged.threshold == pytest.approx((2 * 0.3 + 1 * 0.3 + 0.6) / 4)
    assert labels(connection, project) == {
        "cold soup": (food,), "good pizza": (food,), "warm beer": (food,), "thin walls": (noise,)
    }  # fmt: skip


def test_what_was_checked_counts_for_the_merged_aspect_where_it_is_certain(stored: Any) -> None:
    connection, project, (food, drinks, noise) = stored
    said = {"a": ([drinks], None), "b": ([], [food, drinks]), "c": ([noise], [food, noise])}
    for text, (has, asked) in said.items():
        put_answer(connection, audit_answers, project, text, has, asked)
    merge_aspects(connection, project, food, drinks, 0.4)
    found = {a.text: (set(a.aspects), set(a.asked)) for a in read_answers(connection, audit_answers, project)}
    assert found == {"a": ({food}, {food, noise}), "b": (set(), {food}), "c": ({noise}, {noise})}


def test_what_is_about_neither_of_two_aspects_is_not_about_the_merged_one(stored: Any) -> None:
    connection, project, (food, drinks, _) = stored
    for text, rejected in (("a", [food, drinks]), ("b", [food]), ("c", [drinks])):
        for aspect in rejected:
            reject_aspect(connection, project, text, aspect)
    before = read_definition(connection, project).rejections
    merge_aspects(connection, project, food, drinks, 0.4)
    assert read_definition(connection, project).rejections == (("a", food),)
    undo(connection, project)
    assert read_definition(connection, project).rejections == before


def test_what_is_not_about_an_aspect_is_not_about_its_new_part(stored: Any) -> None:
    connection, project, (food, *_) = stored
    reject_aspect(connection, project, "a", food)
    soup = next(e.id for e in read_definition(connection, project).examples if e.text == "cold soup")
    soups = split_aspect(connection, project, food, NewAspect("soups"), [soup])
    assert read_definition(connection, project).rejections == (("a", food), ("a", soups))


def test_what_was_checked_to_have_a_split_aspect_counts_for_neither(stored: Any) -> None:
    connection, project, (food, *_) = stored
    for text, has in (("a", [food]), ("b", [])):
        put_answer(connection, audit_answers, project, text, has, [food])
    soup = next(e.id for e in read_definition(connection, project).examples if e.text == "cold soup")
    soups = split_aspect(connection, project, food, NewAspect("soups"), [soup])
    found = {a.text: (set(a.aspects), set(a.asked)) for a in read_answers(connection, audit_answers, project)}
    assert found == {"a": (set(), set()), "b": (set(), {food, soups})}
    assert labels(connection, project)["cold soup"] == (soups,)
    assert read_definition(connection, project).aspects[-1].threshold == 0.3


def test_all_examples_of_an_aspect_cannot_be_split_from_it(stored: Any) -> None:
    connection, project, (food, drinks, _) = stored
    every = [e.id for e in read_definition(connection, project).examples if food in e.aspects]
    foreign = [e.id for e in read_definition(connection, project).examples if drinks in e.aspects]
    for chosen in (every, foreign, []):
        with pytest.raises(DataError, match="some of the examples"):
            split_aspect(connection, project, food, NewAspect("soups"), chosen)

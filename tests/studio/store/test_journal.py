"""Whatever is changed can be undone step by step, and done again."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
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
    replace_definition,
    set_threshold,
    set_thresholds,
)
from fewaspect.studio.store.journal import KEPT, next_in_words, redo, undo
from fewaspect.studio.store.projects import create_project, project_row
from fewaspect.studio.store.reviews import NewReview, add_reviews, read_sentences
from fewaspect.studio.store.schema import reviews

NAMES, TEXTS = ("food", "noise", "parking"), ("cold soup", "Cold  soup", "thin walls", "no valet", "hello")
CHANGES = st.lists(
    st.tuples(
        st.sampled_from(["add", "remove", "rename", "describe", "label", "forget", "threshold", "tune", "replace"]),
        st.integers(0, 5), st.integers(0, 5), st.sets(st.integers(0, 2)),
    ),
    max_size=12,
)  # fmt: skip


@pytest.fixture(scope="module")
def database(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Database]:
    database = Database(str(tmp_path_factory.mktemp("journal") / "studio.db"))
    yield database
    database.close()


def do(connection: Connection, project: int, what: str, i: int, j: int, some: set[int]) -> None:
    """A change, if there is something to change."""
    now = read_definition(connection, project)
    aspect = now.aspects[i % len(now.aspects)] if now.aspects else None
    own = [now.aspects[n % len(now.aspects)].id for n in some] if now.aspects else []
    if what == "add":
        add_aspect(connection, project, NewAspect(NAMES[i % 3], "described" * (j % 2)), [TEXTS[n] for n in some])
    elif what == "label":
        put_example(connection, project, TEXTS[i % 5], list(dict.fromkeys(own)))
    elif what == "threshold":
        set_threshold(connection, project, None if j == 0 else j / 10)
    elif what == "replace":
        replace_definition(
            connection, project, "replace", [NewAspect(NAMES[n], threshold=0.3) for n in some],
            [(TEXTS[n], [NAMES[n]]) for n in some], j / 10,
        )  # fmt: skip
    elif what == "forget" and now.examples:
        remove_example(connection, project, now.examples[i % len(now.examples)].id)
    elif aspect is None:
        return
    elif what == "remove":
        remove_aspect(connection, project, aspect.id)
    elif what == "rename":
        change_aspect(connection, project, aspect.id, {"name": NAMES[j % 3]})
    elif what == "describe":
        change_aspect(connection, project, aspect.id, {"description": "new", "threshold": 0.7})
    elif what == "tune":
        set_thresholds(connection, project, {a.id: j / 7 for a in now.aspects}, "tune")


def without_revision(definition: Definition) -> Definition:
    return replace(definition, revision=0)


def all_of(step: Any, connection: Connection, project: int) -> int:
    for count in range(100):
        try:
            step(connection, project)
        except NothingToUndoError:
            return count
    raise AssertionError("it never ends")


@given(CHANGES)
@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_undoing_all_gives_the_first_state_and_doing_all_again_the_last(database: Database, drawn: list[Any]) -> None:
    with database.engine.connect().execution_options(writes=True) as connection, connection.begin() as transaction:
        project = create_project(connection, "a")
        first = read_definition(connection, project)
        states = [first]
        for change in drawn:
            try:
                do(connection, project, *change)
            except NameTakenError:
                continue
            now = read_definition(connection, project)
            if now.revision != states[-1].revision:
                states.append(now)
        for expected in reversed(states[:-1]):
            undo(connection, project)
            assert without_revision(read_definition(connection, project)) == without_revision(expected)
        assert all_of(undo, connection, project) == 0
        assert all_of(redo, connection, project) == len(states) - 1
        last = read_definition(connection, project)
        assert without_revision(last) == without_revision(states[-1])
        assert last.revision == first.revision + 3 * (len(states) - 1)
        transaction.rollback()


def test_a_new_change_forgets_what_was_undone(where: str) -> None:
    database = Database(where)
    with database.write() as connection:
        project = create_project(connection, "a")
        add_aspect(connection, project, NewAspect("food"))
        undo(connection, project)
        assert next_in_words(connection, project) == (None, 'add the aspect "food"')
        add_aspect(connection, project, NewAspect("noise"))
        assert next_in_words(connection, project) == ('add the aspect "noise"', None)
        with pytest.raises(NothingToUndoError, match="There is nothing to redo"):
            redo(connection, project)
    database.close()


def test_an_id_that_was_removed_comes_back_though_another_project_grew(where: str) -> None:
    database = Database(where)
    with database.write() as connection:
        one, other = create_project(connection, "one"), create_project(connection, "other")
        aspect = add_aspect(connection, one, NewAspect("food"), ["cold soup"])
        remove_aspect(connection, one, aspect)
        add_aspect(connection, other, NewAspect("noise"), ["thin walls"])
        undo(connection, one)
        assert [a.id for a in read_definition(connection, one).aspects] == [aspect]
    database.close()


def test_an_example_comes_back_when_its_review_is_gone(where: str) -> None:
    database = Database(where)
    with database.write() as connection:
        project = create_project(connection, "a")
        add_reviews(connection, project, [NewReview("cold soup", None, {}, [(0, 9)])])
        sentence = read_sentences(connection, project)[0].id
        example = put_example(connection, project, "cold soup", [], sentence)
        remove_example(connection, project, example)
        connection.execute(reviews.delete())
        undo(connection, project)
        assert [(e.id, e.sentence_id) for e in read_definition(connection, project).examples] == [(example, None)]
    database.close()


def test_a_sentence_that_was_labelled_twice_is_undone_when_its_reviews_are_gone(where: str) -> None:
    database = Database(where)
    with database.write() as connection:
        project = create_project(connection, "a")
        add_reviews(connection, project, [NewReview("cold soup", None, {}, [(0, 9)])] * 2)
        aspect = add_aspect(connection, project, NewAspect("food"))
        for sentence in read_sentences(connection, project):
            example = put_example(connection, project, sentence.text, [aspect], sentence.id)
        connection.execute(reviews.delete())
        assert (all_of(undo, connection, project), all_of(redo, connection, project)) == (3, 3)
        (found,) = read_definition(connection, project).examples
        assert (found.id, found.aspects, found.sentence_id) == (example, (aspect,), None)
    database.close()


def test_only_so_many_changes_are_kept(tmp_path: Path) -> None:
    database = Database(str(tmp_path / "studio.db"))
    with database.write() as connection:
        project = create_project(connection, "a")
        for number in range(KEPT + 5):
            set_threshold(connection, project, number / 1000)
        for _ in range(KEPT):
            undo(connection, project)
        with pytest.raises(NothingToUndoError):
            undo(connection, project)
        assert project_row(connection, project).threshold == 0.004
    database.close()

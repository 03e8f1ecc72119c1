"""Answers that are no examples, in either database."""

from __future__ import annotations

from fewaspect.studio.store.answers import Answer, put_answer, read_answers, remove_answer
from fewaspect.studio.store.database import Database
from fewaspect.studio.store.definition import NewAspect, add_aspect
from fewaspect.studio.store.journal import undo
from fewaspect.studio.store.projects import create_project, remove_project
from fewaspect.studio.store.schema import audit_answers, kept_labels


def test_an_answer_replaces_the_one_before_and_goes_with_its_project(where: str) -> None:
    database = Database(where)
    with database.write() as connection:
        project = create_project(connection, "a")
        food = add_aspect(connection, project, NewAspect("food"))
        put_answer(connection, audit_answers, project, "Cold soup.", [food, 99])
        put_answer(connection, audit_answers, project, "See you.", [])
        put_answer(connection, audit_answers, project, "cold  soup.", [])
        noise = add_aspect(connection, project, NewAspect("noise"))
        put_answer(connection, kept_labels, project, "Cold soup.", [noise])
    with database.read() as connection:
        none, asked = frozenset[int](), frozenset([food])
        assert read_answers(connection, audit_answers, project) == [
            Answer("Cold soup.", none, asked), Answer("See you.", none, asked),
        ]  # fmt: skip
        assert read_answers(connection, kept_labels, project)[0].asked == {food, noise}
    with database.write() as connection:
        undo(connection, project)
        remove_answer(connection, audit_answers, project, "SEE YOU.")
        assert len(read_answers(connection, audit_answers, project)) == 1
        remove_project(connection, project)
        assert not read_answers(connection, audit_answers, project)
    database.close()

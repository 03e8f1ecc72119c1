"""Aspects and examples over the API."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from fastapi.testclient import TestClient
from sqlalchemy import update

from fewaspect.studio.store.journal import undo
from fewaspect.studio.store.schema import aspects, projects


def test_an_aspect_is_added_changed_and_removed(client: TestClient, project: str) -> None:
    new = {"name": "staff", "description": "waiters", "examples": ["the waiter was rude", "Good  PIZZA"]}
    made = client.post(f"{project}/aspects", json=new)
    assert made.status_code == 201
    assert made.json() | {"id": 0, "found": 0} == {
        "id": 0, "name": "staff", "description": "waiters", "threshold": None, "colour": 2, "group": "",
        "examples": 2, "found": 0,
    }  # fmt: skip
    address = f"{project}/aspects/{made.json()['id']}"
    shared = [e for e in client.get(f"{project}/examples").json()["examples"] if e["text"] == "good pizza"]
    assert shared[0]["aspects"] == [1, made.json()["id"]], "a sentence that was an example stands for both"
    changed = client.patch(address, json={"name": "service", "threshold": 0.7}).json()
    assert (changed["name"], changed["threshold"], changed["description"]) == ("service", 0.7, "waiters")
    assert client.delete(address).status_code == 204
    texts = [e["text"] for e in client.get(f"{project}/examples").json()["examples"]]
    assert "the waiter was rude" not in texts
    assert "good pizza" in texts


def test_two_aspects_cannot_have_one_name(client: TestClient, project: str) -> None:
    assert client.post(f"{project}/aspects", json={"name": "food"}).status_code == 409
    assert client.patch(f"{project}/aspects/2", json={"name": "food"}).status_code == 409
    assert client.patch(f"{project}/aspects/2", json={"name": "parking"}).status_code == 200


@pytest.mark.parametrize(
    "name",
    ["Food", "FOOD ", "\uff46\uff4f\uff4f\uff44", "\u017ftraße", "STRASSE", "Cafe\u0301", "CAFÉ", "room  Service"],
)
def test_names_that_look_the_same_are_one_name(client: TestClient, project: str, name: str) -> None:
    for own in ("Straße", "café", "room service"):
        client.post(f"{project}/aspects", json={"name": own}).raise_for_status()
    assert client.post(f"{project}/aspects", json={"name": name}).status_code == 409
    assert client.patch(f"{project}/aspects/2", json={"name": name}).status_code == 409


def test_the_case_of_a_name_can_be_changed(client: TestClient, project: str) -> None:
    assert client.patch(f"{project}/aspects/2", json={"name": "Parking"}).json()["name"] == "Parking"


def test_a_project_that_has_both_spellings_still_opens(client: TestClient, project: str) -> None:
    with client.app.state.studio.database.write() as connection:  # type: ignore[attr-defined]
        connection.execute(update(aspects).where(aspects.c.name == "parking").values(name="FOOD"))
        connection.execute(update(projects).values(revision=projects.c.revision + 1))
    assert [aspect["name"] for aspect in client.get(project).json()["aspects"]] == ["food", "FOOD"]
    packed = client.get(f"{project}/export").content
    again = client.post("/api/v1/projects/import", files={"file": ("project.zip", packed)})
    assert [aspect["name"] for aspect in again.json()["aspects"]] == ["food", "FOOD (2)"]  # told apart from then on


def test_colours_do_not_repeat_while_there_are_free_ones(client: TestClient, project: str) -> None:
    for number in range(22):
        client.post(f"{project}/aspects", json={"name": f"aspect {number}"}).raise_for_status()
    assert len({aspect["colour"] for aspect in client.get(project).json()["aspects"]}) == 24
    client.delete(f"{project}/aspects/7")
    assert client.post(f"{project}/aspects", json={"name": "one more"}).json()["colour"] == 6


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({}, "name"),
        ({"name": "  "}, "name"),
        ({"name": "x" * 101}, "name"),
        ({"name": 1}, "name"),
        ({"name": "x", "examples": [""]}, "examples.0"),
        ({"name": "x", "colour": 3}, "colour"),
        ({"name": "x", "description": None}, "description"),
    ],
)
def test_what_is_wrong_is_named(client: TestClient, project: str, body: dict, field: str) -> None:
    answer = client.post(f"{project}/aspects", json=body)
    assert (answer.status_code, answer.json()["field"]) == (422, field)


@pytest.mark.parametrize("threshold", [-0.1, 1.1, "0.5", True])
def test_a_threshold_is_a_number_from_0_to_1(client: TestClient, project: str, threshold: object) -> None:
    assert client.patch(f"{project}/aspects/1", json={"threshold": threshold}).status_code == 422


def test_examples_are_listed_by_aspect_and_by_page(client: TestClient, project: str) -> None:
    client.post(f"{project}/examples", json={"text": "hello", "aspects": []})
    listed = client.get(f"{project}/examples", params={"aspect": 2}).json()
    assert [e["text"] for e in listed["examples"]] == ["no valet", "garage full"]
    assert [e["text"] for e in client.get(f"{project}/examples?aspect=none").json()["examples"]] == ["hello"]
    page = client.get(f"{project}/examples?offset=1&limit=2").json()
    assert (page["total"], len(page["examples"])) == (5, 2)
    assert client.get(f"{project}/examples?aspect=x").status_code == 422


def test_the_same_text_again_replaces_its_aspects(client: TestClient, project: str) -> None:
    first = client.post(f"{project}/examples", json={"text": "thin walls", "aspects": [1]}).json()
    again = client.post(f"{project}/examples", json={"text": "Thin  walls", "aspects": [2, 2]}).json()
    assert (again["id"], again["aspects"], again["text"]) == (first["id"], [2], "thin walls")
    assert client.patch(f"{project}/examples/{first['id']}", json={"aspects": []}).json()["aspects"] == []
    assert client.delete(f"{project}/examples/{first['id']}").status_code == 204
    assert client.delete(f"{project}/examples/{first['id']}").status_code == 404


def test_an_aspect_of_another_project_is_not_known(client: TestClient, project: str) -> None:
    other = client.post("/api/v1/projects", json={"name": "Other"}).json()["id"]
    assert client.post(f"/api/v1/projects/{other}/examples", json={"text": "x", "aspects": [1]}).status_code == 404
    assert client.delete(f"/api/v1/projects/{other}/aspects/1").status_code == 404
    assert client.get(f"/api/v1/projects/{other}/sentences/1").status_code == 404
    assert client.get(project).json()["aspects"][0]["id"] == 1


def test_a_nul_is_kept_out_of_the_store(client: TestClient, project: str) -> None:
    made = client.post(f"{project}/examples", json={"text": "a\0b", "aspects": []})
    assert made.json()["text"] == "a\ufffdb"


@pytest.fixture
def hasty(client: TestClient, project: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Another client undoes each change the moment it is stored."""
    studio, number = client.app.state.studio, int(project.rpartition("/")[2])  # type: ignore[attr-defined]
    write = studio.write

    @contextmanager
    def then_undone(project: int) -> Iterator[Any]:
        with write(project) as connection:
            yield connection
        with write(project) as connection:
            undo(connection, number)

    monkeypatch.setattr(studio, "write", then_undone)


@pytest.mark.usefixtures("hasty")
def test_a_change_that_another_client_undoes_at_once_is_answered_as_it_was_stored(
    client: TestClient, project: str
) -> None:
    added = client.post(f"{project}/aspects", json={"name": "noise", "examples": ["thin walls"]})
    assert (added.status_code, added.json()["name"], added.json()["examples"]) == (201, "noise", 1)
    renamed = client.patch(f"{project}/aspects/1", json={"name": "meals"})
    assert (renamed.status_code, renamed.json()["name"], renamed.json()["examples"]) == (200, "meals", 2)
    labelled = client.post(f"{project}/examples", json={"text": "The soup was too salty.", "aspects": [1]})
    assert (labelled.status_code, labelled.json()["aspects"]) == (201, [1])
    changed = client.patch(f"{project}/examples/1", json={"aspects": [2]})
    assert (changed.status_code, changed.json()["aspects"]) == (200, [2])
    assert [aspect["name"] for aspect in client.get(project).json()["aspects"]] == ["food", "parking"]

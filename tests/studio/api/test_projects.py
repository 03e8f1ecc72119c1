"""Projects over the API: made, changed, undone, carried from one studio to another."""

from __future__ import annotations

from collections.abc import Callable

from fastapi.testclient import TestClient

from fewaspect.detector.explain import DEFAULT_THRESHOLD
from studio_imports import import_text

PROJECTS = "/api/v1/projects"


def test_a_project_lives_and_goes(client: TestClient) -> None:
    made = client.post(PROJECTS, json={"name": " Hotel "})
    assert made.status_code == 201
    assert made.json()["name"] == "Hotel"
    address = f"{PROJECTS}/{made.json()['id']}"
    assert client.patch(address, json={"name": "Inn", "threshold": 0.3}).json()["threshold"] == 0.3
    listed = client.get(PROJECTS).json()["projects"]
    assert [(one["name"], one["aspects"], one["revision"]) for one in listed] == [("Inn", 0, 2)]
    assert client.patch(address, json={"threshold": None}).json()["threshold"] == DEFAULT_THRESHOLD
    assert client.delete(address).status_code == 204
    assert client.get(address).status_code == 404
    assert client.get(PROJECTS).json() == {"projects": []}


def test_a_project_has_all_that_the_page_needs(client: TestClient, project: str) -> None:
    client.get(f"{project}/sentences")
    found = client.get(project).json()
    assert [(a["name"], a["examples"], a["colour"], a["found"]) for a in found["aspects"]] == [
        ("food", 2, 0, 2),
        ("parking", 2, 1, 1),
    ]
    assert {name: found[name] for name in ("reviews", "sentences", "scored", "dated", "can_redo")} == {
        "reviews": 3, "sentences": 4, "scored": 1.0, "dated": False, "can_redo": None,
    }  # fmt: skip
    assert found["can_undo"] == 'import "reviews.txt"'


def test_names_are_there_once(client: TestClient, project: str) -> None:
    again = client.post(PROJECTS, json={"name": "Hotel"})
    assert again.status_code == 409
    assert again.headers["content-type"] == "application/problem+json"
    assert again.json() == {
        "type": "about:blank", "title": "Conflict", "status": 409,
        "detail": 'There is a project "Hotel" already. Choose another name.',
        "plain": 'There is a project "Hotel" already. Choose another name.',
    }  # fmt: skip


def test_undo_and_redo_walk_through_the_changes(client: TestClient, project: str) -> None:
    assert client.post(f"{project}/undo", json={}).json()["did"] == 'import "reviews.txt"'
    undone = client.post(f"{project}/undo", json={}).json()
    assert undone["did"] == 'add the aspect "parking"'
    assert [a["name"] for a in undone["project"]["aspects"]] == ["food"]
    assert undone["project"]["can_redo"] == 'add the aspect "parking"'
    redone = client.post(f"{project}/redo").json()
    assert [a["name"] for a in redone["project"]["aspects"]] == ["food", "parking"]
    assert redone["project"]["revision"] > undone["project"]["revision"]
    assert client.post(f"{project}/redo", json={}).json()["did"] == 'import "reviews.txt"'
    assert client.post(f"{project}/redo", json={}).status_code == 409


def test_the_sample_is_there_on_first_start_once(
    make_client: Callable[..., TestClient],
) -> None:
    first = make_client(sample=True).get(PROJECTS).json()["projects"]
    assert [one["name"] for one in first] == ["Sample: hotel and restaurant reviews"]
    assert first[0]["sentences"] > 300
    again = make_client(sample=True)
    assert len(again.get(PROJECTS).json()["projects"]) == 1


def test_a_project_is_carried_to_another_studio(client: TestClient, project: str) -> None:
    client.patch(f"{project}/aspects/1", json={"description": "soup & co", "threshold": 0.6})
    archive = client.get(f"{project}/export")
    assert archive.headers["content-type"] == "application/zip"
    assert 'filename="Hotel-project.zip"' in archive.headers["content-disposition"]
    taken = client.post(f"{PROJECTS}/import", files={"file": ("a.zip", archive.content)})
    assert taken.status_code == 201
    assert taken.json()["name"] == "Hotel (2)"
    assert [(a["name"], a["description"], a["threshold"]) for a in taken.json()["aspects"]] == [
        ("food", "soup & co", 0.6), ("parking", "", None),
    ]  # fmt: skip
    one, other = (
        client.get(f"{address}/sentences").json()["sentences"]
        for address in (project, f"{PROJECTS}/{taken.json()['id']}")
    )
    assert [(s["text"], list(s["scores"].values())) for s in one] == [
        (s["text"], list(s["scores"].values())) for s in other
    ]


def test_all_is_kept_when_the_studio_is_started_again(
    make_client: Callable[..., TestClient], client: TestClient, project: str
) -> None:
    client.put(f"{project}/sentences/3/aspects", json={"aspects": [2]})
    before = [client.get(f"{project}{part}").json() for part in ("/sentences", "/examples", "/dashboard")]
    again = make_client()
    assert [again.get(f"{project}{part}").json() for part in ("/sentences", "/examples", "/dashboard")] == before
    assert again.post(f"{project}/undo").json()["did"] == 'label "See you on Monday." as parking'


def test_all_of_it_works_on_either_database(make_client: Callable[..., TestClient], where: str) -> None:
    client = make_client(data=where, sample=True)
    address = f"{PROJECTS}/{client.get(PROJECTS).json()['projects'][0]['id']}"
    assert "event: done" in import_text(client, address, "text,date\nLoud\u2028all night,2024-03-01\n", "r.csv")
    last = client.get(f"{address}/sentences?q=night&order=uncertain").json()["sentences"][-1]
    aspect = client.post(f"{address}/aspects", json={"name": "sound", "examples": ["loud", "n\0isy"]}).json()["id"]
    assert client.put(f"{address}/sentences/{last['id']}/aspects", json={"aspects": [aspect]}).json()["confirmed"]
    assert client.post(f"{address}/tune").status_code == 200
    assert client.get(f"{address}/dashboard").json()["sentences"] > 300
    archive = client.get(f"{address}/export").content
    assert client.post(f"{PROJECTS}/import", files={"file": ("a.zip", archive)}).json()["name"].endswith("(2)")
    for _ in range(4):
        assert client.post(f"{address}/undo").status_code == 200
    assert client.post(f"{address}/undo").status_code == 409
    assert client.post(f"{address}/redo").json()["did"] == 'import "r.csv"'
    assert client.post(f"{address}/redo").json()["did"] == 'add the aspect "sound"'
    assert client.delete(f"{address}/reviews").status_code == 204
    assert client.delete(address).status_code == 204

"""Lists of aspects, merging, splitting, grouping and recolouring over the API; one undo takes each back."""

from __future__ import annotations

from typing import Any

import pytest
from fastapi.testclient import TestClient


def definition(client: TestClient, project: str) -> tuple[Any, Any]:
    """Aspects without what is counted, and examples."""
    aspects = [{**one, "found": 0} for one in client.get(project).json()["aspects"]]
    return aspects, client.get(f"{project}/examples").json()["examples"]


@pytest.mark.parametrize(
    ("method", "path", "body"),
    [
        ("post", "batch", {"aspects": [{"name": "wifi"}, {"name": "pool", "examples": ["warm water"]}]}),
        ("put", "group", {"group": "House", "aspects": [1, 2]}),
        ("post", "1/merge", {"other": 2, "name": "both"}),
        ("post", "1/split", {"name": "soup", "examples": [1]}),
        ("patch", "1", {"colour": 7, "group": "House"}),
    ],
)
def test_each_is_one_change_that_one_undo_takes_back(
    client: TestClient, project: str, method: str, path: str, body: dict[str, Any]
) -> None:
    before = definition(client, project)
    answer = getattr(client, method)(f"{project}/aspects/{path}", json=body)
    assert answer.status_code in (200, 201), answer.text
    after = definition(client, project)
    assert after != before
    client.post(f"{project}/undo").raise_for_status()
    assert definition(client, project) == before
    client.post(f"{project}/redo").raise_for_status()
    assert definition(client, project) == after


def test_a_list_of_aspects_is_added_whole_or_not_at_all(client: TestClient, project: str) -> None:
    refused = client.post(f"{project}/aspects/batch", json={"aspects": [{"name": "wifi"}, {"name": "food"}]})
    assert refused.status_code == 409
    twice = client.post(f"{project}/aspects/batch", json={"aspects": [{"name": "wifi"}, {"name": "wifi"}]})
    assert twice.status_code == 409
    assert [one["name"] for one in client.get(project).json()["aspects"]] == ["food", "parking"]
    made = client.post(f"{project}/aspects/batch", json={"aspects": [{"name": "wifi"}, {"name": "pool"}]}).json()
    assert [one["name"] for one in made["aspects"]] == ["wifi", "pool"]
    assert client.get(project).json()["can_undo"] == 'add the aspects "wifi" and "pool"'


def test_a_split_is_proposed_by_what_is_alike(client: TestClient, project: str) -> None:
    texts = ["the beer was warm", "a glass of warm beer", "warm wine", "the soup was salty", "salty soup again"]
    for text in texts:
        client.post(f"{project}/examples", json={"text": text, "aspects": [1]})
    found = client.get(f"{project}/aspects/1/split").json()["examples"]
    moved = {one["text"] for one in found if one["moved"]}
    assert 0 < len(moved) < len(found) == 7
    beer = next(one["id"] for one in found if one["text"] == "the beer was warm")
    like = client.get(f"{project}/aspects/1/split", params={"like": beer}).json()["examples"]
    moved = {one["text"] for one in like if one["moved"]}
    assert {"the beer was warm", "a glass of warm beer"} <= moved
    assert "salty soup again" not in moved
    assert client.get(f"{project}/aspects/9/split").status_code == 404


def test_what_cannot_be_merged_or_split_is_refused(client: TestClient, project: str) -> None:
    assert client.post(f"{project}/aspects/1/merge", json={"other": 1}).status_code == 422
    assert client.post(f"{project}/aspects/1/merge", json={"other": 9}).status_code == 404
    assert client.post(f"{project}/aspects/1/merge", json={"other": 2, "name": ""}).status_code == 422
    assert client.post(f"{project}/aspects/1/split", json={"name": "x", "examples": [3]}).status_code == 422
    assert client.post(f"{project}/aspects/1/split", json={"name": "parking", "examples": [1]}).status_code == 409
    assert client.patch(f"{project}/aspects/1", json={"colour": 99}).status_code == 422
    assert client.get(project).json()["can_undo"] == 'import "reviews.txt"'


def test_groups_and_colours_are_exported_and_imported(client: TestClient, project: str) -> None:
    client.put(f"{project}/aspects/group", json={"group": "House", "aspects": [2]})
    client.patch(f"{project}/aspects/1", json={"colour": 5})
    archive = client.get(f"{project}/export").content
    made = client.post("/api/v1/projects/import", files={"file": archive}).json()
    kept = [(one["name"], one["group"], one["colour"]) for one in made["aspects"]]
    assert kept == [("food", "", 5), ("parking", "House", 1)]

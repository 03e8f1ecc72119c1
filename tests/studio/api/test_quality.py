"""The audit of a project and its examples to check, over the API."""

from __future__ import annotations

import json
from collections.abc import Callable
from io import BytesIO
from zipfile import ZipFile

import pytest
from fastapi.testclient import TestClient

from studio_imports import import_text

FOOD = ["tasty fish", "fresh salad", "stale bread", "overcooked pasta", "the dessert was delicious", "good pizza"]
PARKING = [
    "no place for our car",
    "the car park was full",
    "free parking",
    "the garage is expensive",
    "nowhere to park",
]


def test_sentences_are_checked_and_tell_how_good_it_is(client: TestClient, project: str) -> None:
    assert client.get(f"{project}/audit/result").json() == {"result": None}
    first = client.get(f"{project}/audit", params={"n": 3}).json()
    assert (len(first["sentences"]), first["checked"], first["size"]) == (3, 0, 4)
    for sentence in first["sentences"]:
        said = client.put(f"{project}/audit/{sentence['id']}", json={"aspects": sentence["aspects"]})
        assert said.json() == {"sentence": sentence["id"], "aspects": sentence["aspects"]}
    rest = client.get(f"{project}/audit").json()
    assert (len(rest["sentences"]), rest["checked"]) == (1, 3)
    assert rest["sentences"][0]["id"] not in {s["id"] for s in first["sentences"]}
    result = client.get(f"{project}/audit/result").json()["result"]
    assert (result["labelled"], result["size"]) == (3, 4)
    assert 0 <= result["more"] <= 1
    assert [a["name"] for a in result["aspects"]] == ["food", "parking"]
    assert result["f1"]["low"] <= result["f1"]["value"] <= result["f1"]["high"]


def test_answers_are_no_examples_and_cannot_be_undone_away(client: TestClient, project: str) -> None:
    before = client.get(project).json()
    sentence = client.get(f"{project}/audit", params={"n": 1}).json()["sentences"][0]["id"]
    client.put(f"{project}/audit/{sentence}", json={"aspects": [1]})
    after = client.get(project).json()
    assert (after["revision"], after["examples"]) == (before["revision"], before["examples"])
    client.post(f"{project}/undo")
    client.post(f"{project}/redo")
    assert client.get(f"{project}/audit").json()["checked"] == 1
    client.delete(f"{project}/audit/{sentence}").raise_for_status()
    assert client.get(f"{project}/audit").json()["checked"] == 0


def test_answers_outlive_the_reviews_and_the_process(make_client: Callable[..., TestClient], project: str) -> None:
    client = make_client()
    texts = {s["id"]: s["text"] for s in client.get(f"{project}/audit").json()["sentences"]}
    number = next(iter(texts))
    client.put(f"{project}/audit/{number}", json={"aspects": []})
    client.delete(f"{project}/reviews").raise_for_status()
    assert client.get(f"{project}/audit").json() == {"sentences": [], "checked": 0, "size": 0}
    import_text(client, project, texts[number] + "\nA late breakfast.\n")
    again = make_client().get(f"{project}/audit").json()
    assert again["checked"] == 1
    assert texts[number] not in {s["text"] for s in again["sentences"]}


def test_answers_go_with_an_exported_project(client: TestClient, project: str) -> None:
    for sentence in client.get(f"{project}/audit", params={"n": 2}).json()["sentences"]:
        client.put(f"{project}/audit/{sentence['id']}", json={"aspects": [2]})
    archive = client.get(f"{project}/export").content
    copy = client.post("/api/v1/projects/import", files={"file": ("p.zip", archive)}).json()["id"]
    assert client.get(f"/api/v1/projects/{copy}/audit").json()["checked"] == 2
    assert client.get(f"/api/v1/projects/{copy}/audit/result").json()["result"]["aspects"][1]["found"] == 2


def test_skipped_sentences_and_kept_labels_go_with_an_exported_project(client: TestClient, project: str) -> None:
    plain = json.loads(ZipFile(BytesIO(client.get(f"{project}/export").content)).read("project.json"))
    assert not {"answers", "kept", "skipped", "target_precision"} & set(plain), "earlier versions refuse these keys"
    first = client.get(f"{project}/suggestions").json()["suggestions"][0]["sentence"]
    client.put(f"{project}/sentences/{first['id']}/skipped").raise_for_status()
    for aspect, texts in ((1, FOOD), (2, [*PARKING, "a good steak"])):
        for text in texts:
            client.post(f"{project}/examples", json={"text": text, "aspects": [aspect]}).raise_for_status()
    issues = client.get(f"{project}/examples-to-check").json()["issues"]
    number = next(one["example_id"] for one in issues if one["text"] == "a good steak")
    client.put(f"{project}/examples-to-check/{number}/kept").raise_for_status()
    archive = client.get(f"{project}/export").content
    copy = client.post("/api/v1/projects/import", files={"file": ("p.zip", archive)}).json()
    address = f"/api/v1/projects/{copy['id']}"
    offered = client.get(f"{address}/suggestions", params={"n": 50}).json()["suggestions"]
    assert offered
    assert first["text"] not in {one["sentence"]["text"] for one in offered}
    listed = client.get(f"{address}/examples-to-check").json()["issues"]
    assert "a good steak" not in {one["text"] for one in listed}
    assert copy["can_undo"] is None


def test_an_answer_of_an_aspect_that_there_is_not_is_refused_and_not_stored(client: TestClient, project: str) -> None:
    sentence = client.get(f"{project}/audit", params={"n": 1}).json()["sentences"][0]["id"]
    refused = client.put(f"{project}/audit/{sentence}", json={"aspects": [1, 999]})
    assert refused.status_code == 404
    assert "found none with the id 999" in refused.json()["detail"]
    assert client.get(f"{project}/audit").json()["checked"] == 0


def test_sentences_that_look_the_same_are_checked_once(client: TestClient, project: str) -> None:
    """They differ in a soft hyphen, which nobody sees; the answer may be given to either."""
    same = ("The break\u00adfast was late.", "The breakfast was late.")
    import_text(client, project, "\n".join(same) + "\n")
    page = client.get(f"{project}/sentences", params={"limit": 200}).json()["sentences"]
    size = client.get(f"{project}/audit").json()["size"]
    for text in reversed(same):
        number = next(one["id"] for one in page if one["text"] == text)
        client.put(f"{project}/audit/{number}", json={"aspects": []}).raise_for_status()
        assert client.get(f"{project}/audit/result").json()["result"]["labelled"] == 1
        found = client.get(f"{project}/audit").json()
        assert (found["checked"], found["size"]) == (1, size)


def test_examples_are_not_asked_for_and_a_new_aspect_is_asked_of_all(client: TestClient, project: str) -> None:
    sentences = client.get(f"{project}/audit").json()["sentences"]
    for sentence in sentences[:2]:
        client.put(f"{project}/audit/{sentence['id']}", json={"aspects": []})
    client.put(f"{project}/sentences/{sentences[2]['id']}/aspects", json={"aspects": [1]})
    found = client.get(f"{project}/audit").json()
    assert (found["checked"], found["size"]) == (2, 3)
    assert sentences[2]["id"] not in {s["id"] for s in found["sentences"]}
    client.post(f"{project}/aspects", json={"name": "noise"})
    assert client.get(f"{project}/audit").json()["checked"] == 0
    assert client.get(f"{project}/audit/result").json() == {"result": None}


def test_examples_to_check_are_listed_until_they_are_kept_or_changed(client: TestClient, project: str) -> None:
    for aspect, texts in ((1, FOOD), (2, [*PARKING, "a good steak"])):
        for text in texts:
            client.post(f"{project}/examples", json={"text": text, "aspects": [aspect]}).raise_for_status()
    found = client.get(f"{project}/examples-to-check").json()
    issue = next(one for one in found["issues"] if one["text"] == "a good steak")
    assert (issue["given"], issue["suggested"]) == ([2], [1])
    assert [row["id"] for row in found["growth"]] == [1, 2]
    client.put(f"{project}/examples-to-check/{issue['example_id']}/kept").raise_for_status()
    kept = client.get(f"{project}/examples-to-check").json()["issues"]
    assert "a good steak" not in {one["text"] for one in kept}
    client.patch(f"{project}/examples/{issue['example_id']}", json={"aspects": [1, 2]}).raise_for_status()
    assert client.get(f"{project}/examples-to-check").status_code == 200


@pytest.mark.parametrize("path", ["audit", "audit/result", "examples-to-check"])
def test_a_project_without_aspects_has_nothing_to_check(client: TestClient, path: str) -> None:
    number = client.post("/api/v1/projects", json={"name": "Empty"}).json()["id"]
    answer = client.get(f"/api/v1/projects/{number}/{path}")
    assert answer.status_code == 200
    assert not any(answer.json().values())
    assert client.put(f"/api/v1/projects/{number}/audit/99", json={"aspects": []}).status_code == 404
    assert client.put(f"/api/v1/projects/{number}/examples-to-check/9/kept").status_code == 404

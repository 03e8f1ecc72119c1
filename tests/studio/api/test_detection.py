"""Any text against a project: detected, analysed; what to label next."""

from __future__ import annotations

import threading
from collections.abc import Callable

from fastapi.testclient import TestClient

from fewaspect import AspectDetector
from fewaspect.detector.labelling.suggest import SETTLED
from studio_imports import import_text

WHERE = ("in our room", "at the desk", "by night", "on Sunday", "in the garden")


def test_texts_are_detected_by_name(client: TestClient, project: str) -> None:
    found = client.post(f"{project}/detect", json={"texts": ["Cold soup. Nobody could park.", ""]}).json()
    assert [set(result["aspects"]) for result in found["results"]] == [{"food", "parking"}, set()]
    assert set(found["results"][0]) == {"aspects", "scores"}
    assert found["revision"] == client.get(project).json()["revision"]


def test_explained_they_have_sentences_and_words(client: TestClient, project: str) -> None:
    asked = {"texts": ["Cold soup. Nobody could park."], "explain": True}
    result = client.post(f"{project}/detect", json=asked).json()["results"][0]
    assert [s["aspects"] for s in result["sentences"]] == [["food"], ["parking"]]
    assert {w["aspect"] for w in result["words"]} == {"food", "parking"}


def test_requests_at_the_same_time_share_calls_of_the_detector(client: TestClient, project: str) -> None:
    client.post(f"{project}/detect", json={"texts": ["warm"]})
    gate = threading.Barrier(12)
    found: dict[int, list[str]] = {}

    def ask(number: int) -> None:
        gate.wait()
        text = "cold soup" if number % 2 else "garage full"
        found[number] = client.post(f"{project}/detect", json={"texts": [text]}).json()["results"][0]["aspects"]

    threads = [threading.Thread(target=ask, args=(number,)) for number in range(12)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [found[n] for n in range(12)] == [["parking"], ["food"]] * 6
    lines = dict(line.rsplit(" ", 1) for line in client.get("/metrics").text.splitlines() if line[0] != "#")
    assert float(lines["fewaspect_batched_requests_total"]) == 13
    assert float(lines["fewaspect_batches_total"]) < 10


def test_analysis_has_all_that_the_detector_says(client: TestClient, project: str) -> None:
    found = client.post(f"{project}/analyze", json={"text": "Nobody could park."}).json()
    fields = ("text", "aspects", "probabilities", "reason", "words", "nearest", "sentences", "accepted", "sentiment")
    assert set(found) == set(fields)
    detector = AspectDetector().fit(
        {"food": ["the soup was cold", "good pizza"], "parking": ["no valet", "garage full"]}
    )
    assert found["aspects"] == list(detector.analyze("Nobody could park.").aspects)


def test_suggestions_are_sentences_that_are_no_examples(client: TestClient, project: str) -> None:
    first = client.get(f"{project}/suggestions?n=2").json()["suggestions"]
    assert len(first) == 2
    assert all(one["reason"] for one in first)
    chosen = first[0]["sentence"]["id"]
    client.put(f"{project}/sentences/{chosen}/aspects", json={"aspects": [1]})
    again = client.get(f"{project}/suggestions").json()["suggestions"]
    assert chosen not in [one["sentence"]["id"] for one in again]
    assert len(again) == 3


def test_a_skipped_sentence_is_not_offered_until_that_is_undone(client: TestClient, project: str) -> None:
    def offered() -> list[int]:
        return [one["sentence"]["id"] for one in client.get(f"{project}/suggestions").json()["suggestions"]]

    before = offered()
    assert client.put(f"{project}/sentences/{before[0]}/skipped").status_code == 204
    client.put(f"{project}/sentences/{before[0]}/skipped")
    assert before[0] not in offered()
    undone = client.post(f"{project}/undo").json()
    assert undone["did"].startswith("skip ")
    assert offered() == before
    client.post(f"{project}/redo")
    assert before[0] not in offered()
    assert client.delete(f"{project}/sentences/{before[0]}/skipped").status_code == 204
    assert offered() == before
    assert client.put(f"{project}/sentences/999/skipped").status_code == 404


def test_what_was_skipped_stays_so_when_the_studio_starts_again(
    make_client: Callable[..., TestClient], client: TestClient, project: str
) -> None:
    first = client.get(f"{project}/suggestions").json()["suggestions"][0]["sentence"]["id"]
    client.put(f"{project}/sentences/{first}/skipped")
    again = make_client().get(f"{project}/suggestions").json()["suggestions"]
    assert first not in [one["sentence"]["id"] for one in again]


def test_whether_answers_have_settled_is_said_from_forty_examples_on(client: TestClient, project: str) -> None:
    few = client.get(f"{project}/suggestions").json()
    assert (few["changed"], few["settled"]) == (None, False)
    for number in range(40):
        client.post(f"{project}/examples", json={"text": f"the soup number {number} was cold", "aspects": [1]})
    many = client.get(f"{project}/suggestions").json()
    assert 0 <= many["changed"] <= 1
    assert many["settled"] == (many["changed"] < SETTLED)


def test_limits_hold(make_client: Callable[..., TestClient], client: TestClient, project: str) -> None:
    assert client.post(f"{project}/detect", json={"texts": ["x"] * 1001}).status_code == 422
    assert client.post(f"{project}/detect", json={"texts": ["x" * 20_001]}).status_code == 422
    assert client.post(f"{project}/detect", json={"texts": "x"}).status_code == 422
    assert client.post(f"{project}/detect", json={"texts": []}).json()["results"] == []


def test_without_aspects_nothing_is_found(client: TestClient) -> None:
    empty = f"/api/v1/projects/{client.post('/api/v1/projects', json={'name': 'a'}).json()['id']}"
    assert client.post(f"{empty}/detect", json={"texts": ["x"]}).json()["results"] == [{"aspects": [], "scores": {}}]
    for path in ("analyze", "tune", "evaluate"):
        body = {"analyze": {"text": "x"}, "tune": {}, "evaluate": {"texts": ["x"], "labels": [[]]}}[path]
        answer = client.post(f"{empty}/{path}", json=body)
        assert (answer.status_code, "expected a project with aspects" in answer.json()["detail"]) == (422, True)
    assert client.get(f"{empty}/model").status_code == 422
    assert client.get(f"{empty}/snippet").status_code == 422
    assert client.get(f"{empty}/dashboard").json()["sentences"] == 0
    assert client.get(f"{empty}/results").status_code == 200


def test_groups_without_a_name_are_found_adopted_and_undone(client: TestClient, project: str) -> None:
    wifi = [f"The wifi {what} {where}." for what in ("was slow", "broke off", "failed") for where in WHERE]
    pool = [f"The pool {what} {where}." for what in ("was closed", "had no water", "was dirty") for where in WHERE]
    import_text(client, project, "\n".join([*wifi, *pool]) + "\n")
    groups = client.get(f"{project}/groups?n=2").json()["groups"]
    assert sorted(word for group in groups for word in ("pool", "wifi") if word in group["name"]) == ["pool", "wifi"]
    assert all(group["size"] > 3 and group["sentences"] and group["words"] for group in groups)
    first = groups[0]
    made = client.post(f"{project}/aspects", json={"name": first["name"], "examples": first["sentences"]}).json()
    assert made["examples"] == len(first["sentences"])
    left = client.get(f"{project}/groups?n=2").json()["groups"]
    assert first["name"] not in {group["name"] for group in left}
    client.post(f"{project}/undo").raise_for_status()
    assert first["name"] not in {aspect["name"] for aspect in client.get(project).json()["aspects"]}


def test_a_project_without_aspects_or_sentences_has_no_groups(client: TestClient, project: str) -> None:
    assert client.get(f"{project}/groups").json() == {"groups": []}  # four sentences are too few
    empty = client.post("/api/v1/projects", json={"name": "empty"}).json()["id"]
    assert client.get(f"/api/v1/projects/{empty}/groups").json() == {"groups": []}
    assert client.get("/api/v1/projects/999/groups").status_code == 404

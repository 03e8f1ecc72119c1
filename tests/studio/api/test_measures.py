"""Tuning, measuring and counting over the API."""

from __future__ import annotations

import pytest
from fastapi.testclient import TestClient

from fewaspect.detector.explain import DEFAULT_THRESHOLD
from studio_imports import import_text

TEXTS = ["cold soup", "no place to park", "see you on Monday", "the pizza"]
LABELS = [["food"], ["parking"], [], ["food", "noise"]]


def test_tuning_sets_thresholds_as_one_change(client: TestClient, project: str) -> None:
    tuned = client.post(f"{project}/tune", json={}).json()["aspects"]
    assert [(a["name"], a["threshold_before"], a["texts"]) for a in tuned] == [
        ("food", DEFAULT_THRESHOLD, 2), ("parking", DEFAULT_THRESHOLD, 2),
    ]  # fmt: skip
    assert all(a["f1"] >= a["f1_before"] for a in tuned)
    assert [a["threshold"] for a in client.get(project).json()["aspects"]] == [a["threshold"] for a in tuned]
    assert client.post(f"{project}/undo").json()["did"] == "tune the thresholds"
    assert [a["threshold"] for a in client.get(project).json()["aspects"]] == [None, None]


def test_an_aspect_without_examples_keeps_its_threshold(client: TestClient, project: str) -> None:
    client.post(f"{project}/aspects", json={"name": "noise"})
    client.post(f"{project}/tune")
    assert client.get(project).json()["aspects"][2]["threshold"] is None


def test_a_label_in_another_case_is_the_aspect_of_that_name(client: TestClient, project: str) -> None:
    written = {"food": "Food", "parking": " PARKING "}
    labels = [[written.get(name, name) for name in own] for own in LABELS]
    found, same = (
        client.post(f"{project}/evaluate", json={"texts": TEXTS, "labels": own}).json() for own in (labels, LABELS)
    )
    assert found == same


def test_measuring_gives_numbers_counts_and_curves(client: TestClient, project: str) -> None:
    found = client.post(f"{project}/evaluate", json={"texts": TEXTS, "labels": LABELS}).json()
    assert (found["texts"], found["macro_f1"], found["right_empties"]) == (4, 1.0, 1.0)
    assert found["unknown_aspects"] == {"noise": 1}
    food = found["aspects"][0]
    assert (food["id"], food["support"], food["f1"], food["threshold"]) == (1, 2, 1.0, DEFAULT_THRESHOLD)
    assert food["confusion"] == {"tp": 2, "fp": 0, "fn": 0, "tn": 2}
    assert food["curve"][0]["recall"] == 1.0
    assert [p["threshold"] for p in food["curve"]] == sorted(p["threshold"] for p in food["curve"])
    assert 0 <= found["calibration_error"] <= 1
    assert (found["without_texts"], found["mistakes"]) == ([], [])


def test_table_and_curve_agree_and_wrong_answers_are_listed(client: TestClient, project: str) -> None:
    client.post(f"{project}/aspects", json={"name": "staff", "examples": ["the waiter was rude"]}).raise_for_status()
    texts = [*TEXTS, "the waiter was rude", "no soup"]
    found = client.post(f"{project}/evaluate", json={"texts": texts, "labels": [["food"]] * 3 + [[]] * 3}).json()
    assert found["without_texts"] == ["parking", "staff"]
    food = found["aspects"][0]
    assert found["macro_f1"] == pytest.approx(food["f1"])
    (in_use,) = [point for point in food["curve"] if point["threshold"] == food["threshold"]]
    assert (in_use["precision"], in_use["recall"]) == (food["precision"], food["recall"])
    for kind, count in (("wrong", "fp"), ("missed", "fn")):
        for aspect in found["aspects"]:
            assert sum(aspect["id"] in m[kind] for m in found["mistakes"]) == aspect["confusion"][count]
    assert {"text": "no place to park", "wrong": [2], "missed": [1]} in found["mistakes"]


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.csv", "text,labels\ncold soup,food\nno place to park,parking\nsee you,\n"),
        ("a.jsonl", '{"text": "cold soup", "labels": ["food"]}\n{"text": "hello", "labels": []}\n'),
    ],
)
def test_labelled_files_are_measured(client: TestClient, project: str, name: str, content: str) -> None:
    answer = client.post(f"{project}/evaluate", files={"file": (name, content.encode())})
    assert answer.status_code == 200, answer.text
    assert answer.json()["macro_f1"] == 1.0


def test_a_cell_that_is_the_name_of_an_aspect_is_not_divided_at_its_comma(client: TestClient, project: str) -> None:
    client.patch(f"{project}/aspects/1", json={"name": "Food, drinks"}).raise_for_status()
    content = 'text,labels\ncold soup,"food, drinks"\nno place to park,"parking, food, drinks"\n'
    found = client.post(f"{project}/evaluate", files={"file": ("a.csv", content.encode())}).json()
    assert found["aspects"][0]["support"] == 1
    assert found["unknown_aspects"] == {"drinks": 1, "food": 1}


def test_what_cannot_be_measured_is_told(client: TestClient, project: str) -> None:
    address = f"{project}/evaluate"
    assert client.post(address, json={"texts": ["x"], "labels": []}).status_code == 422
    assert client.post(address, json={"texts": ["x"]}).json()["field"] == "labels"
    assert client.post(address, content=b"{", headers={"Content-Type": "application/json"}).status_code == 400
    assert client.post(address, files={"other": ("a.csv", b"x")}).json()["field"] == "file"
    wrong = client.post(address, files={"file": ("a.csv", b"a,b\n1,2\n")})
    assert (wrong.status_code, wrong.json()["detail"].startswith("a.csv")) == (422, True)


def test_the_dashboard_counts_sentences(client: TestClient, project: str) -> None:
    csv = "text,date\nCold soup in the parking garage,2024-03-01\nsee you,2024-03-09\nno valet today,2024-04-01\n"
    import_text(client, project, csv, "r.csv", date_column="date")
    client.put(f"{project}/sentences/5/aspects", json={"aspects": [1, 2]})
    client.get(f"{project}/sentences")
    found = client.get(f"{project}/dashboard").json()
    assert (found["sentences"], found["scored"], found["together"]) == (7, 1.0, [[1, 2, 1]])
    assert found["none"] == 7 - len({s["id"] for n in (1, 2) for s in with_aspect(client, project, n)})
    assert {a["id"]: a["count"] for a in found["aspects"]} == {n: len(with_aspect(client, project, n)) for n in (1, 2)}
    assert (found["reviews"], [a["reviews"] for a in found["aspects"]]) == (6, [a["count"] for a in found["aspects"]])


def with_aspect(client: TestClient, project: str, aspect: int) -> list[dict]:
    return client.get(f"{project}/sentences?aspect={aspect}").json()["sentences"]

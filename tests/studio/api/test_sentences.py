"""Imported sentences over the API: paged, filtered, explained, corrected."""

from __future__ import annotations

import pytest
from fastapi.testclient import TestClient

from fewaspect.detector.detector import AspectDetector
from fewaspect.detector.explain import DEFAULT_THRESHOLD, Analysis
from studio_imports import import_text


def texts(client: TestClient, project: str, **query: object) -> list[str]:
    return [s["text"] for s in client.get(f"{project}/sentences", params=query).json()["sentences"]]


def test_sentences_come_in_the_order_of_the_file_with_what_was_found(client: TestClient, project: str) -> None:
    page = client.get(f"{project}/sentences").json()
    assert (page["total"], page["scored"]) == (4, 1.0)
    assert [(s["text"], s["aspects"], s["position"]) for s in page["sentences"]] == [
        ("Cold soup again.", [1], 0), ("Nobody could park.", [2], 1), ("See you on Monday.", [], 0),
        ("The pizza was fine.", [1], 0),
    ]  # fmt: skip
    soup = page["sentences"][0]
    assert set(soup["scores"]) == {"1", "2"}
    assert {soup["text"][w["start"] : w["end"]] for w in soup["words"]} <= {"Cold", "soup", "again"}
    assert max(w["weight"] for w in soup["words"]) == 1.0
    assert soup["reason"].startswith("food ")


def test_pages_and_filters(client: TestClient, project: str) -> None:
    assert texts(client, project, offset=1, limit=2) == ["Nobody could park.", "See you on Monday."]
    assert texts(client, project, offset=9) == []
    assert texts(client, project, aspect=1) == ["Cold soup again.", "The pizza was fine."]
    assert texts(client, project, show="none") == ["See you on Monday."]
    assert texts(client, project, q="FINE pizza") == ["The pizza was fine."]
    assert texts(client, project, show="examples") == []
    assert texts(client, project, aspect=99) == []
    assert len(texts(client, project, order="uncertain")) == 4
    assert client.get(f"{project}/sentences?limit=201").status_code == 422
    assert client.get(f"{project}/sentences?show=some").status_code == 422


def test_what_the_dashboard_counts_can_be_read(client: TestClient, project: str) -> None:
    csv = "text,date\nCold soup in the parking garage,2024-03-01\nCold soup,2024-03-09\nCold soup,2024-04-01\n"
    import_text(client, project, csv, "r.csv", date_column="date")
    assert texts(client, project, aspect=1, together=2) == ["Cold soup in the parking garage"]
    assert len(texts(client, project, aspect=1, period="2024-03")) == 2
    assert texts(client, project, aspect=2, period="2024-04") == []
    assert client.get(f"{project}/sentences?period=spring").status_code == 422


def test_the_least_sure_come_first_and_the_rest_is_left_out(client: TestClient, project: str) -> None:
    scores = {s["text"]: s["scores"] for s in client.get(f"{project}/sentences").json()["sentences"]}
    client.patch(f"{project}/aspects/1", json={"threshold": scores["See you on Monday."]["1"]})
    assert texts(client, project, order="uncertain")[0] == "See you on Monday."
    assert "See you on Monday." in texts(client, project, show="uncertain")
    client.put(f"{project}/sentences/3/aspects", json={"aspects": []})
    assert "See you on Monday." not in texts(client, project, show="uncertain")


def test_a_correction_becomes_an_example_and_counts_at_once(client: TestClient, project: str) -> None:
    corrected = client.put(f"{project}/sentences/3/aspects", json={"aspects": [2]}).json()
    assert (corrected["aspects"], corrected["confirmed"]) == ([2], True)
    page = client.get(f"{project}/sentences").json()
    assert page["sentences"][2]["example_id"] == corrected["example_id"]
    assert page["sentences"][2]["scores"]["2"] > DEFAULT_THRESHOLD
    example = client.get(f"{project}/examples?aspect=2").json()["examples"][-1]
    assert (example["text"], example["sentence_id"]) == ("See you on Monday.", 3)
    released = client.delete(f"{project}/sentences/3/aspects").json()
    assert (released["aspects"], released["confirmed"], released["example_id"]) == ([], False, None)
    assert client.delete(f"{project}/sentences/3/aspects").status_code == 200


def test_one_sentence_is_explained_with_its_review_and_nearest_examples(client: TestClient, project: str) -> None:
    found = client.get(f"{project}/sentences/1").json()
    assert found["review"]["text"] == "Cold soup again. Nobody could park."
    assert found["nearest"]["1"][0]["text"] == "the soup was cold"
    assert found["nearest"]["1"][0]["example_id"] == 1
    assert found["thresholds"] == {"1": DEFAULT_THRESHOLD, "2": DEFAULT_THRESHOLD}
    assert client.get(f"{project}/sentences/99").status_code == 404


def test_script_in_a_review_comes_back_as_data(client: TestClient, project: str) -> None:
    evil = "<script>alert(1)</script> <img src=x onerror=alert(1)>"
    import_text(client, project, evil + "\n")
    answer = client.get(f"{project}/sentences", params={"q": "script"})
    assert answer.headers["content-type"] == "application/json"
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert "script-src 'self'" in answer.headers["content-security-policy"]
    assert "".join(s["text"] for s in answer.json()["sentences"]).startswith("<script>")


def test_a_project_without_aspects_shows_its_sentences(client: TestClient, project: str) -> None:
    for aspect in (1, 2):
        client.delete(f"{project}/aspects/{aspect}")
    page = client.get(f"{project}/sentences").json()
    assert [(s["aspects"], s["scores"]) for s in page["sentences"]] == [([], {})] * 4
    assert client.get(f"{project}/sentences/1").json()["nearest"] == {}
    assert client.get(f"{project}/suggestions").json()["suggestions"] == []


def test_a_sentence_is_explained_once_until_something_changes(
    client: TestClient, project: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    explained: list[str] = []
    analyze = AspectDetector.analyze_many

    def counting(detector: AspectDetector, some: list[str], *how: bool, **more: bool) -> list[Analysis]:
        explained.extend(some)
        return analyze(detector, some, *how, **more)

    monkeypatch.setattr(AspectDetector, "analyze_many", counting)
    first = client.get(f"{project}/sentences?limit=3").json()["sentences"]
    assert client.get(f"{project}/sentences").json()["sentences"][:3] == first
    assert sorted(explained) == sorted(set(explained))
    assert len(explained) == 4
    client.patch(f"{project}/aspects/1", json={"threshold": 0.99999})
    assert client.get(f"{project}/sentences").json()["sentences"][0]["aspects"] == []
    assert len(explained) == 8


def test_a_page_of_the_revision_that_one_knows_is_of_that_or_later(client: TestClient, project: str) -> None:
    known = client.get(f"{project}/sentences").json()
    sentence = known["sentences"][0]["id"]
    client.put(f"{project}/sentences/{sentence}/aspects", json={"aspects": []})
    late = client.get(f"{project}/sentences?revision={known['revision']}").json()
    assert late["revision"] >= known["revision"]
    assert late["sentences"][0]["confirmed"] == (late["revision"] > known["revision"])
    present = client.get(f"{project}/sentences?revision={known['revision'] + 1}").json()
    assert present["revision"] == known["revision"] + 1
    assert present["sentences"][0]["confirmed"]
    assert client.get(f"{project}/sentences/{sentence}?revision={present['revision']}").json()["confirmed"]
    assert client.get(f"{project}/sentences?revision=-1").status_code == 422


def test_a_sentence_is_located_in_the_list_that_is_asked_for(client: TestClient, project: str) -> None:
    every = [s["id"] for s in client.get(f"{project}/sentences").json()["sentences"]]
    found = [client.get(f"{project}/sentences?limit=1&locate={one}").json()["position"] for one in every]
    assert found == list(range(len(every)))
    assert client.get(f"{project}/sentences?q=pizza&locate={every[0]}").json()["position"] is None
    assert client.get(f"{project}/sentences?q=pizza&locate={every[-1]}").json()["position"] == 0
    assert client.get(f"{project}/sentences").json()["position"] is None


def test_a_correction_that_did_not_see_what_another_said_is_refused(client: TestClient, project: str) -> None:
    path = f"{project}/sentences/1/aspects"
    assert client.put(path, json={"aspects": [1], "seen": None}).status_code == 200
    late = client.put(path, json={"aspects": [2], "seen": None})
    assert late.status_code == 409
    assert late.json()["detail"] == 'Someone else changed "Cold soup again." meanwhile and said: food.'
    assert client.get(f"{project}/sentences/1").json()["aspects"] == [1]
    assert client.put(path, json={"aspects": [1], "seen": None}).status_code == 200, "both say the same"
    assert client.put(path, json={"aspects": [1, 2], "seen": [1]}).status_code == 200
    assert client.delete(path, params={"seen": "1"}).status_code == 409
    assert client.delete(path, params={"seen": "2,1"}).status_code == 200
    gone = client.put(path, json={"aspects": [2], "seen": [1, 2]})
    assert (gone.status_code, "took it back" in gone.json()["detail"]) == (409, True)
    assert client.put(path, json={"aspects": [2]}).status_code == 200, "without a word on what was seen"

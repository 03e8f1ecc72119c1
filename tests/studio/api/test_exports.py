"""Whatever the API lets somebody make can be exported, and imported again with equal content."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Callable
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from fastapi.testclient import TestClient

from fewaspect.studio.importing.archives import LINE_BYTES
from fewaspect.studio.limits import LIMITS, Limits
from studio_imports import import_text

API = "/api/v1"
ODD = ("\x1f", "\u2028x", "\u200b", "\x7f", "\ufeff", "\u202e", "a\0b", '"\\', "<b>,[{", "\U0001f600" * 90)


def new_project(client: TestClient) -> str:
    return f"{API}/projects/{client.post(f'{API}/projects', json={'name': 'full'}).json()['id']}"


def exported(client: TestClient, address: str) -> tuple[bytes, dict[str, Any], list[Any]]:
    """The file, and what is in it but for the name."""
    answer = client.get(f"{address}/export")
    assert answer.status_code == 200, answer.text
    with zipfile.ZipFile(io.BytesIO(answer.content)) as archive:
        about, reviews = (archive.read(name) for name in ("project.json", "reviews.jsonl"))
    return answer.content, {**json.loads(about), "name": ""}, [json.loads(line) for line in reviews.splitlines()]


def listed(client: TestClient, address: str) -> list[Any]:
    sentences = client.get(f"{address}/sentences", params={"limit": 200}).json()["sentences"]
    for sentence in sentences:
        assert client.get(f"{address}/sentences/{sentence['id']}").status_code == 200
    return [(one["text"], one["date"], one["confirmed"], one["position"]) for one in sentences]


def check_copy(client: TestClient, address: str) -> None:
    file, *content = exported(client, address)
    copy = client.post(f"{API}/projects/import", files={"file": ("p.zip", file)})
    assert copy.status_code == 201, copy.text
    again = f"{API}/projects/{copy.json()['id']}"
    assert [*exported(client, again)[1:]] == content
    assert listed(client, again) == listed(client, address)


def saved_detector(client: TestClient, address: str, change: Callable[[dict[str, Any]], Any]) -> bytes:
    """The detector of a project, whose description somebody has edited."""
    held = io.BytesIO(client.get(f"{address}/model").content)
    with zipfile.ZipFile(held) as archive:
        about = json.loads(archive.read("detector.json"))
    change(about)
    with zipfile.ZipFile(file := io.BytesIO(), "w") as archive:
        archive.writestr("detector.json", json.dumps(about))
    return file.getvalue()


def test_odd_texts_come_back_in_every_place(client: TestClient) -> None:
    project = new_project(client)
    ids = []
    for text in ODD:
        new = client.post(
            f"{project}/aspects", json={"name": text, "description": text, "examples": [text, f"{text}."]}
        )
        assert new.status_code == 201, new.text
        ids.append(new.json()["id"])
        client.patch(f"{project}/aspects/{ids[-1]}", json={"group": text, "threshold": 0.1}).raise_for_status()
    rows = [
        json.dumps({"text": f"{text} {text}. {text}", "d": "0001-01-01", text: [text, {text: 1e300}]}) for text in ODD
    ]
    import_text(client, project, "\n".join(rows), "a.jsonl", text_column="text", date_column="d")
    import_text(client, project, "\n".join(rows[:3]), "b.jsonl", text_column="text", duplicates="replace")
    for sentence in client.get(f"{project}/sentences", params={"limit": 200}).json()["sentences"]:
        one = f"{project}/sentences/{sentence['id']}"
        client.put(f"{one}/skipped").raise_for_status()
        client.put(f"{one}/polarities/{ids[1]}", json={"polarity": "mixed"}).raise_for_status()
        client.put(f"{one}/rejected/{ids[2]}", json={}).raise_for_status()
        client.put(f"{project}/audit/{sentence['id']}", json={"aspects": ids[:2]}).raise_for_status()
    example = client.get(f"{project}/examples").json()["examples"][0]["id"]
    client.put(f"{project}/examples-to-check/{example}/kept").raise_for_status()
    client.post(f"{project}/aspects/{ids[3]}/merge", json={"other": ids[4]}).raise_for_status()
    client.delete(f"{project}/aspects/{ids[5]}").raise_for_status()
    client.post(f"{project}/undo").raise_for_status()
    check_copy(client, project)


def test_values_in_a_text_are_none(make_client: Callable[..., TestClient]) -> None:
    client = make_client(limits=Limits(json_values=300))
    project = new_project(client)
    for number in range(4):
        text = f"{number} {',[{' * 30}"
        client.post(f"{project}/examples", json={"text": text, "aspects": []}).raise_for_status()
    check_copy(client, project)


@pytest.mark.parametrize("what", ["examples", "polarities", "rejected", "skipped", "audit"])
def test_what_was_said_may_fill_a_project_but_not_beyond_what_can_be_read(
    make_client: Callable[..., TestClient], what: str
) -> None:
    client = make_client(limits=Limits(definition_chars=9_000))
    project = new_project(client)
    names = [letter * 90 for letter in "abc"]
    ids = [client.post(f"{project}/aspects", json={"name": name}).json()["id"] for name in names]
    import_text(client, project, "\n".join(f"{number} {'é' * 300}" for number in range(30)))
    for sentence in client.get(f"{project}/sentences", params={"limit": 30}).json()["sentences"]:
        text, one = sentence["text"], f"{project}/sentences/{sentence['id']}"
        requests: dict[str, tuple[str, str, Any]] = {
            "examples": ("POST", f"{project}/examples", {"text": text, "aspects": ids}),
            "polarities": ("PUT", f"{one}/polarities/{ids[0]}", {"polarity": "negative"}),
            "rejected": ("PUT", f"{one}/rejected/{ids[0]}", {}),
            "skipped": ("PUT", f"{one}/skipped", None),
            "audit": ("PUT", f"{project}/audit/{sentence['id']}", {"aspects": ids}),
        }
        method, address, body = requests[what]
        answer = client.request(method, address, json=body)
        if answer.status_code >= 400:
            break
    assert answer.status_code == 422
    assert "expected at most 9,000 characters in what is said of a project's sentences" in answer.json()["detail"]
    check_copy(client, project)


def test_a_project_that_is_too_full_can_be_emptied(make_client: Callable[..., TestClient]) -> None:
    """It may be of a version that had no such limit."""
    project = new_project(make_client())
    client = make_client()
    ids = [
        client.post(f"{project}/aspects", json={"name": name, "examples": ["x" * 5000]}).json()["id"] for name in "ab"
    ]
    client = make_client(limits=Limits(definition_chars=2_000))
    assert client.post(f"{project}/aspects", json={"name": "c"}).status_code == 422
    assert client.patch(f"{project}/aspects/{ids[0]}", json={"name": "d"}).status_code == 200
    assert client.delete(f"{project}/aspects/{ids[0]}").status_code == 204


def test_a_row_is_as_long_as_it_can_be_read_again(client: TestClient) -> None:
    """Control characters take six times their length as JSON, and a cell of Parquet may be of any length."""
    project = new_project(client)
    for length, outcome in ((LIMITS.review_chars // 6 - 100, "done"), (LIMITS.review_chars // 6, "failed")):
        pq.write_table(pa.table({"text": ["cold soup"], "more": ["\x01" * length]}), file := io.BytesIO())
        started = client.post(f"{project}/imports", files={"file": ("r.parquet", file.getvalue())})
        told = client.get(f"{project}/jobs/{started.json()['job']}/events").text
        assert f"event: {outcome}" in told
    assert "expected rows of at most 16,000,000 characters with all their columns" in told
    assert 6 * LIMITS.text_chars + LIMITS.review_chars + 100 < LINE_BYTES
    check_copy(client, project)


def test_a_column_is_as_deep_as_it_can_be_read_again(client: TestClient) -> None:
    project = new_project(client)
    for depth, outcome in ((100, "done"), (101, "failed"), (500, "failed")):
        row = f'{{"text": "cold soup", "more": {"[" * depth}{"]" * depth}}}'
        told = import_text(client, project, row, "r.jsonl", text_column="text")
        assert f"event: {outcome}" in told
    assert "expected lists in lists at most 100 deep" in told
    check_copy(client, project)


def test_reviews_that_come_back_fit_into_the_project(make_client: Callable[..., TestClient]) -> None:
    client = make_client(limits=Limits(project_chars=5000))
    project = new_project(client)
    rows = "text,more\ncold soup,{}\n"
    for more, duplicates in (("x" * 3000, "add"), ("x", "replace"), ("y" * 3000, "add")):
        text = rows.format(more).replace("cold", "warm" if more[0] == "y" else "cold")
        assert "event: done" in import_text(client, project, text, "r.csv", text_column="text", duplicates=duplicates)
    numbers = [one["id"] for one in client.get(f"{project}/imports").json()["imports"]]
    assert client.delete(f"{project}/imports/{numbers[1]}").status_code == 422  # what it replaced would come back
    check_copy(client, project)
    assert client.delete(f"{project}/imports/{numbers[2]}").status_code == 204
    assert client.delete(f"{project}/imports/{numbers[1]}").status_code == 204
    check_copy(client, project)


@pytest.mark.parametrize(
    ("place", "value"),
    [("description", "x" * 2001), ("description", "\ud800"), ("name", "\ud800"), ("threshold", -1), ("threshold", 2)],
)
def test_a_detector_is_loaded_only_as_the_api_would_make_it(
    make_client: Callable[..., TestClient], place: str, value: Any
) -> None:
    client = make_client(raise_server_exceptions=False)
    project = new_project(client)
    client.post(f"{project}/aspects", json={"name": "food", "examples": ["cold soup"]}).raise_for_status()

    def change(about: dict[str, Any]) -> None:
        about["aspects"][0][place] = value
        about["examples"] = []

    answer = client.post(f"{project}/model", files={"file": ("d.zip", saved_detector(client, project, change))})
    assert answer.status_code == (200 if value == "\ud800" else 422), answer.text
    check_copy(client, project)


@pytest.mark.parametrize("text", ["", "x" * 20_001, "\ud800"])
def test_polarities_of_a_detector_are_of_sentences(make_client: Callable[..., TestClient], text: str) -> None:
    client = make_client(raise_server_exceptions=False)
    project = new_project(client)
    client.post(f"{project}/aspects", json={"name": "food", "examples": ["cold soup"]}).raise_for_status()
    said = [{"text": text, "aspects": {"food": "negative"}}]
    file = saved_detector(client, project, lambda about: about.update(polarities=said))
    answer = client.post(f"{project}/model", files={"file": ("d.zip", file)})
    assert answer.status_code == (200 if text == "\ud800" else 422), answer.text
    check_copy(client, project)


def test_the_largest_project_is_within_the_limits_of_its_file() -> None:
    """A character takes at most six bytes as JSON; packed, it takes no more."""
    reviews = 6 * LIMITS.project_chars + 60 * LIMITS.sentences
    assert reviews + 6 * LIMITS.definition_chars < LIMITS.unpacked_project_bytes <= LIMITS.project_file_bytes

"""What version 0.1 of the studio wrote can be opened, and the REST API of 0.1 still answers in the same fields."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient

from fewaspect.detector.explain import DEFAULT_THRESHOLD

FIXTURES = Path(__file__).parents[1] / "fixtures" / "v0_1"
PROJECT = "/api/v1/projects/1"
# Fields that 0.1 did not have.
NEWER = {"model": None, "promise": None, "sentiment": False, "importing": None, "unread": None}
PARTIAL = {"found": 0, "scored": 0}  # recorded while sentences were still being scored


@pytest.fixture
def client_of_0_1(make_client: Callable[..., TestClient], tmp_path: Path) -> TestClient:
    """A studio on a copy of the database."""
    path = shutil.copyfile(FIXTURES / "studio.db", tmp_path / "of_0_1.db")
    return make_client(data=str(path))


def recorded(name: str) -> dict[str, Any]:
    return json.loads((FIXTURES / name).read_text("utf-8"))


def complete(project: dict[str, Any]) -> dict[str, Any]:
    """Without what depends on how many sentences had been scored."""
    return {**project, **PARTIAL, "aspects": [{**aspect, **PARTIAL} for aspect in project["aspects"]]}


def project_of_0_1() -> dict[str, Any]:
    """As it was recorded, but for the threshold: the project has none of its own, and the default is another now.

    Its aspects belong to no group.
    """
    project = recorded("studio_project.json")
    aspects = [{**aspect, "group": ""} for aspect in project["aspects"]]
    return {**project, "threshold": DEFAULT_THRESHOLD, "aspects": aspects}


def test_a_database_of_0_1_has_the_same_project(client_of_0_1: TestClient) -> None:
    assert complete(client_of_0_1.get(PROJECT).json()) == {**complete(project_of_0_1()), **NEWER}


def test_a_database_of_0_1_gives_the_same_sentences_and_clear_answers(client_of_0_1: TestClient) -> None:
    before, now = recorded("studio_sentences.json"), client_of_0_1.get(f"{PROJECT}/sentences?limit=20").json()
    assert (now["total"], now["revision"]) == (before["total"], before["revision"])
    for old, new in zip(before["sentences"], now["sentences"], strict=True):
        assert new["scores"].keys() == old["scores"].keys()
        flipped = set(old["aspects"]) ^ set(new["aspects"])
        assert not [aspect for aspect in flipped if abs(old["scores"][str(aspect)] - 0.5) > 0.4]  # another model
        varying = {"aspects", "scores", "words", "reason"}
        kept = {k: v for k, v in old.items() if k not in varying}
        assert {k: v for k, v in new.items() if k not in varying} == {
            **kept,
            "rejected": [],
            "look": None,
            "sentiment": None,
            "foreign": False,
        }


def test_a_change_made_with_0_1_is_undone_and_redone(client_of_0_1: TestClient) -> None:
    before = recorded("studio_project.json")
    undone = client_of_0_1.post(f"{PROJECT}/undo").json()
    assert undone["did"] == undone["project"]["can_redo"] == before["can_undo"]
    assert undone["project"]["examples"] == before["examples"] - 1
    client_of_0_1.post(f"{PROJECT}/redo")
    redone = client_of_0_1.post(f"{PROJECT}/redo").json()
    assert redone["did"] == before["can_redo"]
    assert (redone["project"]["aspects"][0]["threshold"], redone["project"]["can_redo"]) == (0.4, None)


def test_an_archive_of_0_1_becomes_a_project(client: TestClient) -> None:
    made = client.post("/api/v1/projects/import", files={"file": (FIXTURES / "project.zip").read_bytes()})
    kept = ("name", "examples", "reviews", "sentences", "threshold", "dated")
    before = project_of_0_1()
    assert made.status_code == 201
    assert [made.json()[name] for name in kept] == [before[name] for name in kept]
    assert [a["name"] for a in made.json()["aspects"]] == [a["name"] for a in before["aspects"]]


def test_every_path_parameter_and_field_of_0_1_is_still_there(client: TestClient) -> None:
    now = rest_surface(client.get("/api/v1/openapi.json").json())
    for operation, before in recorded("rest_surface.json").items():
        assert operation in now
        for part, names in before.items():
            assert set(names) <= set(now[operation][part]), f"{operation}, {part}"


def rest_surface(openapi: dict[str, Any]) -> dict[str, dict[str, list[str]]]:
    """Parameters, fields of the request, media types and fields of the answer of each operation."""
    return {
        f"{method.upper()} {path}": {
            "parameters": sorted(f"{p['in']} {p['name']}" for p in operation.get("parameters", ())),
            "request": sorted(_contents(openapi, operation.get("requestBody", {}))),
            "response": sorted(
                f"{status} {field}".rstrip()
                for status, answer in operation["responses"].items()
                for field in ["", *_contents(openapi, answer)]
                if status.startswith("2")
            ),
        }
        for path, methods in openapi["paths"].items()
        for method, operation in methods.items()
    }


def _contents(openapi: dict[str, Any], body: dict[str, Any]) -> Iterator[str]:
    for media, content in body.get("content", {}).items():
        yield media
        yield from (f"{media} {field}" for field in _fields(openapi, content.get("schema", {})))


def _fields(openapi: dict[str, Any], schema: dict[str, Any]) -> Iterator[str]:
    """`projects[].name` for each field of each object inside."""
    if reference := schema.get("$ref"):
        schema = openapi["components"]["schemas"][reference.rpartition("/")[2]]
    for name, inner in schema.get("properties", {}).items():
        yield name
        yield from (f"{name}{field if field.startswith('[]') else f'.{field}'}" for field in _fields(openapi, inner))
    if "items" in schema:
        yield from (f"[].{field}" for field in _fields(openapi, schema["items"]))
    for value in (schema.get("additionalProperties"), *schema.get("anyOf", ())):
        if isinstance(value, dict):
            yield from _fields(openapi, value)

"""Files, archives and requests as they come: refused in one sentence or read, never an internal error, nothing left."""

from __future__ import annotations

import io
import json
import random
import re
import time
import zipfile
from collections.abc import Callable

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from fastapi.testclient import TestClient

from fewaspect.data.labels import to_indicator_matrix
from fewaspect.studio.importing.dates import are_dates
from fewaspect.studio.limits import Limits
from studio_imports import import_text


def parquet(**columns: object) -> bytes:
    file = io.BytesIO()
    pq.write_table(pa.table({"text": ["a b"], **columns}), file)
    return file.getvalue()


FILES = {
    "infinite.parquet": parquet(x=[float("inf")]),
    "late.parquet": parquet(x=pa.array([9223372036854775], pa.timestamp("ms"))),
    "zone.parquet": parquet(x=pa.array([1], pa.timestamp("us", "Mars/Olympus"))),
    "huge.jsonl": b'{"text": "a b", "n": ' + b"9" * 4000 + b"}\n",
    "huger.jsonl": b'{"text": "a b", "n": ' + b"9" * 5000 + b"}\n",
    "é" * 200 + ".txt": b"a b\n",
    "文" * 90 + ".csv": b"text\na b\n",
}


@pytest.mark.parametrize("name", FILES, ids=lambda name: name[:5])
def test_files_that_users_have_are_read_or_refused(client: TestClient, project: str, name: str) -> None:
    file = {"file": (name, FILES[name])}
    assert client.post(f"{project}/imports/preview", files=file).status_code < 500
    started = client.post(f"{project}/imports", files=file)
    if started.status_code == 202:
        assert "internal error" not in client.get(f"{project}/jobs/{started.json()['job']}/events").text
    for part in ("sentences", "results", "export", "columns", "dashboard"):
        assert client.get(f"{project}/{part}").status_code == 200


@pytest.mark.parametrize("method", [zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_a_damaged_project_file_is_refused(make_client: Callable[..., TestClient], method: int) -> None:
    client, file = make_client(raise_server_exceptions=False), io.BytesIO()
    with zipfile.ZipFile(file, "w", method) as archive:
        about = {"format": "fewaspect-project", "version": 1, "name": "x", "aspects": [], "examples": []}
        archive.writestr("project.json", json.dumps(about))
        archive.writestr("reviews.jsonl", b'{"text": "a b"}\n' * 99)
    for seed in range(40):
        chance, content = random.Random(seed), bytearray(file.getvalue())
        for _ in range(chance.randint(1, 6)):
            content[chance.randrange(len(content))] = chance.randrange(256)
        answer = client.post("/api/v1/projects/import", files={"file": ("p.zip", bytes(content))})
        assert answer.status_code < 500, (seed, answer.text)


def test_a_small_archive_of_many_reviews_or_examples_is_refused_while_it_is_read(client: TestClient) -> None:
    about = {"format": "fewaspect-project", "version": 1, "name": "x", "aspects": [], "examples": []}
    for examples, reviews in (([], b'{"text":"a"}\n' * 300_000), ([{"text": "a", "aspects": []}] * 100_000, b"")):
        with zipfile.ZipFile(file := io.BytesIO(), "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr("project.json", json.dumps({**about, "examples": examples}))
            archive.writestr("reviews.jsonl", reviews)
        answer = client.post("/api/v1/projects/import", files={"file": ("p.zip", file.getvalue())})
        assert answer.status_code == 422, answer.text
        assert "at most" in answer.json()["detail"]


@pytest.mark.parametrize("limits", [Limits(sentences=100), Limits(project_chars=100)], ids=["reviews", "characters"])
def test_an_archive_is_not_read_beyond_the_limit(make_client: Callable[..., TestClient], limits: Limits) -> None:
    """What comes after is no JSON, and nobody sees it."""
    client = make_client(limits=limits)
    about = {"format": "fewaspect-project", "version": 1, "name": "x", "aspects": [], "examples": []}
    with zipfile.ZipFile(file := io.BytesIO(), "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("project.json", json.dumps(about))
        archive.writestr("reviews.jsonl", b'{"text":"a"}\n' * 101 + b"broken\n")
    answer = client.post("/api/v1/projects/import", files={"file": ("p.zip", file.getvalue())})
    assert answer.status_code == 422
    assert answer.json()["detail"].startswith("expected at most 100 ")


def test_a_project_that_could_be_filled_can_be_opened_again(make_client: Callable[..., TestClient]) -> None:
    """A project is limited by what its file may hold: more is refused when it is imported, not when it is carried."""
    client = make_client(limits=Limits(project_chars=9000, body_bytes=8000, project_file_bytes=1 << 20))
    made = f"/api/v1/projects/{client.post('/api/v1/projects', json={'name': 'full'}).json()['id']}"
    rows = f"text,more\ncold soup,{'ü' * 1000}\n"  # as JSON, 6 characters each
    told = [import_text(client, made, rows, "r.csv", text_column="text") for _ in range(3)]
    assert ["event: done" in one for one in told] == [True, False, False]
    assert "expected at most 9,000 characters in the reviews of a project" in told[1]
    content = client.get(f"{made}/export").content
    copy = client.post("/api/v1/projects/import", files={"file": ("p.zip", content)})
    assert copy.status_code == 201, copy.text
    assert copy.json()["reviews"] == client.get(made).json()["reviews"] == 1


def test_a_project_file_of_very_many_values_is_refused_before_it_is_parsed(
    make_client: Callable[..., TestClient],
) -> None:
    client = make_client(limits=Limits(json_values=1000))
    about = {"format": "fewaspect-project", "version": 1, "name": "x", "aspects": [], "examples": [[]] * 2000}
    with zipfile.ZipFile(file := io.BytesIO(), "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("project.json", json.dumps(about))
    answer = client.post("/api/v1/projects/import", files={"file": ("p.zip", file.getvalue())})
    assert (answer.status_code, answer.json()["detail"]) == (
        422, "project.json: expected at most 1,000 values, found more.",
    )  # fmt: skip


@pytest.mark.parametrize("name", ["\x1f", "\x85", "\u2028x"])
def test_a_project_with_odd_names_can_be_opened_again(client: TestClient, name: str) -> None:
    made = client.post("/api/v1/projects", json={"name": "odd"}).json()["id"]
    client.post(f"/api/v1/projects/{made}/aspects", json={"name": name, "examples": [name]})
    content = client.get(f"/api/v1/projects/{made}/export").content
    assert client.post("/api/v1/projects/import", files={"file": ("p.zip", content)}).status_code == 201


def test_a_download_leaves_no_file_whatever_range_is_asked_for(client: TestClient, project: str) -> None:
    folder = client.app.state.studio.temporary.path  # type: ignore[attr-defined]
    for wanted in ("bytes=0-10", "bytes=99999999-", "bytes=5-1", "x"):
        client.get(f"{project}/export", headers={"Range": wanted})
    assert client.get(f"{project}/export").status_code == 200
    assert [path.name for path in folder.iterdir()] == ["lock"]


def test_head_is_answered_as_get_without_a_body(client: TestClient) -> None:
    for path in ("/", "/healthz", "/api/v1/status"):
        answer = client.head(path)
        assert (answer.status_code, answer.content) == (200, b"")
    assert client.head("/nowhere").status_code == 404


def test_a_method_that_a_path_has_not_is_answered_with_those_it_has(client: TestClient, project: str) -> None:
    paths = client.get("/api/v1/openapi.json").json()["paths"]
    assert len(paths) > 40
    for template, operations in {**paths, "/": {"get": {}}, "/api/v1/openapi.json": {"get": {}}}.items():
        path = re.sub(r"\{\w+\}", "1", template.replace("/projects/{project}", project.removeprefix("/api/v1")))
        has = {method.upper() for method in operations} | ({"HEAD"} if "get" in operations else set())
        for method in {"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"} - has:
            answer = client.request(method, path)
            found = (answer.status_code, set(answer.headers.get("allow", "").split(", ")))
            assert found == (405, has), (method, path)


def test_an_origin_that_is_no_address_is_refused(client: TestClient, project: str) -> None:
    assert client.get(project, headers={"Origin": "http://["}).status_code == 403


def test_content_types_are_the_same_in_any_case(client: TestClient, project: str) -> None:
    kind = {"Content-Type": "Application/JSON; Charset=UTF-8"}
    assert client.post(f"{project}/detect", content=b'{"texts": ["a"]}', headers=kind).status_code == 200
    part = b'Content-Disposition: form-data; name="file"; filename="a.csv"\r\n\r\ntext,labels\na,food\n'
    body = b"--x\r\n" + part + b"\r\n--x--\r\n"
    kind = {"Content-Type": "Multipart/Form-Data; boundary=x"}
    assert client.post(f"{project}/evaluate", content=body, headers=kind).status_code == 200


def test_many_unknown_labels_and_many_equal_columns_take_no_time() -> None:
    started = time.thread_time()
    lists = [[f"label {row} {n}" for n in range(1000)] for row in range(60)]
    matrix, unknown = to_indicator_matrix(lists, ["food"], len(lists))
    assert (matrix.sum(), len(unknown)) == (0, 60_000)
    assert unknown["label 7 1"].nonzero()[0].tolist() == [7]
    assert not any(are_dates(["x"]) for _ in range(20_000))
    assert time.thread_time() - started < 5

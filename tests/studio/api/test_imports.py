"""Files of reviews: previewed, imported with progress, or refused without a trace."""

from __future__ import annotations

import gzip
import io
import json
import tempfile
from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from fastapi.testclient import TestClient

from fewaspect.reviews.formats import InputFormat
from fewaspect.reviews.readers.source import Source, read_reviews
from fewaspect.studio.limits import Limits
from studio_imports import import_text

CSV = (
    "when,stars,opinion\n"
    '03/31/2024,4,"The soup was cold. The garage was full."\n'
    "04/02/2024,1,We could not find any place to park\n"
    "04/03/2024,1,\n"
)


@pytest.fixture(autouse=True)
def _own_temporary_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "temporary").mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "temporary"))


def events(text: str) -> list[tuple[str, dict]]:
    parts = [part.split("\ndata: ") for part in text.strip().split("\n\n")]
    return [(name.removeprefix("event: "), json.loads(data)) for name, data in parts]


def preview(client: TestClient, project: str, name: str, content: bytes) -> dict:
    return client.post(f"{project}/imports/preview", files={"file": (name, content)}).json()


def test_a_preview_guesses_the_columns(client: TestClient, project: str) -> None:
    found = preview(client, project, "r.csv", CSV.encode())
    assert (found["format"], found["text_column"], found["date_column"]) == ("csv", "opinion", "when")
    assert [(c["name"], c["kind"]) for c in found["columns"]] == [
        ("when", "date"), ("stars", "number"), ("opinion", "text"),
    ]  # fmt: skip
    assert found["rows"][1]["stars"] == "1"
    lines = b'{"n": 1, "review": "The soup was cold."}\n{"n": 2, "review": null}\n'
    assert preview(client, project, "r.jsonl", lines)["text_column"] == "review"
    assert preview(client, project, "r.txt.gz", gzip.compress(b"one\ntwo\n"))["format"] == "txt"


def test_an_import_tells_its_progress_and_keeps_other_columns(client: TestClient, project: str) -> None:
    told = events(import_text(client, project, CSV, "r.csv", date_column="when"))
    counts = {"stage": "detecting", "done": 7, "total": 7, "skipped": 1, "imported": 2, "duplicates": 0}
    assert told[-1] == ("done", counts)
    assert {name for name, _ in told[:-1]} == {"progress"}
    page = client.get(f"{project}/sentences?offset=4").json()["sentences"]
    assert [(s["text"], s["date"], s["aspects"]) for s in page] == [
        ("The soup was cold.", "2024-03-31", [1]),
        ("The garage was full.", "2024-03-31", [2]),
        ("We could not find any place to park", "2024-04-02", [2]),
    ]
    fields = client.get(f"{project}/sentences/{page[0]['id']}").json()["review"]["fields"]
    assert fields == {"when": "03/31/2024", "stars": "4"}
    assert client.get(project).json()["dated"]


def test_parquet_is_read(client: TestClient, project: str) -> None:
    held = io.BytesIO()
    pq.write_table(pa.table({"text": ["cold soup", None], "n": [float("nan"), 2.0]}), held)
    started = client.post(f"{project}/imports", files={"file": ("r.parquet", held.getvalue())}).json()["job"]
    assert events(client.get(f"{project}/jobs/{started}/events").text)[-1][1]["skipped"] == 1
    last = client.get(f"{project}/sentences?offset=4").json()["sentences"][0]
    assert client.get(f"{project}/sentences/{last['id']}").json()["review"]["fields"] == {"n": None}


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("r.csv", '\ufeffid,text,note,note\r\n\r\n1,"Cold soup,\n""twice""",a,b\r\n\n2,no café 🍜,,"x\r\n"'),
        ("r.jsonl", '\ufeff\n{"text": "Cold\\nsoup", "id": 1}\r\n \n{"text": "\\ud83c\\udf5c café", "tags": ["a"]}'),
        ("r.txt", "\ufeffCold soup\r\n\n\u2028 no café\nlast"),
    ],
)
def test_an_awkward_file_is_read_as_detect_reads_it(
    client: TestClient, project: str, tmp_path: Path, name: str, content: str
) -> None:
    assert "event: done" in import_text(client, project, content, name)
    (path := tmp_path / name).write_bytes(content.encode())
    reviews = [review for review in read_reviews(Source(str(path), InputFormat(path.suffix[1:]))) if review.text]
    sentences = client.get(f"{project}/sentences?offset=4").json()["sentences"]
    found = [client.get(f"{project}/sentences/{sentence['id']}").json()["review"] for sentence in sentences]
    assert {review["text"]: review["fields"] for review in found} == {
        review.text: {key: value for key, value in review.fields.items() if key != "text"} for review in reviews
    }


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("r.csv", "a,b\n1,2,3\n", "r.csv, line 2: expected 2 cells as in the header, found 3"),
        ("r.jsonl", '{"text": "fine"}\nnonsense\n', "r.jsonl, line 2"),
        ("r.txt", "\n\n", "expected texts of 1 to 20,000 characters, found none"),
        ("r.parquet", "no parquet", "r.parquet"),
    ],
)
def test_a_failed_import_leaves_nothing_behind(
    client: TestClient, project: str, tmp_path: Path, name: str, content: str, message: str
) -> None:
    started = client.post(f"{project}/imports", files={"file": (name, content.encode())})
    if started.status_code == 202:
        kind, told = events(client.get(f"{project}/jobs/{started.json()['job']}/events").text)[-1]
        assert kind == "failed"
    else:
        told = started.json()
    assert message in told["detail"]
    assert str(tmp_path) not in told["detail"]
    assert client.get(project).json()["sentences"] == 4
    assert [path.name for path in (tmp_path / "temporary").rglob("*") if path.is_file()] == ["lock"]


def test_a_column_that_is_not_there_is_told(client: TestClient, project: str) -> None:
    detail = events(import_text(client, project, CSV, "r.csv", text_column="x"))[-1][1]["detail"]
    assert "expected a column" in detail
    assert "--" not in detail, "that would be for the command line"
    assert "of dates" in events(import_text(client, project, CSV, "r.csv", date_column="x"))[-1][1]["detail"]


def test_limits_hold(make_client: Callable[..., TestClient]) -> None:
    client = make_client(limits=Limits(import_rows=2, text_chars=10, sentences=3, unpacked_bytes=10_000))
    project = f"/api/v1/projects/{client.post('/api/v1/projects', json={'name': 'a'}).json()['id']}"
    assert "at most 2 rows, found 3" in import_text(client, project, "a\nb\nc\n")
    assert events(import_text(client, project, "short\nmuch too long a text\n"))[-1][1]["skipped"] == 1
    assert "at most 3 sentences in a project, found 4" in import_text(client, project, "A b. C d.\nE f.\n")
    bomb = client.post(f"{project}/imports", files={"file": ("a.txt.gz", gzip.compress(b"0" * 100_000))})
    assert (bomb.status_code, bomb.json()["title"]) == (413, bomb.json()["title"])
    assert client.get(project).json()["reviews"] == 1


@pytest.mark.parametrize("name", ["r.exe", "", "..", "r"])
def test_other_files_are_refused(client: TestClient, project: str, name: str) -> None:
    answer = client.post(f"{project}/imports", files={"file": (name, b"x")})
    assert answer.status_code in (415, 422)


def test_a_name_that_leads_elsewhere_does_not(client: TestClient, project: str, tmp_path: Path) -> None:
    assert "event: done" in import_text(client, project, "cold soup\n", "../../../evil.txt")
    assert not list(tmp_path.rglob("evil*"))


def test_all_reviews_can_be_removed_and_examples_stay(client: TestClient, project: str) -> None:
    client.put(f"{project}/sentences/3/aspects", json={"aspects": [2]})
    assert client.delete(f"{project}/reviews").status_code == 204
    assert client.get(f"{project}/sentences").json()["total"] == 0
    kept = client.get(f"{project}/examples").json()["examples"][-1]
    assert (kept["text"], kept["sentence_id"]) == ("See you on Monday.", None)


def test_a_job_belongs_to_its_project(client: TestClient, project: str) -> None:
    other = client.post("/api/v1/projects", json={"name": "Other"}).json()["id"]
    assert client.get(f"/api/v1/projects/{other}/jobs/1/events").status_code == 404
    assert client.get(f"{project}/jobs/99/events").status_code == 404
    assert client.post("/api/v1/projects/99/imports", files={"file": ("a.txt", b"x")}).status_code == 404

"""Work on a file from outside takes bounded time, and leaves room for everyone else."""

from __future__ import annotations

import gzip
import tempfile
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import anyio.to_thread
import pytest
from fastapi.testclient import TestClient

from fewaspect.studio.api import imports
from fewaspect.studio.limits import Limits
from studio_imports import import_text


@pytest.fixture(autouse=True)
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (folder := tmp_path / "temporary").mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    return folder


def left_in(folder: Path) -> list[Path]:
    """Files, but for the lock of the studio."""
    return [path for path in folder.rglob("*") if path.is_file() and path.name != "lock"]


def new_project(client: TestClient) -> str:
    return f"/api/v1/projects/{client.post('/api/v1/projects', json={'name': 'a'}).json()['id']}"


def test_a_long_cell_is_previewed_at_once(client: TestClient) -> None:
    content = f"text,when\nfine,x{' ' * 5000}x\n"
    started = time.process_time()
    answer = client.post(f"{new_project(client)}/imports/preview", files={"file": ("r.csv", content)})
    assert [column["kind"] for column in answer.json()["columns"]] == ["label", "text"]
    assert time.process_time() - started < 3


def test_work_that_takes_too_long_is_refused_without_a_trace(
    make_client: Callable[..., TestClient], temporary: Path
) -> None:
    client = make_client(limits=Limits(preview_seconds=0, import_seconds=0))
    project = new_project(client)
    answer = client.post(f"{project}/imports/preview", files={"file": ("r.txt", b"fine\n")})
    assert answer.status_code == 413
    assert answer.json()["detail"] == "expected a file that is read in 0 seconds, found that it takes more."
    assert answer.json()["detail"] in import_text(client, project, "fine\n")
    assert client.get(project).json()["reviews"] == 0
    assert left_in(temporary) == []


def test_previews_leave_threads_to_other_requests(
    make_client: Callable[..., TestClient], monkeypatch: pytest.MonkeyPatch
) -> None:
    client = make_client()
    project, begun, end = new_project(client), threading.Semaphore(0), threading.Event()

    def slow(*_: object) -> dict:
        begun.release()
        end.wait(60)
        empty = dict.fromkeys(("encoding", "delimiter", "sheet", "duplicates", "repeated", "date_column"))
        return {"format": "txt", "columns": [], "text_column": "text", "rows": [], "sheets": [], **empty}

    async def few_threads() -> None:
        anyio.to_thread.current_default_thread_limiter().total_tokens = Limits().previews + 1

    def look(_: int) -> int:
        return client.post(f"{project}/imports/preview", files={"file": ("r.txt", b"fine\n")}).status_code

    monkeypatch.setattr(imports, "preview", slow)
    assert client.portal is not None
    client.portal.call(few_threads)
    with ThreadPoolExecutor(8) as pool:
        looks = [pool.submit(look, n) for n in range(6)]
        try:
            assert all(begun.acquire(timeout=20) for _ in range(Limits().previews))
            time.sleep(0.2)  # for those that should not begin
            assert pool.submit(client.get, "/healthz").result(timeout=20).status_code == 200
        finally:
            end.set()
        assert [one.result() for one in looks] == [200] * 6


def test_a_studio_that_stops_waits_for_no_import_and_leaves_no_file(client: TestClient, temporary: Path) -> None:
    project, jobs = new_project(client), client.app.state.studio.jobs  # type: ignore[attr-defined]
    endless = gzip.compress(b"\n" * 1_000_000)
    for _ in range(3):
        client.post(f"{project}/imports", files={"file": ("r.txt.gz", endless)}).raise_for_status()
    started = time.monotonic()
    jobs.stop()
    assert time.monotonic() - started < 20
    assert left_in(temporary) == []
    assert "the studio stops" in jobs.get(int(project.rpartition("/")[2]), 3).failed

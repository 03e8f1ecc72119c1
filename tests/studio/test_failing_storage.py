"""Disks that are full, fail or are protected, and other studios on the same data: told in words, nothing is lost."""

from __future__ import annotations

import errno
import os
import sqlite3
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from typing import Any, NoReturn

import pytest
from fastapi.testclient import TestClient
from sqlalchemy import event

from fewaspect.studio.importing import uploads
from fewaspect.studio.store import database
from fewaspect.studio.store.database import Database
from studio_imports import import_text

Clients = Callable[..., TestClient]


def limit_pages(client: TestClient, pages: int) -> None:
    """What SQLite says when the disk is full, without one."""
    engine = client.app.state.studio.database.engine  # type: ignore[attr-defined]

    def limit(connection: Any, *_: Any) -> None:
        connection.execute(f"PRAGMA max_page_count = {pages}")

    event.listen(engine, "connect", limit)
    engine.dispose()


def test_a_full_disk_is_told_and_what_was_saved_stays(client: TestClient, project: str) -> None:
    before = client.get(f"{project}/examples").json()
    limit_pages(client, 1)  # as many as there are now
    text = "cold soup " * 1500
    answer = client.post(f"{project}/examples", json={"text": text, "aspects": [1]})
    assert answer.status_code == 507, answer.text
    assert "database or disk is full" in answer.json()["detail"]
    assert "Everything saved before is there" in answer.json()["plain"]
    assert "database or disk is full" in import_text(client, project, "Nobody could park.\n" * 3000)
    assert client.get(f"{project}/examples").json() == before
    limit_pages(client, 1 << 30)
    assert client.post(f"{project}/examples", json={"text": text, "aspects": [1]}).status_code == 201


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EIO, errno.EMFILE])
def test_an_upload_that_cannot_be_written_is_told(
    client: TestClient, project: str, monkeypatch: pytest.MonkeyPatch, number: int
) -> None:
    def fail(*_: Any) -> NoReturn:
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(uploads, "_copy", fail)
    for path in ("imports", "imports/preview"):
        answer = client.post(f"{project}/{path}", files={"file": ("r.txt", b"fine\n")})
        assert answer.status_code == 507
        assert os.strerror(number) in answer.json()["detail"]


def test_data_that_another_program_holds_is_told_as_busy(
    make_client: Clients, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(database, "BUSY_TIMEOUT", 50)
    client = make_client()
    with closing(sqlite3.connect(tmp_path / "studio.db", isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        answer = client.post("/api/v1/projects", json={"name": "a"})
        assert (answer.status_code, answer.headers["retry-after"]) == (503, "5")
        assert client.get("/api/v1/projects").status_code == 200
        other.execute("ROLLBACK")
    assert client.post("/api/v1/projects", json={"name": "a"}).status_code == 201


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork")
def test_a_folder_that_may_not_be_written_is_refused_in_words(tmp_path: Path, empty_database: Path) -> None:
    """In a child that is nobody, since whoever runs the tests may be allowed everything."""
    (folder := tmp_path / "protected").mkdir()
    (folder / "studio.db").write_bytes(empty_database.read_bytes())
    for path in (folder / "studio.db", folder):
        path.chmod(0o555 if path.is_dir() else 0o444)
    outcome = _as_nobody(tmp_path, lambda: Database(str(folder / "studio.db")))
    assert outcome.startswith("ConfigError"), outcome
    assert "expected data of the studio, found: " in outcome
    assert "readonly" in outcome or "unable to open" in outcome
    assert sorted(path.name for path in folder.iterdir()) == ["studio.db"]
    assert (folder / "studio.db").read_bytes() == empty_database.read_bytes()


def _as_nobody(within: Path, work: Callable[[], object]) -> str:
    """The error of some work."""
    for path in (within, *within.parents):
        if path.stat().st_uid == os.getuid() and str(path).startswith(os.environ.get("TMPDIR", "/tmp") + "/"):
            path.chmod(path.stat().st_mode | 0o055)
    ours, theirs = os.pipe()
    if not (child := os.fork()):
        try:
            if os.geteuid() == 0:
                os.setresuid(65534, 65534, 65534)
            work()
            told = "done"
        except BaseException as error:
            told = f"{type(error).__name__}: {error}"
        os.write(theirs, told.encode())
        os._exit(0)
    os.close(theirs)
    with os.fdopen(ours) as pipe:
        told = pipe.read()
    os.waitpid(child, 0)
    return told


def test_two_studios_on_the_same_data_lose_nothing_and_show_the_same(make_client: Clients) -> None:
    both = [make_client(), make_client()]
    address = f"/api/v1/projects/{both[0].post('/api/v1/projects', json={'name': 'a'}).json()['id']}"
    food = both[0].post(f"{address}/aspects", json={"name": "food"}).json()["id"]
    together = threading.Barrier(2)

    def label(which: int) -> None:
        together.wait(60)
        for number in range(10):
            text = f"cold soup {which} {number}"
            both[which].post(f"{address}/examples", json={"text": text, "aspects": [food]}).raise_for_status()

    with ThreadPoolExecutor(2) as pool:
        list(pool.map(label, range(2)))
    seen = [client.get(f"{address}/examples").json() for client in both]
    assert seen[0] == seen[1]
    assert {one["text"] for one in seen[0]["examples"]} == {f"cold soup {a} {n}" for a in range(2) for n in range(10)}
    assert both[1].post(f"{address}/undo").json()["project"]["examples"] == 19
    assert [client.get(address).json()["examples"] for client in both] == [19, 19]
    found = [client.post(f"{address}/detect", json={"texts": ["cold soup"]}).json() for client in both]
    assert found[0] == found[1]

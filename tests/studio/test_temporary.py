"""Temporary files: in a folder of the studio, removed by the next one if it was killed."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from pathlib import Path

import pytest
from fastapi.testclient import TestClient

from fewaspect.studio.limits import Limits
from fewaspect.studio.temporary import TemporaryFolder


@pytest.fixture(autouse=True)
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (folder := tmp_path / "temporary").mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    return folder


def test_what_a_killed_studio_left_is_removed_by_the_next(root: Path) -> None:
    killed, living = TemporaryFolder(), TemporaryFolder()
    for folder in (killed, living):
        (folder.path / "fewaspect-x").mkdir()
        (folder.path / "fewaspect-x" / "upload.csv").write_text("text\n")
    killed._lock.close()  # as the system does when its process ends
    (mine := root / "fewaspect-notes").mkdir()
    new = TemporaryFolder()
    assert sorted(root.iterdir()) == sorted([living.path, new.path, mine])
    assert (living.path / "fewaspect-x" / "upload.csv").exists()


def test_a_studio_that_stops_removes_its_own(root: Path) -> None:
    folder = TemporaryFolder()
    (folder.path / "x").write_text("x")
    folder.close()
    assert list(root.iterdir()) == []


def test_uploads_that_wait_take_up_bounded_room(make_client: Callable[..., TestClient]) -> None:
    client = make_client(limits=Limits(waiting_bytes=1000))
    studio = client.app.state.studio  # type: ignore[attr-defined]
    address = f"/api/v1/projects/{client.post('/api/v1/projects', json={'name': 'a'}).json()['id']}/imports"
    (studio.temporary.path / "waiting").write_bytes(b"x" * 1001)
    for path in (address, f"{address}/preview"):
        answer = client.post(path, files={"file": ("r.txt", b"fine\n")})
        assert (answer.status_code, answer.headers["retry-after"]) == (503, "5")
        assert "expected room for another file" in answer.json()["detail"]
    (studio.temporary.path / "waiting").unlink()
    assert client.post(address, files={"file": ("r.txt", b"fine\n")}).status_code == 202

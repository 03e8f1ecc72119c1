"""A studio on a database of its own, on shared weights; and a PostgreSQL server, where one can be started."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient

from fewaspect.detector.model import InferenceModel
from fewaspect.studio.api.security import AccessPolicy
from fewaspect.studio.engine.engine import caching_model
from fewaspect.studio.limits import LIMITS, Limits
from fewaspect.studio.store.database import Database
from fewaspect.studio.studio import Studio
from fewaspect.studio.web_app import make_app
from studio_imports import import_text

API = "/api/v1"
_numbers = count()


@pytest.fixture(scope="session")
def scorer() -> InferenceModel:
    return caching_model()


@pytest.fixture(scope="session")
def empty_database(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Made once and copied: to make one takes longer than most tests."""
    path = tmp_path_factory.mktemp("empty") / "studio.db"
    Database(str(path)).close()
    return path


@pytest.fixture
def make_client(tmp_path: Path, scorer: InferenceModel, empty_database: Path) -> Iterator[Callable[..., TestClient]]:
    """`make_client(limits=..., access=..., sample=True)`: a browser at a studio; the same data each time."""
    open_clients = []
    shutil.copyfile(empty_database, tmp_path / "studio.db")

    def make(
        limits: Limits = LIMITS, access: AccessPolicy | None = None, sample: bool = False, data: str | None = None,
        **options: Any,
    ) -> TestClient:  # fmt: skip
        studio = Studio(data or str(tmp_path / "studio.db"), limits, lambda: scorer)
        app = make_app(studio, access, sample=sample)
        headers = {"X-Fewaspect": "studio", **options.pop("headers", {})}
        client = TestClient(app, base_url="http://127.0.0.1:8765", headers=headers, **options)
        client.__enter__()
        open_clients.append(client)
        return client

    yield make
    for client in open_clients:
        client.__exit__(None, None, None)


@pytest.fixture
def client(make_client: Callable[..., TestClient]) -> TestClient:
    return make_client()


@pytest.fixture
def project(client: TestClient) -> str:
    """The address of a project with two aspects (1: food, 2: parking) and four imported sentences."""
    address = f"{API}/projects/{client.post(f'{API}/projects', json={'name': 'Hotel'}).json()['id']}"
    for name, examples in (("food", ["the soup was cold", "good pizza"]), ("parking", ["no valet", "garage full"])):
        client.post(f"{address}/aspects", json={"name": name, "examples": examples}).raise_for_status()
    import_text(client, address, "Cold soup again. Nobody could park.\nSee you on Monday.\nThe pizza was fine.\n")
    return address


@pytest.fixture(scope="session")
def postgres() -> Iterator[Callable[[], str]]:
    """Gives the URL of a fresh database each time; skips where no server can be started."""
    tools = _postgres_tools()
    folder = Path(tempfile.mkdtemp(prefix="fewpg"))
    user = "postgres" if os.geteuid() == 0 else None

    def run(*command: str) -> None:
        done = subprocess.run(command, user=user, cwd=folder, capture_output=True, text=True)
        if done.returncode:
            pytest.skip(f"PostgreSQL does not start here: {done.stderr.strip()[-200:]}")

    if user:
        shutil.chown(folder, user)
    data, log = str(folder / "data"), str(folder / "log")
    run(str(tools / "initdb"), "-D", data, "-A", "trust", "-U", "fewaspect", "-E", "UTF8", "--no-sync")
    options = f"-c listen_addresses= -k {folder} -c fsync=off"
    run(str(tools / "pg_ctl"), "-D", data, "-l", log, "-o", options, "-w", "start")

    def fresh() -> str:
        import psycopg

        name = f"studio{next(_numbers)}"
        with psycopg.connect(host=str(folder), user="fewaspect", dbname="postgres", autocommit=True) as connection:
            connection.execute(f"CREATE DATABASE {name}")  # type: ignore[arg-type]
        return f"postgresql://fewaspect@/{name}?host={folder}"

    yield fresh
    subprocess.run([str(tools / "pg_ctl"), "-D", data, "-m", "immediate", "stop"], user=user, capture_output=True)
    shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture(params=["sqlite", "postgresql"])
def where(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """A database of either kind."""
    if request.param == "sqlite":
        return str(tmp_path / "studio.db")
    return request.getfixturevalue("postgres")()


def _postgres_tools() -> Path:
    """The folder with initdb and pg_ctl."""
    found = [*sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"), reverse=True), shutil.which("initdb")]
    for initdb in filter(None, found):
        tools = Path(initdb).parent
        if (tools / "pg_ctl").exists():
            return tools
    pytest.skip("no PostgreSQL here: initdb and pg_ctl were not found")

"""Half-sent requests: they end in time, and others are served meanwhile."""

from __future__ import annotations

import os
import resource
import socket
import subprocess
import sys
import threading
import time
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest
import uvicorn

from fewaspect.studio.connections import most_connections, timed_protocol
from fewaspect.studio.limits import Limits

pytestmark = pytest.mark.enable_socket
QUICK = Limits(head_seconds=0.5, silence_seconds=1, body_rate=1000)
HEAD = b"POST /x HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 100000\r\n\r\n"


async def reads_all(scope: Any, receive: Any, send: Any) -> None:
    """Answers once the whole body is there."""
    if scope["type"] == "http":
        while (message := await receive()).get("more_body"):
            pass
        if message["type"] == "http.request":
            await send({"type": "http.response.start", "status": 204, "headers": []})
            await send({"type": "http.response.body"})


@contextmanager
def serving(limits: Limits, most: int) -> Iterator[Callable[[], socket.socket]]:
    """Connects to a server of its own."""
    config = uvicorn.Config(reads_all, http=timed_protocol(limits, most), port=0, log_level="error", lifespan="off")
    server, taken = uvicorn.Server(config), socket.create_server(("127.0.0.1", 0))
    thread = threading.Thread(target=server.run, kwargs={"sockets": [taken]}, daemon=True)
    thread.start()
    with ExitStack() as clients:
        yield lambda: clients.enter_context(socket.create_connection(taken.getsockname()[:2], timeout=10))
        server.should_exit = True
        thread.join(10)


def answer(client: socket.socket) -> bytes:
    """All that comes until the server closes the connection."""
    try:
        return b"".join(iter(lambda: client.recv(4096), b""))
    except ConnectionResetError:
        return b"reset"


@pytest.mark.parametrize("sent", [b"", b"POST /x HTT", HEAD, HEAD + b"x" * 500])
def test_half_a_request_ends_in_time(sent: bytes) -> None:
    with serving(QUICK, 10) as connect:
        client, started = connect(), time.monotonic()
        client.sendall(sent)
        assert answer(client).startswith(b"HTTP/1.1 408")
        assert time.monotonic() - started < 5


def test_a_body_that_drips_ends_in_time_and_one_that_flows_does_not() -> None:
    with serving(QUICK, 10) as connect:
        dripping, flowing = connect(), connect()
        for client in (dripping, flowing):
            client.sendall(HEAD)
        for _ in range(25):
            time.sleep(0.1)
            flowing.sendall(b"x" * 4000)
            with suppress(OSError):
                dripping.sendall(b"x")
        assert answer(dripping)[:12] in (b"HTTP/1.1 408", b"reset")
        assert flowing.recv(12) == b"HTTP/1.1 204"


def test_a_newcomer_takes_the_place_of_the_one_that_waits_longest() -> None:
    with serving(Limits(), 3) as connect:
        half = [connect() for _ in range(3)]
        for client in half:
            client.sendall(b"GET / HTT")
            time.sleep(0.05)
        new = connect()
        new.sendall(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n")
        assert new.recv(12) == b"HTTP/1.1 204"
        assert answer(half[0]) in (b"", b"reset")
        half[2].sendall(b"P/1.1\r\nHost: x\r\n\r\n")
        assert half[2].recv(12) == b"HTTP/1.1 204"


def test_few_descriptors_are_not_all_given_to_connections(monkeypatch: pytest.MonkeyPatch) -> None:
    for files, least in ((256, 100), (1024, 600), (1 << 20, 1000), (64, 1)):
        monkeypatch.setattr(resource, "getrlimit", lambda _, files=files: (files, files))
        most, at_once = most_connections(Limits())
        assert least <= most <= max(1, files - 64 - 4 * at_once)


@pytest.mark.slow
def test_many_half_requests_do_not_stop_the_studio_or_fill_its_log(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port, log = free.getsockname()[1], tmp_path / "log"
    command = [sys.executable, "-m", "fewaspect", "studio", "--no-browser", "--port", str(port)]
    with log.open("wb") as file, ExitStack() as clients:
        studio = subprocess.Popen(
            [*command, "--data", str(tmp_path / "studio.db")], stdout=file, stderr=file,
            env={**os.environ, "PYTHONUNBUFFERED": "1"},
            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (256, 256)),
        )  # fmt: skip
        clients.callback(studio.kill)
        while b"http://" not in log.read_bytes():
            assert studio.poll() is None
            time.sleep(0.1)
        for _ in range(300):
            client = clients.enter_context(socket.create_connection(("127.0.0.1", port)))
            client.sendall(b"POST /api/v1/projects/1/detect HTTP/1.1\r\nHost: 127")
        for _ in range(3):
            with urllib.request.urlopen(f"http://127.0.0.1:{port}/api/v1/projects", timeout=10) as found:
                assert found.status == 200
        assert log.stat().st_size < 2000

"""A studio from start to end: who may ask, where it listens, and how it stops."""

from __future__ import annotations

import asyncio
import gzip
import os
import re
import signal
import socket
import subprocess
import sys
import threading
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from fewaspect.core.errors import ConfigError
from fewaspect.studio.api.security import LOOPBACK
from fewaspect.studio.server import access_policy, address_of, open_socket
from in_process import fewaspect


def test_on_this_computer_no_token_is_needed_and_elsewhere_one_is_made() -> None:
    assert access_policy("127.0.0.1", None).token is None
    assert access_policy("localhost", "secret").token == "secret"
    abroad = access_policy("192.0.2.1", None)
    assert len(abroad.token or "") >= 32
    assert abroad.hosts == LOOPBACK | {"192.0.2.1"}
    assert access_policy("192.0.2.1", "secret").token == "secret"
    anywhere = access_policy("0.0.0.0", None)
    assert anywhere.hosts is None
    assert anywhere.token


def test_the_address_is_one_that_a_browser_opens() -> None:
    assert address_of("0.0.0.0", 1) == "http://127.0.0.1:1/"
    assert address_of("::1", 2) == "http://[::1]:2/"


@pytest.mark.enable_socket
def test_a_taken_port_is_passed_over_unless_it_was_asked_for() -> None:
    with open_socket("127.0.0.1", 0, any_free=False) as first:
        first.listen()
        port = first.getsockname()[1]
        with open_socket("127.0.0.1", port, any_free=True) as second:
            assert second.getsockname()[1] not in (0, port)
        with pytest.raises(ConfigError, match=f"127.0.0.1:{port}: expected a free address"):
            open_socket("127.0.0.1", port, any_free=False)


@pytest.mark.enable_socket
def test_answers_are_sent_at_once_on_a_connection_that_is_kept() -> None:
    """Else head and body of each wait for one another: 40 milliseconds for every request."""
    delays = []

    async def answer(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        connection = writer.get_extra_info("socket")
        delays.append(not connection.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY))
        writer.close()

    async def ask(listening: socket.socket) -> None:
        async with await asyncio.start_server(answer, sock=listening):
            reader, writer = await asyncio.open_connection(*listening.getsockname())
            await reader.read()
            writer.close()

    with open_socket("127.0.0.1", 0, any_free=False) as listening:
        asyncio.run(ask(listening))
    assert delays == [False]


@pytest.mark.enable_socket
def test_the_command_says_what_it_takes() -> None:
    done = fewaspect("studio", "--help")
    assert done.returncode == 0
    assert "--no-browser" in done.stdout
    wrong = fewaspect("studio", "--data", "mysql://host/name", "--port", "0", "--no-browser")
    assert wrong.returncode == 2


@pytest.mark.parametrize("module", ["fastapi", "sqlalchemy"])
def test_without_its_extra_the_command_says_what_to_install(monkeypatch: pytest.MonkeyPatch, module: str) -> None:
    monkeypatch.setitem(sys.modules, module, None)  # importing it fails
    done = fewaspect("studio", "--no-browser")
    message = f'error: The studio needs {module}, which is not installed. Run: pip install "fewaspect[studio]"\n'
    assert (done.returncode, done.stderr) == (2, message)


@contextmanager
def started_studio(folder: Path) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """The process and its address."""
    command = [sys.executable, "-m", "fewaspect", "studio", "--no-browser", "--port", "0"]
    studio = subprocess.Popen(
        [*command, "--data", str(folder / "studio.db")], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
        env={**os.environ, "PYTHONUNBUFFERED": "1"},
    )  # fmt: skip
    assert studio.stdout is not None
    try:
        line = studio.stdout.readline()
        found = re.search(r"http://127\.0\.0\.1:\d+/", line)
        assert found, line
        yield studio, found[0]
    finally:
        studio.kill()


@pytest.mark.enable_socket
def test_it_prints_its_address_answers_and_stops_cleanly(tmp_path: Path) -> None:
    started = time.monotonic()
    with started_studio(tmp_path) as (studio, address):
        with urllib.request.urlopen(address, timeout=20) as page:
            assert b"fewaspect" in page.read()
        with urllib.request.urlopen(f"{address}api/v1/projects", timeout=20) as answer:
            assert b"Sample" in answer.read()
        assert time.monotonic() - started < 60
        studio.send_signal(signal.SIGINT)
        assert studio.stdout is not None
        assert "Stopped; everything is saved." in studio.stdout.read()
        assert studio.wait(timeout=20) == 0


@pytest.mark.slow
@pytest.mark.enable_socket
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_it_answers_and_stops_while_files_are_read(tmp_path: Path, number: signal.Signals) -> None:
    empty_lines = gzip.compress(b"\n" * 1_000_000) * 20_000  # more than anyone will wait for
    file = gzip.compress(gzip.compress(b"text\n") + empty_lines, 1)
    head = b'--x\r\nContent-Disposition: form-data; name="file"; filename="r.csv.gz"\r\n\r\n'
    headers = {"X-Fewaspect": "studio", "Content-Type": "multipart/form-data; boundary=x"}

    def post(address: str) -> None:
        with suppress(OSError):  # it may be stopped before it answers
            asked = urllib.request.Request(address, head + file + b"\r\n--x--\r\n", headers)
            urllib.request.urlopen(asked, timeout=60)

    with started_studio(tmp_path) as (studio, address):
        imports = f"{address}api/v1/projects/1/imports"
        post(imports)
        looking = threading.Thread(target=post, args=(f"{imports}/preview",), daemon=True)
        looking.start()
        time.sleep(2)
        with urllib.request.urlopen(f"{address}healthz", timeout=30) as answer:
            assert answer.status == 200
        assert looking.is_alive()
        studio.send_signal(number)
        studio.wait(timeout=40)
        looking.join(20)


@pytest.mark.parametrize(
    ("module", "left_out"),
    [
        ("fewaspect.cli.app, fewaspect.detector.detector", "fastapi"),
        ("fewaspect.studio.server", "sklearn"),
        ("fewaspect.detector.detector, fewaspect.cli.detect", "sklearn"),
    ],
)
def test_what_takes_time_to_import_is_imported_where_it_is_needed(module: str, left_out: str) -> None:
    code = f"import sys, {module}; sys.exit('{left_out}' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code]).returncode == 0

"""Slow and greedy clients against a studio of its own: others are served, memory and descriptors are bounded.

`python -m attacks.greedy`. Broken is whatever of the others is not answered in ten seconds, a change that was
acknowledged and is not there, more memory or descriptors than allowed, and a studio that does not stop.
"""

from __future__ import annotations

import argparse
import os
import re
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

import httpx
import psutil

from attacks.record import add_record_option, record

API, TOO_SLOW = "/api/v1", 10.0  # seconds
MOST_BYTES, MOST_FILES = 2 << 30, 1_200
BODY = b"POST %s HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Fewaspect: studio\r\nContent-Type: application/json\r\n"


class Studio:
    """A running `fewaspect studio`, and the most that it took."""

    def __init__(self, folder: Path, port: int, process: subprocess.Popen[str]) -> None:
        self.folder, self.port, self.process = folder, port, process
        self.bytes = self.files = 0
        self.slowest = 0.0

    def client(self) -> httpx.Client:
        address = f"http://127.0.0.1:{self.port}"
        return httpx.Client(base_url=address, headers={"X-Fewaspect": "studio"}, timeout=120)

    def connect(self) -> socket.socket:
        return socket.create_connection(("127.0.0.1", self.port), timeout=30)

    def ask(self, client: httpx.Client, method: str, path: str, **options: object) -> httpx.Response:
        """Whoever asks too often is told to wait, and does."""
        while (answer := client.request(method, API + path, **options)).status_code in (429, 503):  # type: ignore[arg-type]
            time.sleep(0.2)
        return answer

    @contextmanager
    def watched(self) -> Iterator[None]:
        """Meanwhile another client asks for the projects, again and again; what the studio takes is noted."""
        end = threading.Event()
        watching = threading.Thread(target=self._watch, args=(end,))
        watching.start()
        try:
            yield
        finally:
            end.set()
            watching.join()

    def _watch(self, end: threading.Event) -> None:
        process = psutil.Process(self.process.pid)
        with self.client() as client:
            while not end.wait(0.3):
                begun = time.monotonic()
                with suppress(
                    httpx.TransportError
                ):  # one that is closed beside many is tried again, and that takes time
                    self.ask(client, "GET", "/projects").raise_for_status()
                self.slowest = max(self.slowest, time.monotonic() - begun)
                self.bytes = max(self.bytes, process.memory_info().rss)
                self.files = max(self.files, process.num_fds())


@contextmanager
def started(folder: Path) -> Iterator[Studio]:
    command = [sys.executable, "-m", "fewaspect", "studio", "--no-browser", "--port", "0", "--data", folder / "s.db"]
    process = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=(folder / "log").open("w"), text=True,
        env={**os.environ, "PYTHONUNBUFFERED": "1"},
    )  # fmt: skip
    try:
        assert process.stdout is not None
        found = re.search(r"http://127\.0\.0\.1:(\d+)/", process.stdout.readline())
        assert found, (folder / "log").read_text()
        yield Studio(folder, int(found[1]), process)
    finally:
        process.kill()
        process.wait()


def slow_bodies(studio: Studio, count: int) -> list[str]:
    """Connections whose bodies drip; all are ended by the studio, and it serves others."""
    with ExitStack() as open_ones, studio.watched():
        dripping = [open_ones.enter_context(studio.connect()) for _ in range(count)]
        for one in dripping:
            one.sendall(BODY % b"/api/v1/projects/1/detect" + b"Content-Length: 100000\r\n\r\n")
        until, left = time.monotonic() + 120, list(dripping)
        while left and time.monotonic() < until:
            left = [one for one in left if _drips(one)]
            time.sleep(1)
    return [f"{len(left)} of {count} slow bodies were still taken after 120 s"] if left else []


def _drips(client: socket.socket) -> bool:
    """Whether the connection takes one more byte."""
    try:
        client.setblocking(False)
        with suppress(BlockingIOError):
            return bool(client.recv(4096)) and False
        client.sendall(b" ")
    except OSError:
        return False
    return True


def idle_streams(studio: Studio, count: int) -> list[str]:
    """Streams of progress that nobody reads, of an import that goes on."""
    with studio.client() as client:
        large = "".join(f"The soup number {n} was cold. Nobody could park.\n" for n in range(20_000))
        project = studio.ask(client, "POST", "/projects", json={"name": "streams"}).json()["id"]
        studio.ask(client, "POST", f"/projects/{project}/aspects", json={"name": "food", "examples": ["cold soup"]})
        file = {"file": ("r.txt", large.encode())}
        job = studio.ask(client, "POST", f"/projects/{project}/imports", files=file).json()["job"]
        head = f"GET {API}/projects/{project}/jobs/{job}/events HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n".encode()
        with ExitStack() as open_ones, studio.watched():
            for _ in range(count):
                with suppress(OSError):
                    open_ones.enter_context(studio.connect()).sendall(head)
            time.sleep(5)
        removed = studio.ask(client, "DELETE", f"/projects/{project}").status_code
    return [] if removed == 204 else [f"the project could not be removed: {removed}"]


def many_at_once(studio: Studio, count: int) -> list[str]:
    """Clients that import, correct, and take back, all in one project; what was acknowledged is there."""
    with studio.client() as client:
        project = studio.ask(client, "POST", "/projects", json={"name": "many"}).json()["id"]
        food = studio.ask(client, "POST", f"/projects/{project}/aspects", json={"name": "food"}).json()["id"]
    faults: list[str] = []

    def work(which: int) -> set[str]:
        said = set()
        with studio.client() as own:
            text = "\n".join(f"Soup {which} {n} was cold." for n in range(5))
            started = studio.ask(own, "POST", f"/projects/{project}/imports", files={"file": ("r.txt", text.encode())})
            for n in range(3):
                text = f"soup {which} and {n}"
                asked = {"text": text, "aspects": [food]}
                answer = studio.ask(own, "POST", f"/projects/{project}/examples", json=asked)
                said |= {text} if answer.status_code == 201 else set()
                if answer.status_code != 201:
                    faults.append(f"an example was answered with {answer.status_code}: {answer.text[:200]}")
            while "event: done" not in (events := _events(studio, own, project, started.json()["job"])):
                if "event: failed" in events:
                    faults.append(events[-300:])
                    break
        return said

    with studio.watched(), ThreadPoolExecutor(count) as pool:
        said = set().union(*pool.map(work, range(count)))
    with studio.client() as client:
        examples = studio.ask(client, "GET", f"/projects/{project}/examples?limit=1000").json()["examples"]
        sentences = studio.ask(client, "GET", f"/projects/{project}/sentences?limit=1").json()["total"]
    if lost := said - {one["text"] for one in examples}:
        faults.append(f"{len(lost)} acknowledged examples are lost")
    if sentences != 5 * count:
        faults.append(f"{sentences} sentences, not {5 * count}")
    return faults


def _events(studio: Studio, client: httpx.Client, project: int, job: int) -> str:
    return studio.ask(client, "GET", f"/projects/{project}/jobs/{job}/events").text


ATTACKS: dict[str, tuple[Callable[[Studio, int], list[str]], int]] = {
    "slow bodies": (slow_bodies, 300),
    "idle streams of events": (idle_streams, 2_000),
    "clients that import and correct at once": (many_at_once, 64),
}


def within(seconds: int, attack: Callable[[Studio, int], list[str]], studio: Studio, count: int) -> list[str]:
    """What broke, and whether it took too long: then the studio is ended, and with it all who wait for it."""
    late = threading.Event()

    def end() -> None:
        late.set()
        studio.process.kill()

    timer = threading.Timer(seconds, end)
    timer.start()
    try:
        return attack(studio, count)
    except (httpx.TransportError, OSError):
        if late.is_set():
            return [f"it took more than {seconds} s"]
        raise
    finally:
        timer.cancel()


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", choices=ATTACKS, action="append")
    parser.add_argument("--seconds", type=int, default=900, help="of each; whoever takes longer hangs")
    add_record_option(parser)
    given, failed = parser.parse_args(), 0
    import resource

    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(most, 8192), most))
    for name in given.only or ATTACKS:
        attack, count = ATTACKS[name]
        begun = time.time()
        with tempfile.TemporaryDirectory() as folder, started(Path(folder)) as studio:
            faults = within(given.seconds, attack, studio, count)
            if studio.slowest > TOO_SLOW:
                faults.append(f"another client waited {studio.slowest:.1f} s")
            if studio.bytes > MOST_BYTES or studio.files > MOST_FILES:
                faults.append(f"the studio took {studio.bytes >> 20} MB and {studio.files} descriptors")
            studio.process.send_signal(signal.SIGTERM)
            with suppress(subprocess.TimeoutExpired):
                studio.process.wait(30)
            if studio.process.returncode is None:
                faults.append("the studio did not stop")
            if "Traceback" in (log := (Path(folder) / "log").read_text()):
                faults.append(log[-1000:])
        print(*faults, sep="\n", end="\n" if faults else "")
        failed += len(faults)
        record(
            name, given.record, count=count, broken=len(faults), seed=0, seconds=time.time() - begun,
            megabytes=studio.bytes >> 20, descriptors=studio.files, slowest_other=round(studio.slowest, 2),
            again=f'python -m attacks.greedy --only "{name}"',
        )  # fmt: skip
    return bool(failed)


if __name__ == "__main__":
    sys.exit(main())

"""The studio under load: many clients at once on this computer, and `detect` beside the detector without a server.

    python benchmarks/load/studio.py [--clients 64] [--seconds 60] [--pause 2.0 1.0] [--json OUT]

Each client has an address of its own on the loopback network, asks for something at random (pages of sentences,
details, the dashboard, detect, analyze, a correction now and then), and pauses as a person would: half to one and a
half times --pause. First one client alone, then all at each pace. The rates of `detect` are those of sentences that no
one asked for before, from eight clients that never pause, alternating with `AspectDetector` in this process.
"""

from __future__ import annotations

import argparse
import asyncio
import io
import os
import random
import socket
import subprocess
import sys
import tempfile
import time
import zipfile
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import numpy as np

from detect_memory import generated_reviews
from fewaspect import AspectDetector
from fewaspect.data.sample_set import load_sample, load_showcase
from fewaspect.experiments.results_file import publish

CHANGES = {"X-Fewaspect": "studio"}
TEXTS = 32  # in a request of those that never pause


@contextmanager
def studio() -> Iterator[str]:
    """A server with a sample project of its own; its address."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "fewaspect", "studio", "--no-browser", "--port", str(port)]
        process = subprocess.Popen([*command, "--data", str(Path(folder) / "studio.db")], stdout=subprocess.DEVNULL)
        try:
            yield f"http://127.0.0.1:{port}"
        finally:
            process.terminate()
            process.wait(timeout=20)


def wait_for(address: str) -> tuple[float, float]:
    """Seconds until the page is there, and until it can show the aspects of the first fifty sentences."""
    started, page = time.perf_counter(), 0.0
    while time.perf_counter() - started < 60:
        try:
            page = page or (httpx.get(f"{address}/").is_success and time.perf_counter() - started)
            (project, *_) = httpx.get(f"{address}/api/v1/projects").json()["projects"]
            path = f"{address}/api/v1/projects/{project['id']}/sentences?limit=50"
            if all(one["scores"] for one in httpx.get(path, timeout=60).json()["sentences"]):
                return page, time.perf_counter() - started
        except httpx.TransportError:
            time.sleep(0.02)
    raise SystemExit("the studio did not start within a minute")


class Client:
    """A user with an address of their own, who sends one request after another."""

    def __init__(self, address: str, project: int, number: int, texts: list[str]) -> None:
        transport = httpx.AsyncHTTPTransport(local_address=f"127.0.{1 + number // 250}.{1 + number % 250}")
        self.http = httpx.AsyncClient(base_url=f"{address}/api/v1/projects/{project}", transport=transport, timeout=60)
        self.project = f"{address}/api/v1/projects/{project}"
        self.random, self.texts, self.sentences = random.Random(), texts, [0]
        self.revision: int | None = None  # the newest that was seen since the last change of one's own
        self.found: list[tuple[str, int, float]] = []

    async def until(self, end: float, pause: float) -> None:
        kinds = {
            "sentences": 12,
            "sentence": 8,
            "detect": 10,
            "analyze": 6,
            "dashboard": 3,
            "project": 10,
            "correct": 1,
        }
        listed = (await self.http.get("/sentences", params={"limit": 200})).json()
        self.sentences, self.revision = [sentence["id"] for sentence in listed["sentences"]], listed["revision"]
        await asyncio.sleep(self.random.random() * pause)
        while time.perf_counter() < end:
            kind = self.random.choices([*kinds], [*kinds.values()])[0]
            started = time.perf_counter()
            answer = await self._ask(kind)
            self.found.append((kind, answer.status_code, time.perf_counter() - started))
            await asyncio.sleep(pause * (0.5 + self.random.random()))

    async def _ask(self, kind: str) -> httpx.Response:
        r, sentence = self.random, self.random.choice(self.sentences)
        if kind == "sentences":
            return await self._page(r.randint(0, 150))
        if kind == "sentence":
            return await self.http.get(f"/sentences/{sentence}", params=self._known)
        if kind == "detect":
            body = {"texts": [f"{text} {r.random()}" for text in r.sample(self.texts, 4)]}
            return await self.http.post("/detect", json=body, headers=CHANGES)
        if kind == "analyze":
            return await self.http.post("/analyze", json={"text": r.choice(self.texts)}, headers=CHANGES)
        if kind == "correct":
            self.revision = None
            return await self.http.put(f"/sentences/{sentence}/aspects", json={"aspects": []}, headers=CHANGES)
        return await self.http.get("/dashboard" if kind == "dashboard" else self.project)

    @property
    def _known(self) -> dict[str, int]:
        return {} if self.revision is None else {"revision": self.revision}

    async def _page(self, offset: int) -> httpx.Response:
        """As the studio's page asks: after a change of its own for the present, else for what fits its list."""
        answer = await self.http.get("/sentences", params={"offset": offset, "limit": 50, **self._known})
        if answer.is_success:
            self.revision = max(self.revision or 0, answer.json()["revision"])
        return answer


async def mixed(
    address: str, project: int, clients: int, seconds: float, pause: float, texts: list[str]
) -> dict[str, Any]:
    """Response times of so many clients in so many seconds."""
    everyone = [Client(address, project, number, texts) for number in range(clients)]
    end = time.perf_counter() + seconds
    await asyncio.gather(*(client.until(end, pause) for client in everyone))
    for client in everyone:
        await client.http.aclose()
    return {"clients": clients, "pause": pause, **response_times([one for client in everyone for one in client.found])}


def response_times(found: list[tuple[str, int, float]]) -> dict[str, Any]:
    by_kind: dict[str, list[float]] = {}
    for kind, _, seconds in sorted(found):
        by_kind.setdefault(kind, []).append(1000 * seconds)
    times = [taken for some in by_kind.values() for taken in some]
    return {
        "requests": len(found),
        "statuses": dict(Counter(str(status) for _, status, _ in found)),
        "milliseconds": {f"p{p}": float(np.percentile(times, p)) for p in (50, 95, 99)},
        "p50_of_each": {kind: float(np.median(some)) for kind, some in by_kind.items()},
    }


def many_reviews(address: str, count: int, repeats: int = 10) -> dict[str, float]:
    """Seconds with so many reviews: until the first page has aspects, until all have, and of a correction with all
    that the page reads after it: the project, the sentences and the details of one."""
    with httpx.Client(base_url=f"{address}/api/v1", headers=CHANGES, timeout=60) as http:
        project = new_project(http, f"{count} reviews")
        lines = "\n".join(f"{text} ({number})" for number, text in enumerate(generated_reviews(count)))
        started = time.perf_counter()
        http.post(f"{project}/imports", files={"file": ("reviews.txt", lines.encode())}).raise_for_status()
        while not (listed := http.get(f"{project}/sentences", params={"limit": 100}).json()["sentences"]):
            time.sleep(0.02)
        first = time.perf_counter() - started
        while (now := http.get(project).json())["reviews"] < count or now["scored"] < 1:
            time.sleep(0.1)
        whole, taken = time.perf_counter() - started, []
        for sentence in listed[:repeats]:
            path = f"{project}/sentences/{sentence['id']}"
            corrected = ("PUT", f"{path}/aspects", {"aspects": []})
            taken.append(seconds_of(http, corrected, project, f"{project}/sentences?limit=100", path))
            time.sleep(1)
        http.delete(project)
    return {"reviews": count, "first_page": first, "all": whole,
            "correction": float(np.median(taken)), "slowest_correction": max(taken)}  # fmt: skip


def filtered(address: str, sentences: int = 7000, repeats: int = 10, undone: int = 5) -> dict[str, float]:
    """Seconds of a correction while the list shows one aspect, with all that the page reads after it, and of five
    undos one after the other."""
    with httpx.Client(base_url=f"{address}/api/v1", headers=CHANGES, timeout=60) as http:
        project = new_project(http, f"{sentences} sentences")
        lines = "\n".join(f"{text} ({number})" for number, text in enumerate(generated_reviews(sentences)))
        http.post(f"{project}/imports", files={"file": ("reviews.txt", lines.encode())}).raise_for_status()
        while (now := http.get(project).json())["sentences"] < sentences or now["scored"] < 1:
            time.sleep(0.1)
        listed = f"{project}/sentences?limit=100&aspect={now['aspects'][0]['id']}"
        taken = []
        for sentence in http.get(listed).json()["sentences"][:repeats]:
            path = f"{project}/sentences/{sentence['id']}"
            taken.append(seconds_of(http, ("PUT", f"{path}/aspects", {"aspects": []}), project, listed, path))
            time.sleep(1)
        undos = seconds_of(http, *[("POST", f"{project}/undo", {})] * undone, project, listed)
        http.delete(project)
    return {"sentences": now["sentences"], "correction_p50": float(np.median(taken)), "correction_slowest": max(taken),
            "undos": undone, "undos_seconds": undos}  # fmt: skip


def seconds_of(http: httpx.Client, *asked: str | tuple[str, str, dict[str, Any]]) -> float:
    """Of requests one after the other: changes, and what is read."""
    began = time.perf_counter()
    for one in asked:
        method, path, body = ("GET", one, None) if isinstance(one, str) else one
        http.request(method, path, json=body).raise_for_status()
    return time.perf_counter() - began


def new_project(http: httpx.Client, name: str) -> str:
    """The path of one with six aspects."""
    project = f"/projects/{http.post('/projects', json={'name': name}).json()['id']}"
    for aspect, examples in load_showcase().examples.items():
        http.post(f"{project}/aspects", json={"name": aspect, "examples": examples}).raise_for_status()
    return project


async def detect_rate(address: str, project: int, seconds: float, texts: list[str]) -> float:
    """Sentences per second of clients that never pause."""
    done = 0
    started = time.perf_counter()

    async def one(number: int) -> None:
        nonlocal done
        client = Client(address, project, 100 + number, texts)
        while time.perf_counter() - started < seconds:
            body = {"texts": [f"{client.random.choice(texts)} {client.random.random()}" for _ in range(TEXTS)]}
            (await client.http.post("/detect", json=body, headers=CHANGES)).raise_for_status()
            done += TEXTS
        await client.http.aclose()

    await asyncio.gather(*(one(number) for number in range(8)))
    return done / (time.perf_counter() - started)


def offline_rate(detector: AspectDetector, texts: list[str], count: int = 2000) -> float:
    """Sentences per second without a server, of sentences like those."""
    chosen = [f"{text} {random.random()}" for text in random.choices(texts, k=count)]
    started = time.perf_counter()
    detector.predict(chosen)
    return count / (time.perf_counter() - started)


def downloaded(address: str, project: int) -> AspectDetector:
    """The project's own detector."""
    packed = httpx.get(f"{address}/api/v1/projects/{project}/model", timeout=60).raise_for_status().content
    with tempfile.TemporaryDirectory() as folder:
        zipfile.ZipFile(io.BytesIO(packed)).extractall(folder)  # from our own server
        (about,) = Path(folder).rglob("detector.json")
        return AspectDetector.load(about.parent)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--clients", type=int, default=64)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--pause", type=float, nargs="+", default=[2.0, 1.0])
    parser.add_argument("--json", type=Path)
    arguments = parser.parse_args()
    texts = [text for part in load_sample().values() for text in part.texts]
    os.environ.setdefault("OMP_NUM_THREADS", "2")
    with studio() as address:
        page, usable = wait_for(address)
        project = httpx.get(f"{address}/api/v1/projects").json()["projects"][0]["id"]
        while httpx.get(f"{address}/api/v1/projects/{project}").json()["scored"] < 1:
            time.sleep(0.1)
        detector = downloaded(address, project)
        detector.predict(texts[:64])
        many, one_aspect = many_reviews(address, 5000), filtered(address)
        alone = asyncio.run(mixed(address, project, 1, arguments.seconds / 3, 0.05, texts))
        together = [
            asyncio.run(mixed(address, project, arguments.clients, arguments.seconds, pause, texts))
            for pause in arguments.pause
        ]
        turns = [
            (asyncio.run(detect_rate(address, project, 10, texts)), offline_rate(detector, texts)) for _ in range(3)
        ]
    served, offline = np.median(turns, axis=0)
    publish({
        "seconds_to_the_page": page, "seconds_to_its_first_sentences": usable, "seconds_with_many_reviews": many,
        "seconds_with_a_filter": one_aspect, "load_of_the_machine": os.getloadavg()[0],
        "one_client": alone, "all_clients": together,
        "p99_of_all_by_p50_of_one": [one["milliseconds"]["p99"] / alone["milliseconds"]["p50"] for one in together],
        "server_errors": sum(n for one in together for status, n in one["statuses"].items() if status >= "500"),
        "detect_sentences_per_second": {"served": float(served), "offline": float(offline)},
        "detect_share_of_offline": float(np.median([a / b for a, b in turns])), "turns": turns,
    }, arguments.json)  # fmt: skip


if __name__ == "__main__":
    main()

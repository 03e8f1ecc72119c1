"""A correction in a large project: the request that changes a sentence, and what the page reads after it.

    python benchmarks/load/correction.py [--before SRC] [--repeats 9] [--json OUT]

With --before, the `src` folder of another version, the same corrections are made by a studio of each, turn by turn, and
the times are told as their ratio.
"""

from __future__ import annotations

import argparse
import os
import random
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import httpx
import numpy as np

from detect_memory import generated_reviews
from fewaspect.experiments.results_file import publish

CHANGES = {"X-Fewaspect": "studio"}
SUBJECTS = ("food", "service", "room", "noise", "price", "parking", "pool", "wifi", "bed", "staff")


@contextmanager
def studio(source: Path) -> Iterator[httpx.Client]:
    """A server of this version with data of its own."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "fewaspect", "studio", "--no-browser", "--port", str(port)]
        process = subprocess.Popen(
            [*command, "--data", str(Path(folder) / "studio.db")], stdout=subprocess.DEVNULL,
            env={**os.environ, "PYTHONPATH": str(source)},
        )  # fmt: skip
        try:
            with httpx.Client(base_url=f"http://127.0.0.1:{port}/api/v1", headers=CHANGES, timeout=600) as http:
                while True:
                    try:
                        http.get("/status").raise_for_status()
                        break
                    except httpx.TransportError:
                        time.sleep(0.1)
                yield http
        finally:
            process.terminate()
            process.wait(timeout=60)


def fill(http: httpx.Client, aspects: int, examples: int, sentences: int) -> str:
    """The path of a project of this size, once all its sentences have their aspects."""
    chance = random.Random(0)
    texts = [f"{text} ({number})" for number, text in enumerate(generated_reviews(max(sentences, examples)))]
    project = f"/projects/{http.post('/projects', json={'name': 'large'}).json()['id']}"
    own: list[list[str]] = [[] for _ in range(aspects)]
    for number in range(examples):
        for one in chance.sample(own, chance.choice((1, 1, 2))):
            one.append(f"Example {number}: {texts[number][:80]}")
    new = [{"name": f"{SUBJECTS[n % len(SUBJECTS)]} {n}", "examples": one[:200]} for n, one in enumerate(own)]
    http.post(f"{project}/aspects/batch", json={"aspects": new}).raise_for_status()
    lines = "\n".join(texts[:sentences])
    http.post(f"{project}/imports", files={"file": ("reviews.txt", lines.encode())}).raise_for_status()
    while (now := http.get(project).json())["reviews"] < sentences or now["scored"] < 1:
        time.sleep(0.5)
    return project


def corrected(http: httpx.Client, project: str, number: int) -> tuple[float, float]:
    """Seconds of one correction, and with the project and the page of sentences after it."""
    aspects = [one["id"] for one in http.get(project).json()["aspects"]]
    listed = f"{project}/sentences?limit=100"
    sentence = http.get(listed).json()["sentences"][number]["id"]
    time.sleep(2)  # the worker presents again what was shown
    started = time.perf_counter()
    body = {"aspects": [aspects[number % len(aspects)]]}
    http.put(f"{project}/sentences/{sentence}/aspects", json=body).raise_for_status()
    alone = time.perf_counter() - started
    for read in (project, listed):
        http.get(read).raise_for_status()
    return alone, time.perf_counter() - started


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--before", type=Path)
    for name, size in (("aspects", 100), ("examples", 5000), ("sentences", 7000), ("repeats", 9)):
        parser.add_argument(f"--{name}", type=int, default=size)
    parser.add_argument("--json", type=Path)
    given = parser.parse_args()
    sources = {"now": Path(__file__).parents[2] / "src"} | ({"before": given.before} if given.before else {})
    times: dict[str, list[tuple[float, float]]] = {name: [] for name in sources}
    with ExitStack() as stack:
        clients = {name: stack.enter_context(studio(source.absolute())) for name, source in sources.items()}
        projects = {
            name: fill(http, given.aspects, given.examples - given.repeats, given.sentences)
            for name, http in clients.items()
        }
        size = {key: clients["now"].get(projects["now"]).json()[key] for key in ("examples", "sentences")}
        for number in range(given.repeats):
            for name, http in clients.items():
                times[name].append(corrected(http, projects[name], number))
    found: dict[str, Any] = {"aspects": given.aspects, **size, "load_of_the_machine": os.getloadavg()[0]}
    for name, taken in times.items():
        found[name] = dict(zip(("correction", "with_the_page"), np.median(taken, axis=0).tolist(), strict=True))
    if given.before:
        found["times_faster"] = float(
            np.median([b[0] / a[0] for a, b in zip(times["now"], times["before"], strict=True)])
        )
    publish(found, given.json)


if __name__ == "__main__":
    main()

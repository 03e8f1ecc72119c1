"""A studio with several clients, killed at random instants: what was acknowledged is there, all else whole or absent.

`python -m attacks.studio_kills --kills 50`. Each client changes a project of its own and keeps its history beside it:
after a kill the project is as the client knows it, or one change further, the one that was under way.
"""

from __future__ import annotations

import argparse
import os
import signal
import socket
import sys
import tempfile
import threading
import time
from copy import deepcopy
from functools import partial
from pathlib import Path
from random import Random
from typing import Any

import httpx
from sqlalchemy import select

from attacks.drivers import ApiDriver, stored_state
from attacks.project_model import ProjectModel, RefusedError
from attacks.record import add_record_option, record, recorded
from fewaspect.studio.store.database import Database
from fewaspect.studio.store.schema import changes

CLIENTS, MOST_SECONDS = 4, 60.0
NAMES = ["food", "noise", "price"]
TEXTS = ["cold soup", "thin walls", "the waiter was rude", "too dear"]
REVIEWS = ["Cold soup. Thin walls.", "See you on Monday.", "The waiter was rude."]


class Client(threading.Thread):
    """Changes its project until the studio is gone. `under_way` is the model after the change that was not answered."""

    def __init__(self, driver: ApiDriver, model: ProjectModel, random: Random) -> None:
        super().__init__()
        self.driver, self.model, self.random = driver, model, random
        self.under_way: ProjectModel | None = None
        self.acknowledged = 0
        self.fault = ""

    def run(self) -> None:
        while not self.fault:
            change, arguments = self._chosen()
            after = deepcopy(self.model)
            expected = _outcome(partial(getattr(after, change), *arguments))
            self.under_way = after
            try:
                found = _outcome(partial(getattr(self.driver, change), *arguments))
            except (httpx.TransportError, OSError):
                return
            except Exception as error:
                self.fault = f"{change}: {error!r}"
                return
            if found != expected:
                self.fault = f"{change} was {found}, expected {expected}"
            self.model, self.under_way = after, None
            self.acknowledged += 1

    def _chosen(self) -> tuple[str, tuple[Any, ...]]:
        now, random = self.model.now, self.random
        names = [aspect.name for aspect in now.aspects]
        some: list[tuple[str, tuple[Any, ...]]] = [
            ("add_aspect", (random.choice(NAMES), random.sample(TEXTS, 2))),
            ("put_example", (random.choice(TEXTS), random.sample(names, min(1, len(names))))),
            ("import_reviews", (random.sample(REVIEWS, 2), "add")),
            ("undo", ()), ("redo", ()), ("set_threshold", (random.random(),)),
        ]  # fmt: skip
        if names:
            some.append(("remove_aspect", (random.choice(names),)))
        if now.sentences:
            some += [("correct", (random.randrange(len(now.sentences)), names[:1]))] * 3
        if len(now.listed) > 3:
            some.append(("remove_reviews", (True,)))
        return random.choice(some)


class Rounds:
    """One database, on which studio after studio is killed."""

    def __init__(self, folder: Path, seed: int) -> None:
        from fewaspect.studio.engine.engine import caching_model

        self.folder, self.seed, self.scorer = folder, seed, caching_model()
        Database(str(folder / "s.db")).close()
        self.known: list[tuple[int, ProjectModel]] = []

    def kill(self, number: int) -> tuple[int, list[str]]:
        """How many changes were acknowledged before, and what broke."""
        random = Random(f"{self.seed}:studio:{number}")
        listening = socket.create_server(("127.0.0.1", 0))
        address = f"http://127.0.0.1:{listening.getsockname()[1]}"
        if not (process := os.fork()):
            self._serve(listening)
        listening.close()
        with httpx.Client(base_url=address, headers={"X-Fewaspect": "studio"}, timeout=60) as http:
            clients = [self._client(http, which, random) for which in range(CLIENTS)]
            for client in clients:
                client.start()
            _wait_for(clients, random.randint(1, 16))
            time.sleep(random.random() * 0.2)
            os.kill(process, signal.SIGKILL)
            os.waitpid(process, 0)
            for client in clients:
                client.join()
        faults = [f"kill {number}: {client.fault}" for client in clients if client.fault]
        faults += self._faults(number, clients)
        return sum(client.acknowledged for client in clients), faults

    def _client(self, http: httpx.Client, which: int, random: Random) -> Client:
        if which == len(self.known):
            self.known.append((ApiDriver(http.request, f"client {which}").project, ProjectModel()))
        project, model = self.known[which]
        return Client(ApiDriver(http.request, project=project), model, Random(random.random()))

    def _faults(self, number: int, clients: list[Client]) -> list[str]:
        """Of the database that was left; each client goes on from what is there."""
        faults, database = [], Database(str(self.folder / "s.db"))
        with database.read() as connection:
            if (state := connection.exec_driver_sql("PRAGMA integrity_check").scalar()) != "ok":
                faults.append(f"kill {number}: {state}")
            if list(connection.exec_driver_sql("PRAGMA foreign_key_check")):
                faults.append(f"kill {number}: rows without those that they belong to")
        for which, client in enumerate(clients):
            project = self.known[which][0]
            there = stored_state(database, project), *_changes(database, project)
            known = [one for one in (client.model, client.under_way) if one]
            possible = [one for one in known if (one.now.shown, len(one.past) - 1, len(one.future)) == there]
            if not possible:
                faults.append(f"kill {number}: client {which}: {there}, expected {client.model.now.shown}")
            self.known[which] = project, (possible or known)[0]
        database.close()
        return faults

    def _serve(self, listening: socket.socket) -> None:
        """In a child: a studio, until it is killed."""
        import uvicorn

        from fewaspect.studio.limits import Limits
        from fewaspect.studio.studio import Studio
        from fewaspect.studio.web_app import make_app

        try:
            with open(os.devnull, "w") as nowhere:  # noqa: PTH123
                os.dup2(nowhere.fileno(), 2)
            studio = Studio(str(self.folder / "s.db"), Limits(burst=10**9), lambda: self.scorer)
            config = uvicorn.Config(make_app(studio, sample=False), log_level="error")
            uvicorn.Server(config).run(sockets=[listening])
        finally:
            os._exit(1)


def _wait_for(clients: list[Client], changes: int) -> None:
    """Until so many were acknowledged, however busy the machine is."""
    until = time.monotonic() + MOST_SECONDS
    while sum(client.acknowledged for client in clients) < changes and time.monotonic() < until:
        time.sleep(0.01)


def _changes(database: Database, project: int) -> tuple[int, int]:
    """How many can be undone, and done again."""
    with database.read() as connection:
        undone = list(connection.scalars(select(changes.c.undone).where(changes.c.project_id == project)))
    return len(undone) - sum(undone), sum(undone)


def _outcome(change: Any) -> str:
    try:
        change()
    except RefusedError:
        return "refused"
    return "done"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--kills", type=int, default=50)
    parser.add_argument("--seconds", type=float, default=600, help="at most")
    add_record_option(parser)
    given = parser.parse_args()
    begun, before = time.time(), recorded("kills of studio", given.seed, given.record)
    killed, told, faults = before.get("count", 0), before.get("acknowledged", 0), before.get("broken", 0)
    with tempfile.TemporaryDirectory() as folder:
        rounds = Rounds(Path(folder), given.seed)
        while killed < given.kills and time.time() < begun + given.seconds:
            acknowledged, broken = rounds.kill(killed)
            print(*broken, sep="\n", end="\n" if broken else "", flush=True)
            killed, told, faults = killed + 1, told + acknowledged, faults + len(broken)
    record(
        "kills of studio", given.record, count=killed, wanted=given.kills, broken=faults, seed=given.seed,
        acknowledged=told,
        seconds=before.get("seconds", 0) + time.time() - begun,
        again=f"python -m attacks.studio_kills --kills {given.kills} --seed {given.seed}",
    )  # fmt: skip
    return bool(faults)


if __name__ == "__main__":
    sys.exit(main())

"""Whatever was acknowledged is there after the process was killed, and nothing is there by half."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

from fewaspect.studio.store.database import Database
from fewaspect.studio.store.definition import read_definition
from fewaspect.studio.store.journal import undo
from fewaspect.studio.store.projects import counted_project, list_projects

WRITER = """
import sys
from fewaspect.studio.store.database import Database
from fewaspect.studio.store.definition import NewAspect, add_aspect, put_example
from fewaspect.studio.store.projects import create_project
from fewaspect.studio.store.reviews import NewReview, add_reviews

database = Database(sys.argv[1])
with database.write() as connection:
    project = create_project(connection, "a")
    aspect = add_aspect(connection, project, NewAspect("food"))
for number in range(100_000):
    with database.write() as connection:
        put_example(connection, project, f"example {number}", [aspect])
        add_reviews(connection, project, [NewReview("One. Two.", None, {}, [(0, 4), (5, 9)])] * 20)
    print(number, flush=True)
"""


def acknowledged_before_a_kill(path: Path, seconds: float) -> int:
    """How many writes were told to be done when the process was killed in the middle of another."""
    writer = subprocess.Popen([sys.executable, "-c", WRITER, str(path)], stdout=subprocess.PIPE, text=True)
    assert writer.stdout is not None
    assert writer.stdout.readline() == "0\n"
    time.sleep(seconds)
    os.kill(writer.pid, signal.SIGKILL)
    last = (["0", *writer.stdout.read().split()])[-1]
    writer.wait()
    return int(last) + 1


def test_a_killed_process_loses_nothing_that_was_acknowledged(tmp_path: Path) -> None:
    for turn, seconds in enumerate((0.0, 0.05, 0.13)):
        path = tmp_path / f"{turn}.db"
        told = acknowledged_before_a_kill(path, seconds)
        database = Database(str(path))
        with database.write() as connection:
            project = list_projects(connection)[0]["id"]
            definition, counts = read_definition(connection, project), counted_project(connection, project)
            assert [e.text for e in definition.examples] == [f"example {n}" for n in range(counts["examples"])]
            assert counts["examples"] in (told, told + 1), "the last may have been done without being told"
            assert (counts["reviews"], counts["sentences"]) == (20 * counts["examples"], 40 * counts["examples"])
            assert all(len(example.aspects) == 1 for example in definition.examples)
            assert definition.revision == 2 + counts["examples"]
            undo(connection, project)
            assert counted_project(connection, project)["examples"] == counts["examples"] - 1
        database.close()


SERVER = """
import json, sys
from pathlib import Path
from fastapi.testclient import TestClient
from fewaspect.studio.web_app import make_app
from fewaspect.studio.studio import Studio

client = TestClient(make_app(Studio(sys.argv[1]), sample=False), base_url="http://127.0.0.1",
                    headers={"X-Fewaspect": "studio"})
with client:
    for number in range(100_000):
        made = client.post("/api/v1/projects", json={"name": f"project {number}"})
        print(json.dumps([made.status_code, made.json()["id"]]), flush=True)
"""


def test_an_answer_of_the_api_is_a_promise(tmp_path: Path) -> None:
    path = tmp_path / "studio.db"
    server = subprocess.Popen([sys.executable, "-c", SERVER, str(path)], stdout=subprocess.PIPE, text=True)
    assert server.stdout is not None
    server.stdout.readline()
    time.sleep(0.1)
    os.kill(server.pid, signal.SIGKILL)
    answers = [json.loads(line) for line in server.stdout.read().splitlines()]
    server.wait()
    database = Database(str(path))
    with database.read() as connection:
        there = {project["id"] for project in list_projects(connection)}
    database.close()
    assert {number for status, number in answers if status == 201} <= there

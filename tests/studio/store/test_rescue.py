"""Damaged data: what can be read is offered, in a new file; nothing is overwritten."""

from __future__ import annotations

import random
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from fewaspect.core.errors import ConfigError, DataError
from fewaspect.studio.store.database import Database
from fewaspect.studio.store.definition import NewAspect, add_aspect, read_definition
from fewaspect.studio.store.projects import create_project, list_projects
from fewaspect.studio.store.rescue import rescue
from fewaspect.studio.store.reviews import NewReview, add_reviews, read_sentences
from in_process import fewaspect

PAGE = 4096
TEXTS = [f"Cold soup at table {number}. " + "The waiter was rude. " * 5 for number in range(300)]


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """Two projects; in the second 300 reviews and an aspect with 60 examples."""
    database = Database(str(path := tmp_path / "studio.db"))
    with database.write() as connection:
        create_project(connection, "first")
        second = create_project(connection, "second")
        add_aspect(connection, second, NewAspect("food"), [f"soup number {n} was cold" for n in range(60)])
        add_reviews(connection, second, [NewReview(text, None, {"n": 1}, [(0, len(text))]) for text in TEXTS])
    database.close()
    return path


def damage(path: Path, first: float, last: float) -> bytes:
    """Noise in the pages between two shares of the file."""
    content = bytearray(path.read_bytes())
    pages = len(content) // PAGE
    start, end = max(1, int(pages * first)) * PAGE, int(pages * last) * PAGE
    content[start:end] = random.Random(0).randbytes(end - start)
    path.write_bytes(content)
    return bytes(content)


@pytest.mark.parametrize("place", [0.2, 0.5, 0.7, 0.9])
def test_what_can_be_read_of_damaged_data_is_in_the_new_file(tmp_path: Path, data: Path, place: float) -> None:
    before = damage(data, place, place + 0.06)
    with pytest.raises(ConfigError, match=r"malformed.*\n.*--rescue"):
        Database(str(data))
    counts = rescue(data, new := tmp_path / "new.db")
    assert data.read_bytes() == before
    assert counts["projects"] == 2
    assert counts["reviews"] > 150 or counts["examples"] == 60
    database = Database(str(new))
    with database.read() as connection:
        second = list_projects(connection)[1]["id"]
        found = {row.text for row in read_sentences(connection, second)}
        examples = read_definition(connection, second).examples
        assert connection.exec_driver_sql("PRAGMA integrity_check").scalar() == "ok"
    database.close()
    assert found <= set(TEXTS)
    assert {one.text for one in examples} <= {f"soup number {n} was cold" for n in range(60)}
    assert len(found) + len(examples) > 200


def test_of_sound_data_all_is_read_with_what_is_not_in_the_file_itself_yet(tmp_path: Path, data: Path) -> None:
    database = Database(str(data))
    with database.write() as connection:
        create_project(connection, "third")  # in the log beside the file, as after a kill
        assert Path(f"{data}-wal").exists()
    new = tmp_path / "new.db"
    assert rescue(data, new)["projects"] == 3
    database.close()
    with closing(sqlite3.connect(data)) as old, closing(sqlite3.connect(new)) as copy:
        for table in ("projects", "aspects", "examples", "example_aspects", "reviews", "sentences", "imports"):
            query = f"SELECT * FROM {table} ORDER BY 1, 2"
            assert list(old.execute(query)) == list(copy.execute(query))


def test_a_lost_project_is_named_anew(tmp_path: Path, data: Path) -> None:
    with closing(sqlite3.connect(data)) as connection, connection:
        connection.execute("DELETE FROM projects WHERE name = 'second'")
    assert rescue(data, tmp_path / "new.db")["reviews"] == 300
    database = Database(str(tmp_path / "new.db"))
    with database.read() as connection:
        assert [project["name"] for project in list_projects(connection)] == ["first", "Rescued project 2"]
    database.close()


def test_nothing_is_overwritten_and_what_cannot_be_read_at_all_is_told(tmp_path: Path, data: Path) -> None:
    (there := tmp_path / "there.db").write_text("mine")
    with pytest.raises(ConfigError, match="expected a file that is not there yet"):
        rescue(data, there)
    assert there.read_text() == "mine"
    with pytest.raises(DataError, match="expected data of which some can be read, found none"):
        rescue(there, tmp_path / "new.db")
    with pytest.raises(ConfigError, match="expected a SQLite file, found none"):
        rescue(tmp_path / "nowhere.db", tmp_path / "new.db")
    assert not (tmp_path / "new.db").exists()


def test_the_command_says_what_it_could_read(tmp_path: Path, data: Path) -> None:
    damage(data, 0.5, 0.56)
    done = fewaspect("studio", "--data", data, "--rescue", tmp_path / "new.db")
    assert done.returncode == 0, done.stderr
    assert "2 projects" in done.stdout
    assert f"fewaspect studio --data {tmp_path / 'new.db'}" in done.stdout.replace("\n", " ")

"""A database is made, brought up to date, and kept whole."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from sqlalchemy import insert, make_url, text
from sqlalchemy.exc import IntegrityError

from fewaspect.core.errors import ConfigError
from fewaspect.studio.store.database import Database, url_of
from fewaspect.studio.store.projects import create_project, list_projects
from fewaspect.studio.store.schema import METADATA, aspects


def test_the_migrations_make_the_tables_that_the_code_uses(where: str) -> None:
    database = Database(where)
    with database.read() as connection:
        assert compare_metadata(MigrationContext.configure(connection), METADATA) == []
    database.close()


def test_opened_again_it_has_what_it_had(where: str) -> None:
    database = Database(where)
    with database.write() as connection:
        create_project(connection, "a")
    database.close()
    again = Database(where)
    with again.read() as connection:
        assert [project["name"] for project in list_projects(connection)] == ["a"]
    again.close()


def test_after_an_error_nothing_of_a_write_is_there(where: str) -> None:
    database = Database(where)

    def fail() -> None:
        with database.write() as connection:
            create_project(connection, "a")
            raise RuntimeError

    with pytest.raises(RuntimeError):
        fail()
    with database.read() as connection:
        assert list_projects(connection) == []
    database.close()


def test_a_row_cannot_belong_to_a_project_that_is_not_there(where: str) -> None:
    database = Database(where)
    row = {"project_id": 7, "name": "food", "description": "", "colour": 0}
    with pytest.raises(IntegrityError), database.write() as connection:
        connection.execute(insert(aspects).values(**row))
    database.close()


def test_sqlite_writes_ahead_and_through(tmp_path: Path) -> None:
    database = Database(str(tmp_path / "studio.db"))
    with database.read() as connection:
        names = ("journal_mode", "synchronous", "foreign_keys", "busy_timeout")
        assert [connection.scalar(text(f"PRAGMA {name}")) for name in names] == ["wal", 2, 1, 30000]
    database.close()


def test_what_is_no_database_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="expected a file or a URL for the data, found a directory"):
        url_of(str(tmp_path))
    with pytest.raises(ConfigError, match="expected sqlite or postgresql, found mysql"):
        url_of("mysql://host/name")
    assert url_of("postgres://u:p@host/name") == make_url("postgresql+psycopg://u:p@host/name")


def _text(path: Path) -> None:
    path.write_text("text,labels\nthe soup was cold,food\n" * 50)


def _truncated(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:9000])


def _damaged(path: Path) -> None:
    content = bytearray(path.read_bytes())
    content[4096:8192] = b"\xa5" * 4096
    path.write_bytes(content)


def _newer(path: Path) -> None:
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("UPDATE alembic_version SET version_num = '9999'")


def _of_another_program(path: Path) -> None:
    path.unlink()
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("CREATE TABLE bookmarks (id INTEGER)")


@pytest.mark.parametrize(
    ("damage", "found"),
    [
        (_text, "file is not a database"),
        (_truncated, "malformed"),
        (_damaged, "malformed"),
        (_newer, "a newer version"),
        (_of_another_program, "another program"),
    ],
)
def test_a_bad_data_file_is_refused_in_one_sentence_and_stays_as_it_is(
    tmp_path: Path, damage: Callable[[Path], None], found: str
) -> None:
    path = tmp_path / "studio.db"
    Database(str(path)).close()
    damage(path)
    before = path.read_bytes()
    with pytest.raises(ConfigError, match=f"^{path}: expected .*, found: .*{found}"):
        Database(str(path))
    assert path.read_bytes() == before


def test_a_file_has_the_name_that_was_given_whatever_is_in_it(tmp_path: Path) -> None:
    names = ["c?d.db", "c?e.db", "a%20b.db", "a b.db", "x#y.db", ":memory:", "ü&mode=ro.db"]
    for number, name in enumerate(names):
        database = Database(str(tmp_path / name))
        with database.write() as connection:
            for _ in range(number):
                create_project(connection, f"{name} {_}")
        database.close()
    for number, name in enumerate(names):
        assert (tmp_path / name).is_file()
        database = Database(str(tmp_path / name))
        with database.read() as connection:
            assert len(list_projects(connection)) == number
        database.close()


def test_a_place_where_no_file_can_be_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    for where in (str(tmp_path / "file" / "studio.db"), "~nobody-of-this-name/studio.db"):
        with pytest.raises(ConfigError, match="expected a file or a URL for the data"):
            Database(where)

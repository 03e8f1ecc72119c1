"""A database is made, brought up to date, and kept whole."""

from __future__ import annotations

from pathlib import Path

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from sqlalchemy import insert, text
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
    assert url_of("postgres://u:p@host/name") == "postgresql+psycopg://u:p@host/name"

"""A database by path or URL, migrated when it is opened."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

from sqlalchemy import URL, Connection, create_engine, event, make_url
from sqlalchemy.exc import ArgumentError, DatabaseError, OperationalError

from fewaspect.core.errors import ConfigError
from fewaspect.core.extras import require
from fewaspect.studio.problems import BusyError, StorageError

MIGRATIONS = Path(__file__).parent / "migrations"
BUSY_TIMEOUT = 30_000  # milliseconds to wait for another writer


class Database:
    """A read is one consistent snapshot, a write one transaction, on disk when it ends."""

    def __init__(self, where: str) -> None:
        self.url = url_of(where)
        if self.url.get_backend_name() == "sqlite":
            _check_file(self.url.database)
        self.engine = create_engine(self.url)
        self._writing = threading.Lock()
        if self.engine.dialect.name == "sqlite":
            event.listen(self.engine, "connect", _prepare_sqlite)
            event.listen(self.engine, "begin", _begin_sqlite)
        self._migrate()

    @contextmanager
    def read(self) -> Iterator[Connection]:
        with _faults_in_words(), self.engine.connect() as connection, connection.begin():
            yield connection

    @contextmanager
    def write(self) -> Iterator[Connection]:
        """A transaction; one at a time."""
        with _faults_in_words(), self._writing, self._connected() as connection, connection.begin():
            yield connection

    def close(self) -> None:
        self.engine.dispose()

    def _connected(self) -> Connection:
        return self.engine.connect().execution_options(writes=True)

    def _migrate(self) -> None:
        from alembic import command
        from alembic.config import Config
        from alembic.util import CommandError

        config = Config()
        config.set_main_option("script_location", str(MIGRATIONS).replace("%", "%%"))
        try:
            with self._writing, self._connected() as connection, connection.begin():
                config.attributes["connection"] = connection
                command.upgrade(config, "head")
        except CommandError as error:  # it does not know the version
            found = "one that a newer version of fewaspect has written. Install that version"
            raise _refusal(self.url, found) from error
        except DatabaseError as error:
            raise _refusal(self.url, str(error.orig)) from error


def url_of(where: str) -> URL:
    """The URL of a database, or of a SQLite file at a path."""
    if "://" not in where:
        return URL.create("sqlite", database=str(_file_path(where)))  # a path is no part of a URL: "?" and "%" stay
    try:
        url = make_url(where)
    except ArgumentError:
        raise ConfigError("--data: expected a file or a URL such as postgresql://host/name, found neither.") from None
    if url.drivername in ("postgres", "postgresql"):
        require("psycopg", "postgres", "PostgreSQL")
        url = url.set(drivername="postgresql+psycopg")
    if url.get_backend_name() not in ("sqlite", "postgresql"):
        raise ConfigError(f"--data: expected sqlite or postgresql, found {url.get_backend_name()}.")
    return url


def _file_path(where: str) -> Path:
    try:
        path = Path(where).expanduser().absolute()
        if path.is_dir():
            raise ConfigError(f"{path}: expected a file or a URL for the data, found a directory. Name a file in it.")
        path.parent.mkdir(parents=True, exist_ok=True)
    except (OSError, RuntimeError) as error:  # a file as a folder, an unknown user
        raise ConfigError(f"{where}: expected a file or a URL for the data, found: {error}.") from error
    return path


def _check_file(path: str | None) -> None:
    """A file that is there is ours and whole; it is only read."""
    if path is None or not Path(path).is_file() or not Path(path).stat().st_size:
        return
    url = URL.create("sqlite", database=path)
    try:
        with closing(sqlite3.connect(f"{Path(path).absolute().as_uri()}?mode=ro", uri=True)) as connection:
            tables = {name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
            (state,) = connection.execute("PRAGMA quick_check(1)").fetchone()
    except sqlite3.OperationalError:  # it cannot be opened so, or is locked: opening it in earnest will tell
        return
    except sqlite3.DatabaseError as error:
        raise _refusal(url, str(error), rescued="malformed" in str(error)) from error
    if state != "ok":
        raise _refusal(url, f"a malformed one ({state.splitlines()[-1]})", rescued=True)
    if tables and "alembic_version" not in tables:
        raise _refusal(url, "the database of another program. Name a file that is not there yet")


@contextmanager
def _faults_in_words() -> Iterator[None]:
    """What disk and system refuse; the transaction has left nothing."""
    try:
        yield
    except OperationalError as error:
        found = str(error.orig).rstrip(".")
        if any(word in found for word in ("locked", "busy", "connection")):  # another studio, or PostgreSQL has gone
            raise BusyError(f"the data: expected to reach it, found: {found}.") from error
        raise StorageError(f"the data: expected to read and write it, found: {found}.") from error


def _refusal(url: URL, found: str, *, rescued: bool = False) -> ConfigError:
    where = url.database if url.get_backend_name() == "sqlite" else url.render_as_string(hide_password=True)
    remedy = f"\nCopy what can be read of it: fewaspect studio --data {where} --rescue NEW.db" if rescued else ""
    return ConfigError(f"{where}: expected data of the studio, found: {found.rstrip('.')}.{remedy}")


def now() -> str:
    """The time in UTC, to the second, as it is stored."""
    return datetime.now(timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")


def _prepare_sqlite(connection: Any, _record: Any) -> None:
    connection.isolation_level = None  # transactions begin explicitly, not where the driver chooses
    cursor = connection.cursor()
    for setting in ("journal_mode=WAL", "synchronous=FULL", "foreign_keys=ON", f"busy_timeout={BUSY_TIMEOUT}"):
        cursor.execute(f"PRAGMA {setting}")
    cursor.close()


def _begin_sqlite(connection: Connection) -> None:
    writes = connection.get_execution_options().get("writes")
    connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")

"""What can still be read of damaged SQLite data, copied into new data. The damaged file is only read."""

from __future__ import annotations

import shutil
import sqlite3
import tempfile
from collections.abc import Iterator
from contextlib import closing, suppress
from pathlib import Path

from fewaspect.core.errors import ConfigError, DataError
from fewaspect.core.files import atomic_write
from fewaspect.studio.store.database import Database, now

_SEARCHED = 1_000_000  # ids that are tried beyond the last that is known
_LEFT_OUT = ("alembic_version", "changes")  # the first is copied whole; what was done before cannot be undone any more


def rescue(damaged: Path, new: Path) -> dict[str, int]:
    """Makes `new`, which must not be there yet; how many rows of each table there are now."""
    if new.exists():
        raise ConfigError(f"{new}: expected a file that is not there yet, found one. Choose another name.")
    if not damaged.is_file():
        raise ConfigError(f"{damaged}: expected a SQLite file, found none.")
    with tempfile.TemporaryDirectory(prefix="fewaspect-") as folder:
        copy, made = Path(folder) / "damaged.db", Path(folder) / "made.db"
        for suffix in ("", "-wal"):  # changes may not be in the file itself yet
            if (part := Path(f"{damaged}{suffix}")).exists():
                shutil.copyfile(part, f"{copy}{suffix}")
        try:
            counts = _copied(copy, made)
        except sqlite3.DatabaseError as error:
            raise DataError(f"{damaged}: expected data of which some can be read, found none ({error}).") from error
        Database(str(made)).close()  # of an earlier version: brought up to date
        with atomic_write(new, "wb") as target, made.open("rb") as source:
            shutil.copyfileobj(source, target)
    return counts


def _copied(damaged: Path, made: Path) -> dict[str, int]:
    with closing(sqlite3.connect(damaged)) as old, closing(sqlite3.connect(made)) as new:
        old.text_factory = lambda content: content.decode(errors="replace")
        schema = "SELECT name, sql FROM sqlite_master WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite_%'"
        created = list(old.execute(f"{schema} ORDER BY type = 'table' DESC"))
        for _, sql in created:
            new.execute(sql)
        new.executemany("INSERT INTO alembic_version VALUES (?)", old.execute("SELECT * FROM alembic_version"))
        tables = [name for name, sql in created if sql.upper().startswith("CREATE TABLE") and name not in _LEFT_OUT]
        for table in tables:
            for row in _readable(old, table):
                new.execute(f'INSERT OR IGNORE INTO "{table}" VALUES ({",".join("?" * len(row))})', row)
        _make_consistent(new, tables)
        new.commit()
        return {table: new.execute(f'SELECT count(*) FROM "{table}"').fetchone()[0] for table in tables}


def _readable(old: sqlite3.Connection, table: str) -> Iterator[tuple[object, ...]]:
    """From the front, from the back, and what can be found between the two by its id."""
    ends: list[int | None] = []
    for order in ("ASC", "DESC"):
        last = None
        try:
            for number, *row in old.execute(f'SELECT rowid, * FROM "{table}" NOT INDEXED ORDER BY rowid {order}'):
                last = number
                yield tuple(row)
            return
        except sqlite3.DatabaseError:
            ends.append(last)
    first, end = ends[0] or 0, ends[1] or _most(old, table, ends[0] or 0)
    for number in range(first + 1, end):
        with suppress(sqlite3.DatabaseError):
            yield from old.execute(f'SELECT * FROM "{table}" NOT INDEXED WHERE rowid = ?', (number,))


def _most(old: sqlite3.Connection, table: str, known: int) -> int:
    with suppress(sqlite3.DatabaseError):
        for (number,) in old.execute("SELECT seq FROM sqlite_sequence WHERE name = ?", (table,)):
            return min(number, known + _SEARCHED) + 1
    return known + _SEARCHED


def _make_consistent(new: sqlite3.Connection, tables: list[str]) -> None:
    """Projects that are lost are named anew; what belongs to a lost row goes, but an example without its sentence."""
    for table in tables:
        columns = {row[1] for row in new.execute(f'PRAGMA table_info("{table}")')}
        for column in ({"fields", "aspects", "asked"} & columns) if table != "projects" else ():
            new.execute(f'DELETE FROM "{table}" WHERE NOT json_valid("{column}")')
        if "project_id" in columns:
            for (number,) in new.execute(f'SELECT DISTINCT project_id FROM "{table}"').fetchall():
                row = (number, f"Rescued project {number}", now())
                new.execute(
                    "INSERT OR IGNORE INTO projects (id, name, created, revision, imported) VALUES (?, ?, ?, 1, 1)", row
                )
    while broken := list(new.execute("PRAGMA foreign_key_check")):
        for table, number, parent, _ in broken:
            if (table, parent) == ("examples", "sentences"):
                new.execute("UPDATE examples SET sentence_id = NULL WHERE rowid = ?", (number,))
            else:
                new.execute(f'DELETE FROM "{table}" WHERE rowid = ?', (number,))

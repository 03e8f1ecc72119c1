"""The tables. Ids are never used twice (in SQLite by autoincrement), so that undo can restore a row under its own."""

from __future__ import annotations

from sqlalchemy import (
    JSON,
    Boolean,
    Column,
    Float,
    ForeignKey,
    Index,
    Integer,
    MetaData,
    String,
    Table,
    Text,
    UniqueConstraint,
)

METADATA = MetaData(
    naming_convention={
        "ix": "ix_%(table_name)s_%(column_0_N_name)s", "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "fk": "fk_%(table_name)s_%(column_0_name)s", "pk": "pk_%(table_name)s",
    }
)  # fmt: skip


def _of_project() -> Column[int]:
    return Column("project_id", Integer, ForeignKey("projects.id", ondelete="CASCADE"), nullable=False)


projects = Table(
    "projects", METADATA,
    Column("id", Integer, primary_key=True),
    Column("name", String(200), nullable=False, unique=True),
    Column("created", String(32), nullable=False),
    Column("threshold", Float),
    Column("revision", Integer, nullable=False),
    Column("imported", Integer, nullable=False),  # version of the reviews, grows with every change of them
    sqlite_autoincrement=True,
)  # fmt: skip

aspects = Table(
    "aspects", METADATA,
    Column("id", Integer, primary_key=True),
    _of_project(),
    Column("name", String(200), nullable=False),
    Column("description", Text, nullable=False),
    Column("threshold", Float),
    Column("colour", Integer, nullable=False),
    UniqueConstraint("project_id", "name"),
    sqlite_autoincrement=True,
)  # fmt: skip

examples = Table(
    "examples", METADATA,
    Column("id", Integer, primary_key=True),
    _of_project(),
    Column("text", Text, nullable=False),
    Column("identity", String(64), nullable=False),  # hash of the normalised text: the same sentence occurs once
    Column("sentence_id", Integer, ForeignKey("sentences.id", ondelete="SET NULL"), index=True),
    Column("created", String(32), nullable=False),
    UniqueConstraint("project_id", "identity"),
    sqlite_autoincrement=True,
)  # fmt: skip

example_aspects = Table(
    "example_aspects", METADATA,
    Column("example_id", Integer, ForeignKey("examples.id", ondelete="CASCADE"), primary_key=True),
    Column("aspect_id", Integer, ForeignKey("aspects.id", ondelete="CASCADE"), primary_key=True, index=True),
)  # fmt: skip

reviews = Table(
    "reviews", METADATA,
    Column("id", Integer, primary_key=True),
    _of_project(),
    Column("text", Text, nullable=False),
    Column("date", String(10)),  # 2024-03-31
    Column("fields", JSON, nullable=False),  # the other columns of the imported row
    Index(None, "project_id"),
    sqlite_autoincrement=True,
)  # fmt: skip

sentences = Table(
    "sentences", METADATA,
    Column("id", Integer, primary_key=True),
    _of_project(),
    Column("review_id", Integer, ForeignKey("reviews.id", ondelete="CASCADE"), nullable=False, index=True),
    Column("position", Integer, nullable=False),
    Column("start", Integer, nullable=False),  # in the text of its review
    Column("text", Text, nullable=False),
    Index(None, "project_id"),
    sqlite_autoincrement=True,
)  # fmt: skip

changes = Table(
    "changes", METADATA,
    Column("id", Integer, primary_key=True),
    _of_project(),
    Column("what", String(300), nullable=False),  # in words
    Column("steps", JSON, nullable=False),  # [table, key, before, after] of each row
    Column("undone", Boolean, nullable=False),
    Column("created", String(32), nullable=False),
    Index(None, "project_id"),
    sqlite_autoincrement=True,
)  # fmt: skip

BY_NAME = {table.name: table for table in METADATA.sorted_tables}

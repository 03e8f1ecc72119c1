"""The tables. Ids are never used twice (in SQLite by autoincrement), so that undo can restore a row under its own."""

from __future__ import annotations

import sqlalchemy as sa

METADATA = sa.MetaData(
    naming_convention={
        "ix": "ix_%(table_name)s_%(column_0_N_name)s", "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "fk": "fk_%(table_name)s_%(column_0_name)s", "pk": "pk_%(table_name)s",
    }
)  # fmt: skip


def _of_project() -> sa.Column[int]:
    return sa.Column("project_id", sa.Integer, sa.ForeignKey("projects.id", ondelete="CASCADE"), nullable=False)


projects = sa.Table(
    "projects", METADATA,
    sa.Column("id", sa.Integer, primary_key=True),
    sa.Column("name", sa.String(200), nullable=False, unique=True),
    sa.Column("created", sa.String(32), nullable=False),
    sa.Column("threshold", sa.Float),
    sa.Column("revision", sa.Integer, nullable=False),
    sa.Column("imported", sa.Integer, nullable=False),  # version of the reviews, grows with every change of them
    sa.Column("target_precision", sa.Float),  # share of the accepted answers that must be right; NULL: not asked for
    sa.Column("sentiment", sa.Boolean, nullable=False, server_default=sa.false()),  # whether it is on
    sa.Column("model", sa.String(40)),  # by its name; NULL: the English one
    sqlite_autoincrement=True,
)  # fmt: skip

aspects = sa.Table(
    "aspects", METADATA,
    sa.Column("id", sa.Integer, primary_key=True),
    _of_project(),
    sa.Column("name", sa.String(200), nullable=False),
    sa.Column("description", sa.Text, nullable=False),
    sa.Column("threshold", sa.Float),
    sa.Column("colour", sa.Integer, nullable=False),
    sa.Column("group", sa.String(200), nullable=False, server_default=""),  # a heading that it stands under; "": none
    sa.UniqueConstraint("project_id", "name"),
    sqlite_autoincrement=True,
)  # fmt: skip

examples = sa.Table(
    "examples", METADATA,
    sa.Column("id", sa.Integer, primary_key=True),
    _of_project(),
    sa.Column("text", sa.Text, nullable=False),
    sa.Column("identity", sa.String(64), nullable=False),  # hash of the normalised text: the same sentence occurs once
    sa.Column("sentence_id", sa.Integer, sa.ForeignKey("sentences.id", ondelete="SET NULL"), index=True),
    sa.Column("created", sa.String(32), nullable=False),
    sa.UniqueConstraint("project_id", "identity"),
    sqlite_autoincrement=True,
)  # fmt: skip

example_aspects = sa.Table(
    "example_aspects", METADATA,
    sa.Column("example_id", sa.Integer, sa.ForeignKey("examples.id", ondelete="CASCADE"), primary_key=True),
    sa.Column("aspect_id", sa.Integer, sa.ForeignKey("aspects.id", ondelete="CASCADE"), primary_key=True, index=True),
)  # fmt: skip

polarities = sa.Table(
    "polarities", METADATA,
    sa.Column("id", sa.Integer, primary_key=True),
    _of_project(),
    sa.Column("identity", sa.String(64), nullable=False),  # as of an example
    sa.Column("text", sa.Text, nullable=False),
    sa.Column("aspect_id", sa.Integer, sa.ForeignKey("aspects.id", ondelete="CASCADE"), nullable=False, index=True),
    sa.Column("polarity", sa.String(8), nullable=False),
    sa.Column("created", sa.String(32), nullable=False),
    sa.UniqueConstraint("project_id", "identity", "aspect_id"),
    sqlite_autoincrement=True,
)  # fmt: skip

rejections = sa.Table(  # what a sentence is not about, whatever else it is about
    "rejections", METADATA,
    sa.Column("id", sa.Integer, primary_key=True),
    _of_project(),
    sa.Column("identity", sa.String(64), nullable=False),  # as of an example
    sa.Column("text", sa.Text, nullable=False),
    sa.Column("aspect_id", sa.Integer, sa.ForeignKey("aspects.id", ondelete="CASCADE"), nullable=False, index=True),
    sa.Column("created", sa.String(32), nullable=False),
    sa.UniqueConstraint("project_id", "identity", "aspect_id"),
    sqlite_autoincrement=True,
)  # fmt: skip

skipped = sa.Table(
    "skipped", METADATA,
    sa.Column("id", sa.Integer, primary_key=True),
    _of_project(),
    sa.Column("text", sa.Text, nullable=False),
    sa.Column("identity", sa.String(64), nullable=False),  # as of an example
    sa.Column("created", sa.String(32), nullable=False),
    sa.UniqueConstraint("project_id", "identity"),
    sqlite_autoincrement=True,
)  # fmt: skip

imports = sa.Table(
    "imports", METADATA,
    sa.Column("id", sa.Integer, primary_key=True),
    _of_project(),
    sa.Column("name", sa.String(200), nullable=False),  # of the file; empty: of before there was this table
    sa.Column("digest", sa.String(64), nullable=False),  # of its content
    sa.Column("created", sa.String(32), nullable=False),
    sa.Column("removed", sa.Boolean, nullable=False),  # its reviews are hidden, until undo shows them again
    sa.Index(None, "project_id"),
    sqlite_autoincrement=True,
)  # fmt: skip

reviews = sa.Table(
    "reviews", METADATA,
    sa.Column("id", sa.Integer, primary_key=True),
    _of_project(),
    sa.Column("text", sa.Text, nullable=False),
    sa.Column("date", sa.String(10)),  # 2024-03-31
    sa.Column("fields", sa.JSON, nullable=False),  # the other columns of the imported row
    sa.Column("import_id", sa.Integer, index=True),  # that it came with
    sa.Index(None, "project_id"),
    sqlite_autoincrement=True,
)  # fmt: skip

replacements = sa.Table(  # a review is hidden while an import that replaced it is not removed
    "replacements", METADATA,
    sa.Column("import_id", sa.Integer, sa.ForeignKey("imports.id", ondelete="CASCADE"), primary_key=True),
    sa.Column("review_id", sa.Integer, sa.ForeignKey("reviews.id", ondelete="CASCADE"), primary_key=True, index=True),
)  # fmt: skip

sentences = sa.Table(
    "sentences", METADATA,
    sa.Column("id", sa.Integer, primary_key=True),
    _of_project(),
    sa.Column("review_id", sa.Integer, sa.ForeignKey("reviews.id", ondelete="CASCADE"), nullable=False, index=True),
    sa.Column("position", sa.Integer, nullable=False),
    sa.Column("start", sa.Integer, nullable=False),  # in the text of its review
    sa.Column("text", sa.Text, nullable=False),
    sa.Index(None, "project_id"),
    sqlite_autoincrement=True,
)  # fmt: skip


def _answers(name: str) -> sa.Table:
    """What a person has said of a sentence, which is no example: kept by its words, whatever becomes of the reviews."""
    return sa.Table(
        name, METADATA,
        sa.Column("id", sa.Integer, primary_key=True),
        _of_project(),
        sa.Column("identity", sa.String(64), nullable=False),
        sa.Column("text", sa.Text, nullable=False),
        sa.Column("aspects", sa.JSON, nullable=False),  # ids of those that it has
        sa.Column("asked", sa.JSON, nullable=False),  # ids of those that there were then
        sa.Column("created", sa.String(32), nullable=False),
        sa.UniqueConstraint("project_id", "identity"),
        sqlite_autoincrement=True,
    )  # fmt: skip


audit_answers = _answers("audit_answers")
kept_labels = _answers("kept_labels")  # of examples that others contradict

changes = sa.Table(
    "changes", METADATA,
    sa.Column("id", sa.Integer, primary_key=True),
    _of_project(),
    sa.Column("what", sa.String(300), nullable=False),  # in words
    sa.Column("steps", sa.JSON, nullable=False),  # [table, key, before, after] of each row
    sa.Column("undone", sa.Boolean, nullable=False),
    sa.Column("created", sa.String(32), nullable=False),
    sa.Index(None, "project_id"),
    sqlite_autoincrement=True,
)  # fmt: skip

BY_NAME = {table.name: table for table in METADATA.sorted_tables}


def hidden_reviews() -> sa.Select[tuple[int]]:
    """Ids of reviews whose import was removed, or that a later import replaced."""
    removed = sa.select(imports.c.id).where(imports.c.removed.is_(True))
    replaced = sa.select(replacements.c.review_id).join(imports).where(imports.c.removed.is_(False))
    return sa.select(reviews.c.id).where(reviews.c.import_id.in_(removed) | reviews.c.id.in_(replaced))

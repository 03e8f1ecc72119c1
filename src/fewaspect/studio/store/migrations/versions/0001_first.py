"""The first tables."""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None


def _project() -> sa.Column:
    return sa.Column("project_id", sa.Integer, sa.ForeignKey("projects.id", ondelete="CASCADE"), nullable=False)


def upgrade() -> None:
    op.create_table(
        "projects",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("name", sa.String(200), nullable=False, unique=True),
        sa.Column("created", sa.String(32), nullable=False),
        sa.Column("threshold", sa.Float),
        sa.Column("revision", sa.Integer, nullable=False),
        sa.Column("imported", sa.Integer, nullable=False),
        sqlite_autoincrement=True,
    )
    op.create_table(
        "aspects",
        sa.Column("id", sa.Integer, primary_key=True),
        _project(),
        sa.Column("name", sa.String(200), nullable=False),
        sa.Column("description", sa.Text, nullable=False),
        sa.Column("threshold", sa.Float),
        sa.Column("colour", sa.Integer, nullable=False),
        sa.UniqueConstraint("project_id", "name"),
        sqlite_autoincrement=True,
    )
    op.create_table(
        "reviews",
        sa.Column("id", sa.Integer, primary_key=True),
        _project(),
        sa.Column("text", sa.Text, nullable=False),
        sa.Column("date", sa.String(10)),
        sa.Column("fields", sa.JSON, nullable=False),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_reviews_project_id", "reviews", ["project_id"])
    op.create_table(
        "sentences",
        sa.Column("id", sa.Integer, primary_key=True),
        _project(),
        sa.Column("review_id", sa.Integer, sa.ForeignKey("reviews.id", ondelete="CASCADE"), nullable=False),
        sa.Column("position", sa.Integer, nullable=False),
        sa.Column("start", sa.Integer, nullable=False),
        sa.Column("text", sa.Text, nullable=False),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_sentences_project_id", "sentences", ["project_id"])
    op.create_index("ix_sentences_review_id", "sentences", ["review_id"])
    op.create_table(
        "examples",
        sa.Column("id", sa.Integer, primary_key=True),
        _project(),
        sa.Column("text", sa.Text, nullable=False),
        sa.Column("identity", sa.String(64), nullable=False),
        sa.Column("sentence_id", sa.Integer, sa.ForeignKey("sentences.id", ondelete="SET NULL")),
        sa.Column("created", sa.String(32), nullable=False),
        sa.UniqueConstraint("project_id", "identity"),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_examples_sentence_id", "examples", ["sentence_id"])
    op.create_table(
        "example_aspects",
        sa.Column("example_id", sa.Integer, sa.ForeignKey("examples.id", ondelete="CASCADE"), primary_key=True),
        sa.Column("aspect_id", sa.Integer, sa.ForeignKey("aspects.id", ondelete="CASCADE"), primary_key=True),
    )
    op.create_index("ix_example_aspects_aspect_id", "example_aspects", ["aspect_id"])
    op.create_table(
        "changes",
        sa.Column("id", sa.Integer, primary_key=True),
        _project(),
        sa.Column("what", sa.String(300), nullable=False),
        sa.Column("steps", sa.JSON, nullable=False),
        sa.Column("undone", sa.Boolean, nullable=False),
        sa.Column("created", sa.String(32), nullable=False),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_changes_project_id", "changes", ["project_id"])
